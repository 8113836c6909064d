// The runner: verdicts, missing messages, interrupted scenarios, absent peers, time limits, and the ways to reach a
// peer.
import { afterAll, describe, expect, test, vi } from 'vitest';
import { NotApplicable, type Result, type Tools } from '../../src/conformance/check/check.ts';
import type { AgentSet } from '../../src/conformance/check/sets.ts';
import { programsAtOnce } from '../../src/conformance/runner/at-once.ts';
import { watchChannel } from '../../src/conformance/runner/connection.ts';
import { type Progress, type RunOptions, runChecks } from '../../src/conformance/runner/runner.ts';
import type { Program, Target } from '../../src/conformance/runner/target.ts';
import type { Frame, Receiver } from '../../src/core/contract/channel.ts';
import { killAllChildren } from '../../src/transports/child/process-group.ts';
import { contentLength } from '../../src/transports/framing/content-length.ts';
import { createFrame } from '../../src/transports/framing/frame.ts';
import { jsonl } from '../../src/transports/framing/jsonl.ts';
import { memoryPair } from '../../src/transports/memory.ts';
import {
  answered,
  ask,
  CannotTell,
  PeerWrong,
  repeated,
  toyCheck,
  toyScenario,
  toySet,
  toyTarget,
} from './support/toy.ts';

afterAll(killAllChildren);

const quick: RunOptions = { patienceMs: 100 };
const verdictsOf = (results: readonly Result[]) =>
  Object.fromEntries(results.map(({ id, verdict, reason = '' }) => [id, [verdict, reason.split('\n')[0]]]));
const run = async (set: Partial<AgentSet>, target: Target = toyTarget(), options: RunOptions = quick) =>
  verdictsOf(await runChecks(toySet(set), target, options));

/** A program that answers every line with `body`. */
const program = (body: string): Program => ({
  command: [
    process.execPath,
    '-e',
    `const answer = (word) => console.log(JSON.stringify({ answer: word }));
     require('readline').createInterface({ input: process.stdin }).on('line', (line) => { ${body} });`,
  ],
});
const echo = program('answer(JSON.parse(line).ask)');
const stdioTarget = (stdio: Program, more: Partial<Target> = {}): Target => ({
  label: 'program',
  script: new Map(),
  stdio,
  ...more,
});

test('a full server makes checks unclear, not failed', async () => {
  const check = toyCheck('toy/one', async () => {
    throw new PeerWrong('the connection ended (code 1011: session limit reached (100 sessions))');
  });
  const set = { checks: [check], scenarios: [toyScenario('talk', ['one'])], rules: [repeated(['talk'])] };
  const full = toyTarget(() => 'session limit reached (100 sessions)');
  expect(await run(set, full)).toEqual({
    'toy/one': ['unclear', expect.stringMatching(/^the server takes no more of us/u)],
    'toy/repeated': ['unclear', expect.stringMatching(/the server takes no more of us/u)],
  });
});

