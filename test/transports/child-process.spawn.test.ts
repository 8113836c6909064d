// Children: how they start, die, hang on and leave others behind (docs/faults.md F1, F3, F6, F8; docs/threats.md T7, T27, T29).
import type { ChildProcess } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type ChildChannel, type SpawnOptions, spawnChannel } from '../../src/transports/child/child-process.ts';
import { killAllChildren } from '../../src/transports/child/process-group.ts';
import { dropSocketPair, openSocketPair, type SocketPair } from '../../src/transports/child/socket-pair.ts';
import { contentLength } from '../../src/transports/framing/content-length.ts';
import type { Framing } from '../../src/transports/framing/framing.ts';
import { jsonl } from '../../src/transports/framing/jsonl.ts';
import { heldBytes } from '../support/held-bytes.ts';
import { createLifeline, type Lifeline, onLifeline } from './support/lifeline.ts';
import { record } from './support/recording-receiver.ts';

const open: ChildChannel[] = [];

/** Made before each test, so that a test can start children in one tick. */
const pairs: SocketPair[] = [];

function start(command: readonly [string, ...string[]], options: Partial<SpawnOptions> = {}) {
  const channel = spawnChannel({ label: 'child test', ...options, command }, undefined, pairs.pop() ?? null);
  open.push(channel);
  const heard = record();
  channel.open(heard.receiver);
  return { channel, heard };
}

const shell = (script: string): readonly [string, string, string] => ['sh', '-c', script];

let lifeline: Lifeline;
beforeEach(async () => {
  lifeline = await createLifeline();
});
afterEach(() => {
  for (const channel of open.splice(0)) channel.close('normal', 'the test is over');
  for (const pair of pairs.splice(0)) dropSocketPair(pair);
  killAllChildren();
  lifeline.close();
});

