// What holds for every script of the demo agent: legal order, checkable figures, bounded work, the same every time,
// and a well-formed ending wherever it is cut.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { demo } from '../../../src/adapters/demo/index.ts';
import { costOf } from '../../../src/adapters/demo/models.ts';
import { verbs } from '../../../src/adapters/demo/script-verbs.ts';
import { emptyTranscript, fold } from '../../../src/core/log/fold.ts';
import { verify } from '../../../src/core/log/grammar.ts';
import { createRepair } from '../../../src/core/log/repair.ts';
import { GatewayError } from '../../../src/core/model/errors.ts';
import { Event } from '../../../src/core/model/event.ts';
import { only, outline, play, promptOf, startDemo, textOf } from './driver.ts';

const names = verbs.map(({ name }) => name);
const lawful = names.filter((name) => name !== 'badorder');
const ending = lawful.filter((name) => name !== 'hang' && name !== 'die');
const words = fc.array(fc.constantFrom('hello', '2', ...lawful.filter((name) => name !== 'die')), { maxLength: 5 });
const scripts = words.map((list) => list.join(' '));

/** Legal in itself, and nothing left open. */
function expectClosed(events: readonly Event[]): void {
  const { faults, end } = verify(events);
  expect(faults).toEqual([]);
  const { run, turn, open, approvals, dialogs, compaction, retry } = end;
  expect({ run, turn, compaction, retry }).toEqual({ run: null, turn: false, compaction: null, retry: null });
  expect([open.size, approvals.size, dialogs.size]).toEqual([0, 0, 0]);
}

/** Each tool that is announced or started ends once, and each end is followed by its result. */
function expectAnswered(events: readonly Event[]): void {
  const announced = only(events, 'block-start').flatMap(({ block }) => (block.kind === 'tool-call' ? [block.id] : []));
  const ended = only(events, 'tool-end').map(({ call }) => call);
  const results = only(events, 'message-added').flatMap((event) => (event.role === 'tool' ? [event.call] : []));
  expect([...ended].sort()).toEqual([...announced].sort());
  expect(results).toEqual(ended);
}

test.each(ending)('%s is legal and leaves nothing open', (prompt) => {
  const events = play(prompt);
  expectClosed(events);
  expectAnswered(events);
});

test('any script is legal', () => {
  fc.assert(
    fc.property(scripts, (prompt) => {
      expect(verify(play(prompt)).faults).toEqual([]);
    }),
    { numRuns: 60 },
  );
});

test('every event is one that core knows and the adapter declares', () => {
  const driver = startDemo();
  for (const name of names.filter((verb) => verb !== 'hang' && verb !== 'die')) {
    driver.send(promptOf(name));
    driver.settleDown();
  }
  driver.send({ type: 'compact' });
  driver.settleDown();
  driver.send({ type: 'bash', command: 'ls' });
  driver.send({ type: 'new-session' });
  for (const event of driver.events) expect(Event.parse(event)).toEqual(event);
  expect(new Set(driver.events.map(({ type }) => type))).toEqual(new Set(demo.can.events));
});

test('badorder: the core repairs it, and all text survives', () => {
  const transcript = emptyTranscript();
  const repaired: Event[] = [];
  const notes: string[] = [];
  const admit = createRepair({
    transcript,
    append(event) {
      repaired.push(event);
      fold(transcript, { seq: repaired.length, at: 0, event });
    },
    note: (level, text) => notes.push(`${level} ${text}`),
  });
  const events = play('badorder');
  expect(verify(events).faults.length).toBeGreaterThan(0);
  for (const event of events) admit(event);
  expectClosed(repaired);
  expect(textOf(repaired)).toBe(textOf(events));
  expect(notes.length).toBeGreaterThan(0);
});