describe('checks', () => {
  const rows: [string, () => unknown, string][] = [
    ['passed', () => undefined, ''],
    ['failed', () => new PeerWrong('it lies'), 'it lies'],
    ['unclear', () => new CannotTell('who knows'), 'who knows'],
    ['not-applicable', () => new NotApplicable('nothing there'), 'nothing there'],
  ];
  test.each(rows)('%s', async (verdict, thrown, reason) => {
    const check = toyCheck('toy/one', async () => {
      const error = thrown();
      if (error !== undefined) throw error;
    });
    expect(await run({ checks: [check] })).toEqual({ 'toy/one': [verdict, reason] });
  });

  test('an exception in the check is unclear, not failed', async () => {
    const check = toyCheck('toy/one', async () => Promise.reject(new TypeError('x is not a function')));
    const { 'toy/one': one } = await run({ checks: [check] });
    expect(one).toEqual([
      'unclear',
      expect.stringContaining('the check itself failed: TypeError: x is not a function'),
    ]);
  });

  test('a timeout fails and quotes the last messages', async () => {
    const check = toyCheck('toy/one', async (tools) => void (await ask(await tools.connect(), 'hello')));
    const [one] = await runChecks(
      toySet({ checks: [check] }),
      toyTarget(() => null),
      quick,
    );
    expect(one?.verdict).toBe('failed');
    expect(one?.reason).toBe('no answer within 100 ms; the last that was said:\n  us: {"ask":"hello"}');
    expect(one?.conversations.map(({ log }) => log.map(({ by, text }) => [by, text]))).toEqual([
      [['us', '{"ask":"hello"}']],
    ]);
  });

  test('an endless stream of messages still times out', async () => {
    const hear: ((frame: Frame) => void)[] = [];
    const [, channel] = memoryPair();
    const connection = watchChannel({ ...channel, open: ({ frame }) => void hear.push(frame) }, { patienceMs: 20 });
    let looks = 0;
    const answer = connection.until('answer', () => {
      looks += 1;
      return undefined;
    });
    const refused = expect(answer).rejects.toThrow(/^no answer within 20 ms/u);
    const frame = createFrame(Buffer.from('{}'));
    // No timer can run in this loop, so the messages themselves have to end the wait.
    const giveUp = performance.now() + 30_000;
    let before = -1;
    while (looks !== before && performance.now() < giveUp) {
      before = looks;
      for (const tell of hear) tell(frame);
    }
    expect(looks).toBe(before);
    await refused;
  });

  test('a program that starts slowly has longer for its first message than for the next', async () => {
    vi.useFakeTimers();
    try {
      const hear: ((frame: Frame) => void)[] = [];
      const [, channel] = memoryPair();
      const silent = { ...channel, open: ({ frame }: Receiver) => void hear.push(frame) };
      const connection = watchChannel(silent, { patienceMs: 100, startMs: 10_000 });
      const next = (from: number) => () => (connection.log.length > from ? true : undefined);
      const first = connection.until('first', next(0));
      await vi.advanceTimersByTimeAsync(5000);
      for (const tell of hear) tell(createFrame(Buffer.from('{}')));
      expect(await first).toBe(true);
      const second = expect(connection.until('second', next(1))).rejects.toThrow(/^no second within 100 ms/u);
      await vi.advanceTimersByTimeAsync(200);
      await second;
    } finally {
      vi.useRealTimers();
    }
  });

  test('a hanging check is abandoned after its time limit', async () => {
    const check = toyCheck('toy/one', () => new Promise(() => {}));
    expect(await run({ checks: [check] }, toyTarget(), { ...quick, limitMs: 50 })).toEqual({
      'toy/one': ['unclear', 'it took longer than 50 ms'],
    });
  });

  test('runs the selected checks, in the order of the set', async () => {
    const tried: string[] = [];
    const checks = ['a', 'b', 'c'].map((name) => toyCheck(`toy/${name}`, async () => void tried.push(name)));
    const results = await runChecks(toySet({ checks }), toyTarget(), { ...quick, only: ({ id }) => id !== 'toy/b' });
    expect([results.map(({ id }) => id), tried]).toEqual([
      ['toy/a', 'toy/c'],
      ['a', 'c'],
    ]);
  });

  test.each<[string, Parameters<typeof toyCheck>[2], string]>([
    ['a word that there is no prompt for', { script: ['nope'] }, "there is no prompt for 'nope'"],
    ['bounds that cannot be set', { settings: { few: 1 } }, 'its bounds cannot be set: few'],
    ['another transport', { transport: 'stdio' }, 'there is no way to reach it over stdio'],
    ['bytes as they stand', { raw: true }, 'what is sent over memory has frames of its own'],
    ['binary messages', { binary: true }, 'no binary message can be sent'],
  ])('%s makes the check not applicable', async (_name, needs, reason) => {
    const check = toyCheck('toy/one', async () => {}, needs);
    expect(await run({ checks: [check] })).toEqual({ 'toy/one': ['not-applicable', reason] });
  });

  test('a check that needs limits is unclear without them', async () => {
    const refuses = async () => Promise.reject(new PeerWrong('refused: too many'));
    const checks = [toyCheck('toy/one', refuses), toyCheck('toy/two', refuses, { settings: { few: 1 } })];
    const target = toyTarget(undefined, { settings: () => ({}) });
    expect(await run({ checks, excuse: /too many/u }, target)).toEqual({
      'toy/one': ['unclear', 'refused: too many'],
      'toy/two': ['failed', 'refused: too many'],
    });
  });
});

