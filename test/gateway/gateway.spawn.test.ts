// The gateway hides from agents: paths that clients on the network name, and its own secrets (docs/threats.md T7, T9).

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { parseConfig } from '../../src/config/config.ts';
import { within } from '../../src/conformance/bounded-wait.ts';
import type { Channel } from '../../src/core/contract/channel.ts';
import { createGateway } from '../../src/gateway/full-gateway.ts';
import type { Log } from '../../src/gateway/log.ts';
import { clientTransports } from '../support/client-transports.ts';

/** A pi that refuses each command. Its error has the fields of the command and some inherited environment variables. */
const repeating = `
  const names = ['REMOTE_BEARER', 'OURS', 'THEIRS'];
  const env = Object.fromEntries(names.map((name) => [name, process.env[name]]));
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, type, ...words } = JSON.parse(line);
    const error = JSON.stringify({ ...words, env });
    process.stdout.write(JSON.stringify({ id, type: 'response', command: type, success: false, error }) + '\\n');
  });`;

const base = realpathSync(mkdtempSync(join(tmpdir(), 'patchbay-gateway-')));
const root = join(base, 'sessions');
const stored = join(root, 'one.jsonl');
const secret = join(base, 'secret.jsonl');
beforeAll(() => {
  for (const folder of ['sessions', 'sessions/deep', 'sessions-evil']) mkdirSync(join(base, folder));
  for (const file of [stored, secret, join(root, 'deep/two.jsonl'), join(base, 'sessions-evil/three.jsonl')])
    writeFileSync(file, '');
  writeFileSync(join(root, 'notes.md'), '# Notes\n');
  writeFileSync(join(root, 'deep/two.jsonl'), '{"type":"session"}\n');
  symlinkSync(secret, join(root, 'link.jsonl'));
  symlinkSync(base, join(root, 'up'));
  symlinkSync(stored, join(root, 'deep/alias.jsonl'));
  symlinkSync(root, join(base, 'root-alias'));
  execFileSync('mkfifo', [join(root, 'pipe.jsonl')]);
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

const disposals: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const dispose of disposals.splice(0)) await dispose();
  vi.unstubAllEnvs();
});

const config = {
  roots: [join(base, 'root-alias')],
  agents: {
    repeating: { protocol: 'pi', command: [process.execPath, '-e', repeating], env: { THEIRS: 'given' } },
    ungated: { protocol: 'pi', command: [process.execPath, '-e', repeating, '/none/pi-approvals.js'] },
    dying: { protocol: 'pi', command: ['sh', '-c', 'echo no key >&2; exit 3'] },
    remote: { protocol: 'pi', url: 'ws://127.0.0.1:1/', tokenVariable: 'REMOTE_BEARER' },
  },
};

/** A pi client. `ask` sends one line and returns the answer. */
async function connect(transport: string, agent: string, log: Log = () => {}) {
  const gateway = createGateway(parseConfig(config), { log });
  const reach = clientTransports.get(transport);
  if (reach === undefined) throw new Error(`no transport ${transport}`);
  const { channel, dispose } = await reach(gateway, 'pi', agent);
  disposals.push(async () => {
    channel.close('normal', 'the test is over');
    gateway.close('the test is over');
    await dispose();
  });
  return asker(channel);
}

function asker(channel: Channel) {
  const answers: { success?: boolean; error?: string; type: string }[] = [];
  const watchers = new Set<() => void>();
  channel.open({
    frame(frame) {
      answers.push(JSON.parse(frame.text));
      for (const watcher of watchers) watcher();
    },
    fault: () => {},
    end: () => {},
  });
  return (line: object) => {
    answers.length = 0;
    channel.send(JSON.stringify({ id: 'x', ...line }));
    return within('an answer', watchers, () => answers.find(({ type }) => type === 'response'));
  };
}

/** The fields and variables that the agent got. */
const given = ({ error = '' }: { error?: string }): object => JSON.parse(error);

const network = ['websocket', 'sse'];
const ours = ['memory', 'stdio'];
const missing = 'session path: must name a stored session inside one of the configured roots';