describe.each([
  ['a pipe of spawn', 0],
  ['a socket pair', 4],
] as const)('stdout is %s:', (_name, count) => {
  beforeEach(async () => {
    for (let n = 0; n < count; n += 1) {
      const pair = await openSocketPair();
      if (pair !== null) pairs.push(pair);
    }
    // Where the system gives none, all tests run with a pipe.
    expect(pairs).toHaveLength(process.platform === 'linux' ? count : 0);
  });

  describe('the end', () => {
    it.each([
      ['exit 0', 'agent exited (code 0)'],
      ['exit 3', 'agent exited (code 3)'],
      ['kill -KILL $$', 'agent exited (signal SIGKILL)'],
      ['kill -TERM $$', 'agent exited (signal SIGTERM)'],
    ])('%s', async (script, reason) => {
      const { heard } = start(shell(script));
      expect(await heard.end()).toEqual({ reason });
    });

    it.each<[string, readonly [string, ...string[]], Partial<SpawnOptions>, RegExp]>([
      [
        'no such program',
        ['nope-nope'],
        {},
        /^agent could not be started: spawn nope-nope ENOENT \(there is no such program/,
      ],
      ['no permission', ['/etc/passwd'], {}, /^agent could not be started: spawn \/etc\/passwd EACCES$/],
      [
        'no such directory',
        ['sh'],
        { cwd: '/nope' },
        /^agent could not be started: its directory \/nope does not exist$/,
      ],
      ['an argument that cannot be one', ['sh', 'a\0b'], {}, /^agent could not be started: .*null bytes/],
    ])('%s', async (_name, command, options, reason) => {
      const { channel, heard } = start(command, options);
      channel.send('{"n":1}');
      channel.pause();
      channel.resume();
      expect((await heard.end()).reason).toMatch(reason);
      expect(heard.calls).toEqual(['end']);
      expect(channel.pid).toBeUndefined();
    });

    it('comes after the last output, with a half line tried as a frame', async () => {
      const { heard } = start(shell(`printf '{"n":1}\\n{"n":'; exit 1`));
      await heard.end();
      expect(heard.frames.items).toEqual(['{"n":1}', '{"n":']);
      expect(heard.calls).toEqual(['frame', 'frame', 'end']);
    });

    it('does not wait for a grandchild that holds stdout, and takes the grandchild along', async () => {
      const [node, flag, program] = onLifeline(lifeline, `say('grandchild');`);
      const script = `"$1" "$2" "$3" & read go; echo '{"last":1}'; exit 7`;
      const { channel, heard } = start(['sh', '-c', script, 'sh', node, flag ?? '', program ?? '']);
      await lifeline.words.first(1);
      channel.send('go');
      expect(await heard.end()).toEqual({ reason: 'agent exited (code 7)' });
      expect(heard.frames.items).toEqual(['{"last":1}']);
      await lifeline.deaths.first(1);
    });

    /** A child with a grandchild that holds its pipes and cannot be asked to go. `act`: what the child does when told to. */
    const leaving = (act: string) => {
      const stays = onLifeline(lifeline, `process.on('SIGTERM', () => {}); say('grandchild');`);
      return onLifeline(
        lifeline,
        `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(stays[2])}], { stdio: 'inherit' });
         process.stdin.once('data', () => { ${act} process.exit(7); });`,
      );
    };

    const lastWords = `
      const { writeSync } = require('node:fs');
      // In one piece, so that most of it is still in the pipe when the child is gone.
      writeSync(1, '{"n":1}\\n'.repeat(5000));
      writeSync(2, 'bye');`;

    it.each([
      ['that says nothing', '', 0, {}],
      ['with last words', lastWords, 5000, { detail: 'bye' }],
    ])(
      'of a child %s comes without a timer although a grandchild holds the pipes',
      async (_what, act, frames, more) => {
        const { channel, heard } = start(leaving(act), { termGraceMs: 60_000 });
        await lifeline.words.first(1);
        vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval'] });
        try {
          channel.send('go');
          expect(await heard.end()).toEqual({ reason: 'agent exited (code 7)', ...more });
        } finally {
          vi.useRealTimers();
        }
        expect(heard.frames.items).toHaveLength(frames);
        expect(lifeline.deaths.items).toHaveLength(1);
      },
    );

    it('waits while paused, and nothing that was written is lost', async () => {
      const { channel, heard } = start(
        onLifeline(
          lifeline,
          `
        process.stdout.write('{"n":0}\\n');
        process.stdin.once('data', () => {
          // In one piece, so that most of it is still in the pipe when the process is gone.
          const line = (n) => '{"n":' + n + ',"text":"' + 'x'.repeat(100) + '"}\\n';
          process.stdout.end(Array.from({ length: 999 }, (_, n) => line(n)).join(''), () => process.exit(0));
        });
      `,
        ),
        { exitGraceMs: 1 },
      );
      await heard.frames.first(1);
      channel.pause();
      channel.send('{"go":1}');
      await lifeline.deaths.first(1);
      // The whole lives of other children: time enough to lose the output of the first one.
      for (let n = 0; n < 3; n += 1) await start(shell('exit 0')).heard.end();
      expect(heard.calls).toEqual(['frame']);
      channel.resume();
      await heard.end();
      expect(heard.frames.items).toHaveLength(1000);
    });
  });

  describe('stderr', () => {
    it('gives its last lines with the end, printable', async () => {
      const { heard } = start(shell(`printf 'first\\n\\033[31mno API key\\033[0m\\n' >&2; exit 1`));
      expect(await heard.end()).toEqual({
        reason: 'agent exited (code 1)',
        detail: 'first\n\\x1b[31mno API key\\x1b[0m',
      });
    });

    it('is read to the end, 20 MB of it, without holding up stdout or memory', async () => {
      const before = heldBytes();
      const { heard } = start([
        process.execPath,
        '-e',
        `const flood = 'é'.repeat(512 * 1024);
         let left = 20;
         const more = () => left-- > 0 ? process.stderr.write(flood, more) : process.stdout.write('{"done":1}\\n');
         more();`,
      ]);
      expect(await heard.frames.first(1)).toEqual(['{"done":1}']);
      const { detail = '' } = await heard.end();
      expect(Buffer.byteLength(detail)).toBe(2048);
      expect(detail).toMatch(/^é+$/);
      expect(heldBytes() - before).toBeLessThan(8 * 1024 * 1024);
    });
  });

  describe('words on stdout before the first frame', () => {
    const frame = '{"n":1}';
    it.each<[string, string, Framing, string | undefined]>([
      ['one line', `echo 'please log in'; exit 1`, jsonl, 'please log in'],
      ['several lines', `printf 'please log in:\n  foo login\n'; exit 1`, jsonl, 'please log in:\n  foo login'],
      ['a line that does not end', `printf 'Password: '; exit 1`, jsonl, 'Password:'],
      ['JSON that is no object', `printf '42\n"please"\n'; exit 1`, jsonl, '42\n"please"'],
      ['both streams', `echo out; echo err >&2; exit 1`, jsonl, 'out\nerr'],
      ['colours', `printf '\\033[31mno key\\033[0m\\n'; exit 1`, jsonl, '\\x1b[31mno key\\x1b[0m'],
      ['a banner, and then a frame', `printf 'Welcome\n${frame}\n'; exit 1`, jsonl, undefined],
      ['words behind a frame', `printf '${frame}\nBye\n'; exit 1`, jsonl, undefined],
      ['headers expected', `echo 'please log in'; exit 1`, contentLength, 'please log in'],
      ['headers, and a frame', `printf 'Content-Length: 7\r\n\r\n${frame}'; exit 1`, contentLength, undefined],
      [
        'more than fits',
        `head -c 100000 /dev/zero | tr '\\0' x; echo; echo end; exit 1`,
        jsonl,
        `${'x'.repeat(2043)}\nend`,
      ],
    ])('%s', async (_name, script, framing, detail) => {
      const { heard } = start(shell(script), { framing });
      expect(await heard.end()).toEqual({
        reason: 'agent exited (code 1)',
        ...(detail === undefined ? {} : { detail }),
      });
    });
  });

  describe('a child that ends in the middle of a message', () => {
    it.each<[string, Framing, readonly string[], number]>([
      // The same JSON, whole: only one of both framings says how long it was to be.
      [`printf '{"n":1}'; exit 1`, jsonl, ['{"n":1}'], 0],
      [`printf 'Content-Length: 12\r\n\r\n{"n":1}'; exit 1`, contentLength, [], 1],
    ])('%s', async (script, framing, frames, faults) => {
      const { heard } = start(shell(script), { framing });
      expect(await heard.end()).toMatchObject({ reason: 'agent exited (code 1)' });
      expect([heard.frames.items, heard.faults.items.length]).toEqual([frames, faults]);
    });
  });

  describe('a child that does not listen', () => {
    it('dies before it reads: no error escapes', async () => {
      const { channel, heard } = start(shell('exit 0'));
      const text = JSON.stringify('x'.repeat(1_000_000));
      for (let n = 0; n < 10; n += 1) channel.send(text);
      expect(await heard.end()).toEqual({ reason: 'agent exited (code 0)' });
      channel.send(text);
      expect(channel.buffered).toBe(0);
    });

    it('closes its input and lives on: it is let go after a while', async () => {
      const { channel, heard } = start(shell(`exec 0<&-; echo '{"ready":1}'; sleep 1000`), {
        termGraceMs: 50,
        exitGraceMs: 10,
      });
      await heard.frames.first(1);
      channel.send('{"n":1}');
      expect(await heard.end()).toMatchObject({ reason: 'agent closed its input' });
    });

    it('closes its output and lives on: it is let go after a while', async () => {
      const { heard } = start(shell('exec 1>&-; sleep 1000'), { termGraceMs: 50, exitGraceMs: 10 });
      expect(await heard.end()).toMatchObject({ reason: 'agent closed its output' });
    });
  });

  describe('close', () => {
    const polite = `process.stdin.resume().on('end', () => say('eof', () => process.exit(0)));`;
    const deafToEof = `
      process.on('SIGTERM', () => say('term', () => process.exit(0)));
      process.stdin.resume().on('end', () => say('eof'));
    `;
    const stubborn = `
      process.on('SIGTERM', () => say('term'));
      process.stdin.resume().on('end', () => say('eof'));
    `;

    it.each([
      ['ends stdin first, which is enough for most', polite, { exitGraceMs: 10_000 }, ['ready', 'eof']],
      ['then sends SIGTERM', deafToEof, { exitGraceMs: 100, termGraceMs: 10_000 }, ['ready', 'eof', 'term']],
      ['then SIGKILL', stubborn, { exitGraceMs: 100, termGraceMs: 200 }, ['ready', 'eof', 'term']],
    ])('%s', async (_name, body, options, words) => {
      const { channel, heard } = start(onLifeline(lifeline, `${body} say('ready');`), options);
      await lifeline.words.first(1);
      channel.close('normal', 'enough');
      expect(await heard.end()).toEqual({ reason: 'enough' });
      await lifeline.deaths.first(1);
      expect(lifeline.words.items).toEqual(words);
    });

    it('takes grandchildren along, also those that ignore SIGTERM', async () => {
      const grandchild = onLifeline(lifeline, `process.on('SIGTERM', () => say('term')); say('grandchild');`);
      const { channel, heard } = start(
        onLifeline(
          lifeline,
          `
        require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(grandchild[2])}], { stdio: 'inherit' });
        process.stdin.resume().on('end', () => process.exit(0));
      `,
        ),
        { termGraceMs: 100 },
      );
      await lifeline.words.first(1);
      channel.close('normal', 'enough');
      await heard.end();
      await lifeline.deaths.first(2);
      expect(lifeline.words.items).toEqual(['grandchild', 'term']);
    });

    it('reads on, so that a child that still writes can leave', async () => {
      const { channel, heard } = start(
        onLifeline(
          lifeline,
          `
        say('ready');
        process.stdin.resume().on('end', () => process.stdout.write('x'.repeat(4_000_000), () => process.exit(0)));
      `,
        ),
        { exitGraceMs: 10_000 },
      );
      await lifeline.words.first(1);
      channel.pause();
      channel.close('normal', 'enough');
      await heard.end();
      expect(heard.calls).toEqual(['end']);
    });
  });

  it('kills every group at once when we have to go', async () => {
    const stubborn = `process.on('SIGTERM', () => {}); process.stdin.resume(); say('ready');`;
    const first = start(onLifeline(lifeline, stubborn));
    const second = start(onLifeline(lifeline, stubborn));
    await lifeline.words.first(2);
    killAllChildren();
    expect(await first.heard.end()).toMatchObject({ reason: 'agent exited (signal SIGKILL)' });
    expect(await second.heard.end()).toMatchObject({ reason: 'agent exited (signal SIGKILL)' });
    await lifeline.deaths.first(2);
  });

  it('gives a child our environment and its own, but no secret of the gateway', async () => {
    vi.stubEnv('PATCHBAY_TOKEN', 'secret-1');
    vi.stubEnv('PATCHBAY_TOKEN_FILE', 'secret-2');
    vi.stubEnv('patchbay_token', 'secret-3');
    vi.stubEnv('OURS', 'kept');
    const { heard } = start([process.execPath, '-p', 'JSON.stringify(process.env)'], {
      env: { THEIRS: 'given', PATCHBAY_TOKEN: 'secret-4' },
    });
    const [text = ''] = await heard.frames.first(1);
    vi.unstubAllEnvs();
    expect(JSON.parse(text)).toMatchObject({ OURS: 'kept', THEIRS: 'given' });
    expect(text).not.toContain('secret-');
  });

  it('runs no shell', async () => {
    const { heard } = start([process.execPath, '-p', 'JSON.stringify(process.argv[1])', '$(id); `id` | id']);
    expect(await heard.frames.first(1)).toEqual([JSON.stringify('$(id); `id` | id')]);
  });
});

it('the end comes although a grandchild never stops writing into the pipe', async () => {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  // No process has this number.
  const child = Object.assign(new EventEmitter(), { pid: 2 ** 30, stdin, stdout, stderr });
  const options = { label: 'endless', command: ['none'] } as const;
  const channel = spawnChannel(options, () => child as unknown as ChildProcess);
  const heard = record();
  channel.open(heard.receiver);
  const more = () => {
    if (stdout.destroyed) return;
    stdout.write('{"more":1}\n'.repeat(5000));
    setImmediate(more);
  };
  more();
  child.emit('exit', 7, null);
  expect(await heard.end()).toEqual({ reason: 'agent exited (code 7)' });
});