describe('cut anywhere', () => {
  const legal = lawful.filter((name) => !['die', 'long', 'text', 'help'].includes(name));

  test.each([...legal, 'long 300', 'think tools 2 ask subagent', 'compact retry 2'])('%s', (prompt) => {
    for (let at = 0; ; at += 1) {
      const driver = startDemo();
      driver.send(promptOf(prompt));
      const reached = driver.settleDown(at);
      const wasOver = driver.events.at(-1)?.type === 'run-end';
      expect(driver.send({ type: 'abort', target: 'run' })).toEqual({ ok: true });
      const cut = driver.events.slice(1);
      expectClosed(cut);
      expectAnswered(cut);
      for (const event of cut) expect(Event.safeParse(event).success).toBe(true);
      if (!wasOver) expect(outline(cut)).toMatch(/turn-end aborted$/u);
      // Nothing comes after the end, and the agent takes the next prompt.
      expect(driver.settleDown()).toBe(0);
      expect(driver.send(promptOf('hi'))).toEqual({ ok: true });
      driver.settleDown();
      expectClosed(driver.events.slice(1));
      if (reached < at) return;
    }
  });

  test('steered anywhere, it answers once and says everything else as well', () => {
    for (const prompt of [
      'long 30',
      'think tool',
      'tools 2',
      'retry 2 compact',
      'select',
      'ask',
      'subagent',
      'think',
    ]) {
      const uncut = textOf(play(prompt));
      const steps = startDemo();
      steps.send(promptOf(prompt));
      const all = steps.settleDown();
      for (let at = 0; at < all; at += 1) {
        const driver = startDemo();
        driver.send(promptOf(prompt));
        driver.settleDown(at);
        driver.send({ type: 'steer', content: [{ type: 'text', text: 'left' }] });
        driver.settleDown();
        const events = driver.events.slice(1);
        expectClosed(events);
        // No block is opened for a rest that is empty.
        expect(outline(events)).not.toContain('text /');
        expect(only(events, 'queue-changed').at(-1)?.steering).toEqual([]);
        expect(textOf(events).split('You steered me: left')).toHaveLength(2);
        expect(
          textOf(events)
            .replace('You steered me: left', '')
            .replace(/That is all\.$/u, ''),
        ).toBe(uncut.replace(/That is all\.$/u, ''));
      }
    }
  });

  test('any script, steered and followed up and aborted at any time', () => {
    const content = [{ type: 'text' as const, text: 'tool' }];
    const times = fc.array(fc.nat({ max: 60 }), { minLength: 3, maxLength: 3 });
    fc.assert(
      fc.property(scripts, times, (prompt, pauses) => {
        const driver = startDemo();
        driver.send(promptOf(prompt));
        const commands = [
          { type: 'steer', content },
          { type: 'follow-up', content },
          { type: 'abort', target: 'run' },
        ] as const;
        for (const [at, command] of commands.entries()) {
          driver.settleDown(pauses[at]);
          expect(driver.send(command)).toEqual({ ok: true });
        }
        expectClosed(driver.events.slice(1));
        expectAnswered(driver.events);
        expect(driver.settleDown()).toBe(0);
      }),
      { numRuns: 60 },
    );
  });
});

describe('bounded work', () => {
  test('long 50000 delivers 50,000 deltas, few at a time', () => {
    const driver = startDemo();
    driver.send(promptOf('long 50000'));
    driver.settleDown();
    expect(only(driver.events, 'block-delta')).toHaveLength(50_000);
    expect(driver.perWake.length).toBeGreaterThan(190);
    expect(Math.max(...driver.perWake)).toBeLessThanOrEqual(260);
    expect(textOf(driver.events)).toBe(Array.from({ length: 50_000 }, (_, at) => `${at + 1} `).join(''));
    expectClosed(driver.events);
  });

  const hugePrompt = `${'x'.repeat(100_000)} ${'y '.repeat(100_000)}`;
  test.each([...names, 'tools 20', hugePrompt].map((prompt) => ({ prompt, name: prompt.slice(0, 20) })))(
    '$name',
    ({ prompt }) => {
      const driver = startDemo({ paceMs: 0 });
      driver.send(promptOf(prompt));
      driver.settleDown();
      expect(Math.max(...driver.perWake)).toBeLessThanOrEqual(260);
    },
  );
});

test('two agents with the same surroundings say the same', () => {
  const everything = names.filter((name) => name !== 'hang' && name !== 'die' && name !== 'fail').join(' ');
  expect(play(everything)).toEqual(play(everything));
});

