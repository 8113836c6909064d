// claude-agent-acp, which brings Claude Code to editors of the Agent Client Protocol, codex-acp and gemini-cli as the agents behind three
// clients of other protocols, on the fake model: text, tools, leave given and refused, a stop, and a stored conversation that is loaded.
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { type FakeAnthropic, startFakeAnthropic } from '../../src/conformance/model/endpoint.ts';
import { claudeScenarios } from '../claude-code/scenarios.ts';
import { type ClaudeHome, makeClaudeHome } from '../support/claude-code-rig.ts';
import { isFull } from '../support/full.ts';
import { type GatewayServer, startServerWith } from '../support/gateway.ts';
import { nodeIn } from '../support/programs.ts';
import { type AgentPlace, type AnyClient, threeClients } from '../support/three-clients.ts';

const claude = inject('claude');
const programs = inject('programs');
const found = programs['claude-agent-acp'];
const node = nodeIn(programs['node-22']);
/** With codex-acp and gemini-cli, which are too large for a machine that tests each change. */
const others = join(process.env.PATCHBAY_ACP_AGENTS ?? '/nowhere', 'node_modules');
const relay = fileURLToPath(new URL('../conformance/support/model-relay/main.mjs', import.meta.url));

/** An agent of npm: why it is not there, or the command that starts it in a home. */
interface NpmAgent {
  readonly missing: string | null;
  /** `relayHome`: where the conversations of an agent behind the relay stay. */
  command(home: ClaudeHome, relayHome?: string): readonly string[];
}

function behindRelay(kind: string, ...words: readonly string[]): NpmAgent {
  const [program = ''] = words;
  const isThere = existsSync(join(others, program));
  return {
    missing: node === null ? 'no Node 22' : isThere ? null : 'PATCHBAY_ACP_AGENTS names no folder with it',
    command: ({ dir, baseUrl }, relayHome) => [
      ...['env', '-i', `PATH=${process.env.PATH}`, `HOME=${dir}`, `TMPDIR=${join(dir, 'tmp')}`],
      ...(relayHome === undefined ? [] : [`RELAY_HOME=${relayHome}`]),
      ...[`ANTHROPIC_BASE_URL=${baseUrl}`, process.execPath, relay, kind, node ?? '', join(others, program)],
      ...words.slice(1),
    ],
  };
}

const agents: Readonly<Record<string, NpmAgent>> = {
  'claude-agent-acp': {
    missing:
      'reason' in found ? found.reason : 'reason' in claude ? claude.reason : node === null ? 'no Node 22' : null,
    command(home) {
      const world = {
        PATH: process.env.PATH ?? '/usr/bin:/bin',
        HOME: home.dir,
        TMPDIR: join(home.dir, 'tmp'),
        CLAUDE_CODE_TMPDIR: join(home.dir, 'tmp'),
        CLAUDE_CODE_EXECUTABLE: home.binary,
        ANTHROPIC_BASE_URL: home.baseUrl,
        ANTHROPIC_API_KEY: 'sk-ant-no-key',
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        DISABLE_AUTOUPDATER: '1',
        CLAUDE_CODE_MAX_RETRIES: '2',
      };
      const words = Object.entries(world).map(([name, value]) => `${name}=${value}`);
      return ['env', '-i', ...words, node ?? '', join('reason' in found ? '' : found.folder, 'dist/index.js')];
    },
  },
  'codex-acp': behindRelay('codex', '@agentclientprotocol/codex-acp/dist/index.js'),
  'gemini-cli': behindRelay('gemini', '@google/gemini-cli/bundle/gemini.js', '--acp'),
};
/** gemini-cli names the file of a conversation by the minute, and writes over one that began in this minute (docs/protocols/acp.md 3.16). */
function backdate(folder: string): void {
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const earlier = name.replace(/session-\d{4}-/u, 'session-2020-');
    if (earlier !== name) renameSync(join(folder, name), join(folder, earlier));
  }
}

const rows = Object.entries(agents).map(([name, { missing, command }]) => {
  const label = missing === null ? name : `${name} (${missing})`;
  return { name, label, missing, command };
});

describe.each(rows)('$label', ({ name, missing, command }) => {
  if (missing !== null) return test.skip(missing, () => {});
  let fake: FakeAnthropic;
  let home: ClaudeHome;
  let server: GatewayServer;
  let place: AgentPlace;
  /** Its conversations outlive the process. */
  let kept: AgentPlace;
  beforeAll(async () => {
    fake = await startFakeAnthropic({ scenarios: claudeScenarios });
    home = makeClaudeHome({ binary: 'binary' in claude ? claude.binary : '', baseUrl: fake.url });
    // Its own reviewer would decide: the user is asked only in this mode.
    mkdirSync(join(home.dir, '.claude'));
    const settings = { permissions: { defaultMode: 'default' } };
    writeFileSync(join(home.dir, '.claude/settings.json'), JSON.stringify(settings));
    const config = join(home.dir, 'patchbay.json');
    const agent = (relayHome?: string) => ({ protocol: 'acp', command: command(home, relayHome), cwd: home.project });
    writeFileSync(config, JSON.stringify({ agents: { acp: agent(), kept: agent(join(home.dir, 'relay')) } }));
    server = await startServerWith(config);
    place = { config, agent: 'acp', cwd: home.project, server };
    kept = { ...place, agent: 'kept' };
  });
  afterAll(async () => {
    await server?.close();
    await fake?.close();
    home?.remove();
  });

  describe.each(Object.entries(threeClients))('behind %s', (who, start) => {
    let client: AnyClient;
    const written = () => existsSync(join(home.project, 'out.txt'));
    beforeAll(async () => {
      client = await start(place);
    });
    afterAll(() => client.close());

    test('text', async () => {
      expect(await client.run('[[text]] hello')).toContain('Hello, world. This is plain text.');
    });

    test('a tool with approval', async () => {
      const heard = await client.run('[[cc-write]] do', () => client.decide(true));
      expect(written()).toBe(true);
      rmSync(join(home.project, 'out.txt'));
      // gemini-cli tells no arguments (docs/protocols/acp.md 4.37).
      if (name !== 'gemini-cli') expect(heard).toContain('echo written > out.txt');
    });

    test('a rejection', async () => {
      await client.run('[[cc-write]] do not', () => client.decide(false));
      expect(written()).toBe(false);
    });

    test('a stop, and the next prompt', async () => {
      await client.run('[[hold]] hello', async () => {
        await client.hears('This never');
        await client.stop();
      });
      expect(await client.run('[[text]] again')).toContain('Hello, world. This is plain text.');
    });

    test.runIf(isFull || name !== 'claude-agent-acp' || who === 'a pi client')(
      'a conversation goes on in another process, and the model knows its past',
      async () => {
        // An agent may let one process have a conversation: the first gateway ends with its agents.
        const first = await startServerWith(kept.config);
        const before = await start({ ...kept, server: first });
        await before.run('[[text]] my number is 4711');
        const conversation = await before.conversation();
        await before.close();
        await first.close();
        if (name === 'gemini-cli') backdate(join(home.dir, 'relay/.gemini/tmp'));
        const later = await start(kept, conversation);
        onTestFinished(later.close);
        expect(await later.run('[[text]] which was it?')).toContain('Hello, world. This is plain text.');
        const isAsked = ({ body }: { body: { messages: readonly unknown[] } }) =>
          JSON.stringify(body.messages.at(-1)).includes('which was it?');
        expect(JSON.stringify(fake.requests.findLast(isAsked)?.body.messages)).toContain('4711');
      },
    );
  });
});