describe('a stored session', () => {
  const allowed: [name: string, path: string, real: string][] = [
    ['a file', stored, stored],
    ['a directory', join(root, 'deep'), join(root, 'deep')],
    ['the root', root, root],
    ['by the name that the configuration uses', join(base, 'root-alias/deep/two.jsonl'), join(root, 'deep/two.jsonl')],
    ['a link that stays inside', join(root, 'deep/alias.jsonl'), stored],
  ];
  const refused: [name: string, path: string, error: string][] = [
    ['a file outside', secret, missing],
    ['the system’s', '/etc/passwd', missing],
    ['a folder whose name begins alike', join(base, 'sessions-evil/three.jsonl'), missing],
    ['a file that is not there', join(root, 'none.jsonl'), missing],
    ['a link to a file outside', join(root, 'link.jsonl'), missing],
    ['a way round through a link', join(root, 'up/secret.jsonl'), missing],
    ['a pipe', join(root, 'pipe.jsonl'), missing],
    ['a file that is none, and that an agent would empty', join(root, 'notes.md'), missing],
    ['a relative one', 'one.jsonl', 'session path: must be absolute'],
    ['nothing', '', 'session path: must be absolute'],
    ['a step up that stays inside', `${root}/deep/../one.jsonl`, 'session path: must not hold `..`'],
    ['a NUL', `${stored}\0`, 'session path: must not hold control characters or backslashes'],
    ['a home', '~/one.jsonl', 'session path: must not begin with `~`, which is not expanded'],
    ['too long', `/${'a'.repeat(4096)}`, 'session path: must not be longer than 4096 bytes'],
  ];

  describe.each(network)('of a client over %s', (transport) => {
    test('is opened inside the roots alone', async () => {
      const ask = await connect(transport, 'repeating');
      for (const [name, path, real] of allowed) {
        const answer = await ask({ type: 'switch_session', sessionPath: path });
        expect({ name, given: given(answer) }).toMatchObject({ name, given: { sessionPath: real } });
      }
      for (const [name, sessionPath, error] of refused) {
        expect({ name, ...(await ask({ type: 'switch_session', sessionPath })) }).toMatchObject({ name, error });
      }
    });

    test('is the parent of a new one inside the roots alone', async () => {
      const ask = await connect(transport, 'repeating');
      expect(given(await ask({ type: 'new_session', parentSession: stored }))).toMatchObject({ parentSession: stored });
      expect(given(await ask({ type: 'new_session' }))).not.toHaveProperty('parentSession');
      expect(await ask({ type: 'new_session', parentSession: secret })).toMatchObject({ error: missing });
    });
  });

  test.each(ours)('of a client that owns the process is opened anywhere: %s', async (transport) => {
    const ask = await connect(transport, 'repeating');
    for (const path of [secret, 'one.jsonl', '../one.jsonl']) {
      expect(given(await ask({ type: 'switch_session', sessionPath: path }))).toMatchObject({ sessionPath: path });
      expect(given(await ask({ type: 'new_session', parentSession: path }))).toMatchObject({ parentSession: path });
    }
  });
});

test('a remote agent whose token is not there is not asked', async () => {
  vi.stubEnv('REMOTE_BEARER', '');
  const ask = await connect('memory', 'remote');
  const error = 'agent remote: the environment variable REMOTE_BEARER (its tokenVariable) is not set';
  expect(await ask({ type: 'prompt', message: 'hello' })).toMatchObject({ success: false, error });
});

test('an agent whose approvals extension is not there is not started', async () => {
  const ask = await connect('memory', 'ungated');
  const error =
    'agent ungated: there is no /none/pi-approvals.js, and without it the agent would not ask before it runs tools';
  expect(await ask({ type: 'prompt', message: 'hello' })).toMatchObject({ success: false, error });
});

test('the token of a remote agent is in no program’s environment', async () => {
  vi.stubEnv('REMOTE_BEARER', 's3cret');
  vi.stubEnv('OURS', 'kept');
  const ask = await connect('memory', 'repeating');
  const { env } = given(await ask({ type: 'switch_session', sessionPath: 'x' })) as { env: object };
  expect(env).toEqual({ OURS: 'kept', THEIRS: 'given' });
});

test('an agent that is gone is told of in the log, with its last words', async () => {
  const rows: unknown[] = [];
  const ask = await connect('memory', 'dying', (level, text, fields) => rows.push([level, text, fields]));
  await ask({ type: 'switch_session', sessionPath: 'x' });
  const fields = expect.objectContaining({ agent: 'dying', reason: 'agent exited (code 3): no key' });
  expect(rows.filter((row) => Array.isArray(row) && row[0] === 'error')).toEqual([
    ['error', 'the agent is gone', fields],
  ]);
});