describe('scenarios and rules', () => {
  const rules = [answered(['talk']), repeated(['talk', 'other'])];
  const client = toyScenario('talk', ['one', 'two']);

  test('rules read the conversations of scenarios', async () => {
    expect(await run({ rules, scenarios: [client] })).toEqual({
      'toy/answered': ['passed', ''],
      'toy/repeated': ['passed', ''],
    });
  });

  test('a violation names its message and its scenario', async () => {
    const target = toyTarget((word) => (word === 'two' ? 'too' : word));
    const [, repeats] = await runChecks(toySet({ rules, scenarios: [client] }), target, quick);
    expect(repeats).toMatchObject({
      verdict: 'failed',
      reason: "'too' is not 'two'",
      breaches: [{ conversation: 0, message: 3, says: "'too' is not 'two'" }],
      conversations: [{ scenario: 'talk' }],
    });
  });

  test('a missing message fails exactly the rule that requires it', async () => {
    const target = toyTarget((word) => (word === 'one' ? null : word));
    expect(await run({ rules, scenarios: [client] }, target)).toEqual({
      'toy/answered': ['failed', 'no answer within 100 ms; the last that was said:'],
      'toy/repeated': ['unclear', 'talk broke off: no answer within 100 ms; the last that was said:'],
    });
  });

  test('an interrupted scenario does not affect a rule with findings elsewhere', async () => {
    const target = toyTarget((word) => (word === 'one' ? 'close' : word));
    const { 'toy/repeated': repeats } = await run(
      { rules, scenarios: [client, toyScenario('other', ['three'])] },
      target,
    );
    expect(repeats).toEqual(['passed', '']);
  });

  test('a rule without findings is not applicable, with the reason of its scenario', async () => {
    const scenarios = [toyScenario('talk', ['one'], { script: ['nope'] }), toyScenario('other', [])];
    expect(await run({ rules, scenarios })).toEqual({
      'toy/answered': ['not-applicable', "there is no prompt for 'nope'"],
      'toy/repeated': ['not-applicable', "there is no prompt for 'nope'"],
    });
  });

  test('runs only the scenarios of selected rules', async () => {
    const told: string[] = [];
    const options: RunOptions = {
      ...quick,
      only: ({ id }) => id === 'toy/answered',
      progress: ({ id, phase }) => void told.push(`${phase} ${id}`),
    };
    await runChecks(toySet({ rules, scenarios: [client, toyScenario('other', ['three'])] }), toyTarget(), options);
    expect(told).toEqual(['started scenario talk', 'finished scenario talk']);
  });
});

describe('progress and stopping', () => {
  test('reports starts and ends, with counts and verdicts', async () => {
    const told: Progress[] = [];
    const checks = [toyCheck('toy/a', async () => {}), toyCheck('toy/b', () => Promise.reject(new PeerWrong('bad')))];
    await runChecks(toySet({ checks }), toyTarget(), { ...quick, atOnce: 1, progress: (one) => void told.push(one) });
    expect(told).toEqual([
      { id: 'toy/a', phase: 'started', done: 0, of: 2 },
      { id: 'toy/a', phase: 'finished', verdict: 'passed', done: 1, of: 2 },
      { id: 'toy/b', phase: 'started', done: 1, of: 2 },
      { id: 'toy/b', phase: 'finished', verdict: 'failed', reason: 'bad', done: 2, of: 2 },
    ]);
  });

  test('a stopped run returns the results so far', async () => {
    const stop = new AbortController();
    const checks = [
      toyCheck('toy/a', async () => {}),
      toyCheck('toy/b', () => {
        stop.abort();
        return new Promise(() => {});
      }),
      toyCheck('toy/c', async () => {}),
    ];
    expect(await run({ checks }, toyTarget(), { ...quick, atOnce: 1, signal: stop.signal })).toEqual({
      'toy/a': ['passed', ''],
      'toy/b': ['unclear', 'the run was stopped'],
      'toy/c': ['unclear', 'it was not tried: the run was stopped'],
    });
  });
});

