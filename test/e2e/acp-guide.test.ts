// docs/guides/acp-*.md: each setting starts an agent as that editor would, and the agent answers. Only the way to the program and
// the agents' programs are put in.
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { methods } from '@agentclientprotocol/sdk';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { startAcpClient } from '../support/acp-client.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const fences = (name: string, language: string) =>
  [...readFileSync(join(root, `docs/guides/${name}.md`), 'utf8').matchAll(/```(\w+)\n([\s\S]*?)```/gu)].flatMap(
    (found) => (found[1] === language ? [found[2] ?? ''] : []),
  );

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'patchbay-acp-guide-')));
const home = join(folder, 'home');
mkdirSync(join(home, '.config/agent-patchbay'), { recursive: true });
const telling = [process.execPath, join(root, 'test/support/telling-pi.mjs')];
const config = { defaultAgent: 'demo', agents: { pi: { protocol: 'pi', command: telling } } };
writeFileSync(join(home, '.config/agent-patchbay/patchbay.json'), JSON.stringify(config));

type Start = readonly [command: string, ...args: string[]];

const Servers = z.strictObject({
  agent_servers: z.record(
    z.string(),
    z.strictObject({
      type: z.literal('custom').optional(),
      command: z.string(),
      args: z.array(z.string()),
      env: z.record(z.string(), z.string()).optional(),
    }),
  ),
});
const ofJson = (name: string) =>
  fences(name, 'json').flatMap((code) =>
    Object.values(Servers.parse(JSON.parse(code)).agent_servers).map(({ command, args }): Start => [command, ...args]),
  );

/** The strings in a piece of code. */
const strings = (code = '') => [...code.matchAll(/"([^"]*)"/gu)].map((found) => found[1] ?? '');

function ofElisp(): Start[] {
  const [code = ''] = fences('acp-emacs', 'elisp');
  const bare = code.replaceAll(/"[^"]*"/gu, '');
  expect([...bare].filter((sign) => sign === '(')).toHaveLength([...bare].filter((sign) => sign === ')').length);
  const [command = ''] = strings(/:command ("[^"]+")/u.exec(code)?.[1]);
  const words = strings(/:command-params '\(([^)]*)\)/u.exec(code)?.[1]);
  return [[command, ...words], [command]];
}

function ofLua(): Start[] {
  const [code = ''] = fences('acp-neovim', 'lua');
  return [...code.matchAll(/^ +\w+ = \{ ("patchbay-acp"[^}]*) \},$/gmu)].map((found) => {
    const [command = '', ...args] = strings(found[1]);
    return [command, ...args];
  });
}

describe.each<[editor: string, starts: () => Start[]]>([
  ['Zed', () => ofJson('acp-zed')],
  ['JetBrains', () => ofJson('acp-jetbrains')],
  ['Emacs', ofElisp],
  ['Neovim', ofLua],
])('%s', (_, startsOf) => {
  const starts = startsOf();

  test('has settings', () => {
    expect(starts.length).toBeGreaterThanOrEqual(2);
  });

  test.each(starts.map((start) => [start.join(' '), start] as const))('%s', async (_line, [command, ...words]) => {
    expect(['patchbay-acp', '/usr/local/bin/patchbay-acp']).toContain(command);
    const env = { PATCHBAY_AGENT: '', HOME: home, XDG_CONFIG_HOME: '', XDG_STATE_HOME: join(folder, 'state') };
    const editor = await startAcpClient({}, {}, { words, env, cwd: folder });
    const opened = await editor.agent.request(methods.agent.session.new, { cwd: folder, mcpServers: [] });
    const model = opened.configOptions?.find(({ id }) => id === 'model')?.currentValue;
    expect(model).toContain(words.includes('pi') ? 'telling-1' : 'demo-');
    await editor.close();
  });
});