describe('figures', () => {
  const tokens = (text: string) => Math.ceil(text.length / 4);

  test('every message can be checked from the wire alone', () => {
    const driver = startDemo();
    for (const prompt of ['hello', 'think tool', 'tools 2 subagent', 'fail', 'ask']) {
      driver.send(promptOf(prompt));
      driver.settleDown();
    }
    const lanes = new Map<string, { read: number; unread: number; said: string; model: string | undefined }>();
    const empty = { read: 0, unread: 0, said: '', model: undefined };
    let messages = 0;
    for (const event of driver.events) {
      if (!('parent' in event) && !/^(message|block)/u.test(event.type)) continue;
      const lane = 'parent' in event ? (event.parent ?? '') : '';
      const state = lanes.get(lane) ?? { ...empty };
      lanes.set(lane, state);
      if (event.type === 'message-added') {
        state.unread += tokens(event.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n'));
      }
      if (event.type === 'message-start') {
        expect(event.usage).toEqual({ input: state.unread, output: 0, cacheRead: state.read, cacheWrite: 0 });
        state.model = event.model;
        state.said = '';
      }
      if (event.type === 'block-delta') state.said += event.delta;
      if (event.type !== 'message-end') continue;
      const usage = { input: state.unread, output: tokens(state.said), cacheRead: state.read, cacheWrite: 0 };
      expect(event.usage).toEqual(usage);
      expect(event.cost).toEqual(costOf(state.model, usage));
      state.read += state.unread + usage.output;
      state.unread = 0;
      messages += 1;
    }
    expect(messages).toBeGreaterThan(10);
  });

  test('usage-changed sums what ended, cut messages included', () => {
    const driver = startDemo();
    driver.send(promptOf('subagent'));
    driver.settleDown();
    driver.send(promptOf('hang'));
    driver.send({ type: 'abort', target: 'run' });
    driver.send(promptOf('usage'));
    driver.settleDown();
    const transcript = emptyTranscript();
    for (const event of driver.events) {
      if (event.type === 'usage-changed') break;
      fold(transcript, { seq: 1, at: 0, event });
    }
    const [told] = only(driver.events, 'usage-changed');
    expect(told?.usage).toEqual(transcript.usage);
    expect(told?.cost?.total).toBeCloseTo(transcript.cost, 12);
    expect(told).toMatchObject({ contextWindow: 100_000 });
    const { input, output, cacheRead } = transcript.usage;
    expect(told?.sessionTokens).toBe(input + output + cacheRead);
  });

  test('prices are dollars for a million tokens', () => {
    const usage = { input: 1_000_000, output: 2_000_000, cacheRead: 0, cacheWrite: 0 };
    expect(costOf('demo-medium', usage)).toEqual({ total: 33, input: 3, output: 30, cacheRead: 0 });
  });

  test('after a compaction the next message reads the summary', () => {
    const driver = startDemo();
    driver.send(promptOf('text 4000'));
    driver.settleDown();
    driver.send(promptOf('compact'));
    driver.settleDown();
    const [end] = only(driver.events, 'compaction-end');
    expect(end?.tokensBefore).toBe(3 + 1_000 + 2);
    expect(end?.tokensAfter).toBe(tokens(end?.summary ?? ''));
    expect(only(driver.events, 'message-start').at(-1)?.usage).toMatchObject({ input: 0, cacheRead: end?.tokensAfter });
  });
});

describe('options', () => {
  const env = { now: () => 0, id: (kind: string) => kind };
  const firstPause = (options: Record<string, unknown>) =>
    demo.agent
      ?.backend(env, options)
      .encode(promptOf('hi'), 'c')
      .find((action) => action.do === 'timer');

  test.each([
    [{}, 15],
    [{ paceMs: 0 }, 0],
    [{ paceMs: '250' }, 250],
  ])('%j waits %i ms', (options, ms) => {
    expect(firstPause(options)).toEqual({ do: 'timer', id: 'play', ms });
  });

  test.each([{ paceMs: -1 }, { paceMs: 'fast' }, { paceMs: '' }, { paceMs: 1e9 }, { paceMs: '9999999' }, { pace: 1 }])(
    '%j is invalid',
    (options) => {
      expect(() => demo.agent?.backend(env, options)).toThrow(GatewayError);
    },
  );

  test('frames, strange timers and early wakes change nothing', () => {
    const driver = startDemo({ answering: () => null });
    driver.send(promptOf('select'));
    const { backend } = driver;
    const frame = { bytes: new Uint8Array(), text: '', json: null, from: () => frame };
    expect(backend.decode(frame)).toMatchObject([{ do: 'note', level: 'violation' }]);
    expect(backend.onTimer?.('play')).toEqual([]);
    expect(backend.onTimer?.('other')).toEqual([]);
  });
});
