// A live conversation is taped, and the tape is an agent: `record`, `serve --record`, and the protocol `replay`.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { bytesOf, readTape } from '../../../src/tape/reader.ts';
import { patchbay } from '../../support/command.ts';

const dist = fileURLToPath(new URL('../../../dist/cli/', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'patchbay-taped-'));
const env = { PATCHBAY_AGENT: 'demo', PATCHBAY_CONFIG: '', PATCHBAY_CHAIN: '' };
const input = ['get_state', 'prompt']
  .map((type) => `${JSON.stringify({ id: type, type, ...(type === 'prompt' && { message: 'hello' }) })}\n`)
  .join('');

/** A conversation of the demo agent with a client of pi. */
async function live() {
  const file = join(mkdtempSync(join(folder, 'live-')), 't.jsonl');
  const agent = [process.execPath, join(dist, 'patchbay-pi.js'), '--mode', 'rpc'];
  const ended = await patchbay(['record', '-o', file, '--', ...agent], { input, env });
  return { file, ended, tape: readTape(readFileSync(file, 'utf8')) };
}

/** The text that a client is shown, in Claude's protocol and in pi's. */
const textIn = (output: string) =>
  [...output.matchAll(/"text_delta",(?:"contentIndex":\d+,"delta"|"text"):("(?:[^"\\]|\\.)*")/gu)]
    .map(([, text]) => JSON.parse(text ?? '""'))
    .join('');

/** How a client is told: the first pi has no words for people. */
const told = { claude: ['"subtype":"notice","level":"warning"'], pi: ['"method":"notify"'], 'pi-legacy': [] };

describe('a live conversation', () => {
  it('comes again from its tape, byte for byte', async () => {
    const { file, ended, tape } = await live();
    expect(ended.code).toBe(0);
    expect(ended.stdout).toContain('agent_end');
    expect(bytesOf(tape, 'out').toString()).toBe(ended.stdout);
    const again = await patchbay(['replay', file, '--speed', 'max'], { input });
    expect([again.code, again.stdout]).toEqual([0, ended.stdout]);
  });

  it('is an agent for clients of other protocols', async () => {
    const { file, tape } = await live();
    const text = textIn(bytesOf(tape, 'out').toString());
    expect(text).not.toBe('');
    const config = join(folder, 'patchbay.json');
    writeFileSync(config, JSON.stringify({ agents: { taped: { protocol: 'replay', file, speed: 'max' } } }));
    const clients = [
      ['claude', { type: 'user', message: { role: 'user', content: 'hello' } }, '"type":"result"'],
      ['pi', { type: 'prompt', message: 'hello' }, '"type":"agent_end"'],
      ['pi-legacy', { type: 'prompt', message: 'hello' }, '"type":"agent_end"'],
    ] as const;
    for (const [frontend, prompt, killAfter] of clients) {
      const words = ['stdio', '--frontend', frontend, '--config', config];
      const { stdout } = await patchbay(words, { input: `${JSON.stringify(prompt)}\n`, holdInput: true, killAfter });
      expect([frontend, textIn(stdout)]).toEqual([frontend, text]);
      // The taped client has not asked for commands: each client is told once.
      const left = stdout
        .split('\n')
        .filter((line) => line.includes('The conversation leaves the tape: extra: get_commands'));
      expect(left).toEqual(told[frontend].map((words) => expect.stringContaining(words)));
    }
  });
});

it('a tape that is none is a mistake of the configuration, with its line', async () => {
  const config = join(folder, 'wrong.json');
  writeFileSync(config, '{"agents":{\n"taped":{"protocol":"replay",\n"file":"nowhere.jsonl"}}}');
  expect(await patchbay(['agents', '--config', config])).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/wrong\.json:3: cannot read nowhere\.jsonl/u),
  });
});

it('`serve --record` writes a tape of each agent, which only the user can read, and which plays', async () => {
  const { file } = await live();
  const tapes = join(folder, 'served');
  const agent = ['--backend', 'pi', '--', process.execPath, join(dist, 'main.js'), 'replay', file, '--speed', 'max'];
  const server = spawn(process.execPath, [join(dist, 'main.js'), 'serve', '--json', '--record', tapes, ...agent], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const exited = once(server, 'close');
  const [line] = await once(server.stdout, 'data');
  const { url, token } = JSON.parse(String(line)) as { url: string; token: string };
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const post = (path: string, body: object) =>
    fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  await post('/v1/sessions', { id: 'one' });
  const events = await fetch(`${url}/v1/claude/sessions/one/events`, { headers });
  await post('/v1/claude/sessions/one/frames', { type: 'user', message: { content: 'hello' } });
  let told = '';
  for await (const chunk of events.body ?? []) {
    told += Buffer.from(chunk).toString();
    if (told.includes('"type":"result"') && !server.killed) server.kill('SIGTERM');
  }
  await exited;
  const names = readdirSync(tapes);
  expect(names).toHaveLength(1);
  const made = join(tapes, names[0] ?? '');
  expect(statSync(made).mode & 0o777).toBe(0o600);
  const tape = readTape(readFileSync(made, 'utf8'));
  expect(tape.meta).toMatchObject({ protocol: 'pi', agent: 'command-line' });
  expect(bytesOf(tape, 'in').toString()).toContain('"type":"prompt"');
  expect(bytesOf(tape, 'out').toString()).toContain('agent_end');
  expect(tape.exit).not.toBeNull();
});