describe('a peer that may be absent', () => {
  const wary: RunOptions = { ...quick, atOnce: 1, mayBeNobody: true };
  const hello = (id: string) => toyCheck(id, async (tools) => void (await ask(await tools.connect(), id)));
  const checks = [hello('toy/a'), hello('toy/b')];

  test('is unclear as long as nothing was received, and is not tried again', async () => {
    expect(
      await run(
        { checks },
        toyTarget(() => null),
        wary,
      ),
    ).toEqual({
      'toy/a': ['unclear', expect.stringMatching(/^nothing was heard of the peer: no answer within 100 ms/u)],
      'toy/b': ['unclear', expect.stringMatching(/^it was not tried: nothing was heard of the peer: no answer/u)],
    });
  });

  test('unreadable output is not a message', async () => {
    const memory = () => {
      const channel = toyTarget(() => null).memory?.() ?? expect.unreachable();
      const open: typeof channel.open = (receiver) => {
        channel.open(receiver);
        receiver.fault({ code: 'too-large', message: 'a frame of 9 MiB' });
      };
      return { ...channel, open };
    };
    const { 'toy/a': first } = await run({ checks: [hello('toy/a')] }, toyTarget(undefined, { memory }), wary);
    expect(first).toEqual([
      'unclear',
      expect.stringMatching(/^nothing but what is no frame was heard of the peer: no answer/u),
    ]);
  });

  test('counts as present after its first message', async () => {
    const target = toyTarget((word) => (word === 'toy/a' ? word : null));
    const { 'toy/b': second } = await run({ checks }, target, wary);
    expect(second?.[0]).toBe('failed');
  });
});

describe('programs on stdio', () => {
  const atStdio = (body: (tools: Parameters<Parameters<typeof toyCheck>[1]>[0]) => Promise<void>, needs = {}) =>
    toyCheck('toy/one', body, { transport: 'stdio', ...needs });

  test('a missing program is unclear, with the reason', async () => {
    const check = atStdio(async (tools) => void (await ask(await tools.connect(), 'hello')));
    const results = await run({ checks: [check] }, stdioTarget({ command: ['/nowhere/agent'] }));
    expect(results['toy/one']).toEqual(['unclear', expect.stringMatching(/^it cannot be reached: .*ENOENT/u)]);
  });

  test('the result of a program that exits quotes its stderr', async () => {
    const dying = program('console.error("I have no key"); process.exit(3)');
    const check = atStdio(async (tools) => void (await ask(await tools.connect(), 'hello')));
    const [one] = await runChecks(toySet({ checks: [check] }), stdioTarget(dying), { patienceMs: 5000 });
    expect(one?.verdict).toBe('failed');
    expect(one?.reason).toMatch(/exited \(code 3\).*; it said:\n {2}I have no key$/su);
  });

  test('each scenario gets a program of its own, and checks share one unless they need their own', async () => {
    const counting = program('globalThis.count = (globalThis.count ?? 0) + 1; answer(String(globalThis.count))');
    const said: string[] = [];
    const asks = async (tools: Parameters<Parameters<typeof toyCheck>[1]>[0]) =>
      void said.push(String(await ask(await tools.connect(), 'count')));
    const checks = [toyCheck('toy/a', asks), toyCheck('toy/b', asks), toyCheck('toy/c', asks, { exclusive: true })];
    const scenarios = ['d', 'e'].map((name) => ({ name, title: name, run: asks }));
    const set = toySet({ checks, scenarios, rules: [answered(['d', 'e'])] });
    await runChecks(set, stdioTarget(counting), { patienceMs: 5000, atOnce: 1 });
    expect(said).toEqual(['1', '2', '1', '1', '1']);
  });

  test('four programs run at once, and no more', { timeout: 60_000 }, async () => {
    let [running, most] = [0, 0];
    let areFour = () => {};
    const four = new Promise<void>((resolve) => {
      areFour = resolve;
    });
    const waits = async (tools: Tools) => {
      running += 1;
      most = Math.max(most, running);
      await ask(await tools.connect(), 'hello');
      if (running === programsAtOnce) areFour();
      await four;
      running -= 1;
    };
    const checks = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => toyCheck(`toy/${name}`, waits, { exclusive: true }));
    const results = await runChecks(toySet({ checks }), stdioTarget(echo), { patienceMs: 5000, limitMs: 20_000 });
    expect(results.map(({ verdict }) => verdict)).toEqual(checks.map(() => 'passed'));
    expect([most, programsAtOnce]).toEqual([4, 4]);
  });

  test('a program is not reused after a failed check', async () => {
    const counting = program('globalThis.count = (globalThis.count ?? 0) + 1; answer(String(globalThis.count))');
    const said: string[] = [];
    const asks = (thrown?: Error) => async (tools: Tools) => {
      said.push(String(await ask(await tools.connect(), 'count')));
      if (thrown !== undefined) throw thrown;
    };
    const checks = [
      toyCheck('toy/a', asks(new NotApplicable('nothing there'))),
      toyCheck('toy/b', asks(new PeerWrong('it lies'))),
      toyCheck('toy/c', asks(new CannotTell('who knows'))),
      toyCheck('toy/d', asks()),
      toyCheck('toy/e', asks()),
    ];
    await runChecks(toySet({ checks }), stdioTarget(counting), { patienceMs: 5000, atOnce: 1 });
    expect(said).toEqual(['1', '2', '1', '1', '2']);
  });

  const raw = '{"ask":"raw"}';
  test.each([
    ['JSON lines', jsonl, `{"ask":"framed"}\n${raw}`],
    ['headers', contentLength, `Content-Length: 16\r\n\r\n{"ask":"framed"}${raw}`],
  ])('bytes can be sent as they stand, beside frames with %s', async (_name, framing, expected) => {
    const check = atStdio(
      async (tools) => {
        const connection = await tools.connect();
        connection.send('{"ask":"framed"}');
        connection.sendRaw?.(raw);
        await connection.until('echo', () => connection.log.find(({ by }) => by === 'peer'));
      },
      { raw: true },
    );
    const body = `let all = '';
      process.stdin.on('data', (chunk) => {
        all += chunk;
        if (!all.endsWith('${raw}')) return;
        const text = JSON.stringify({ heard: all });
        process.stdout.write(${framing === jsonl} ? text + '\\n' : 'Content-Length: ' + text.length + '\\r\\n\\r\\n' + text);
      });`;
    const target = stdioTarget({ command: [process.execPath, '-e', body] }, { framing });
    const [one] = await runChecks(toySet({ checks: [check] }), target, { patienceMs: 5000 });
    expect([one?.verdict, one?.reason]).toEqual(['passed', undefined]);
    expect(one?.conversations[0]?.log.at(-1)?.json).toEqual({ heard: expected });
  });

  test('variables can be set and removed', async () => {
    process.env.PATCHBAY_TOY_SECRET = 'secret';
    const telling = {
      ...program('answer([process.env.PATCHBAY_TOY_SECRET, process.env.PATCHBAY_TOY].join())'),
      env: {},
    };
    const env = { PATCHBAY_TOY_SECRET: undefined, PATCHBAY_TOY: 'given' };
    const check = atStdio(async (tools) => {
      const said = await ask(await tools.connect(), 'env');
      if (said !== ',given') throw new PeerWrong(String(said));
    });
    const results = await run({ checks: [check] }, stdioTarget({ ...telling, env }), { patienceMs: 5000 });
    expect(results).toEqual({ 'toy/one': ['passed', ''] });
  });

  test('a fault of a program that has answered is its failure', async () => {
    const check = atStdio(async (tools) => {
      if ((await ask(await tools.connect(), 'hello')) !== 'hello') throw new PeerWrong('no echo');
    });
    expect(await run({ checks: [check] }, stdioTarget(echo), { patienceMs: 5000, mayBeNobody: true })).toEqual({
      'toy/one': ['passed', ''],
    });
  });
});
