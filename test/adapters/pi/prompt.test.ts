// A prompt and its run: when it is settled, what it may join, and the run that it gets when pi begins none.
import { describe, expect, test } from 'vitest';
import type { Command } from '../../../src/core/model/command.ts';
import { type Bench, bench, shortRun, typesOf, wire } from './harness.ts';

const prompt = (text = 'go', rest: Partial<Command & { type: 'prompt' }> = {}): Command => ({
  type: 'prompt',
  content: [{ type: 'text', text }],
  ...rest,
});
const ok = { ok: true };
const refused = (code: string) => ({ ok: false, error: { code } });
const asks = (id: string, rest: object = {}) => ({
  type: 'extension_ui_request',
  id,
  method: 'select',
  title: 'Which?',
  options: ['a', 'b'],
  ...rest,
});
/** Answers the get_state that was just sent. */
function tellState(pi: Bench, working: boolean): void {
  const [look] = pi.sent();
  expect(look).toMatchObject({ type: 'get_state' });
  pi.feed(wire.response(String(look?.id), 'get_state', { isStreaming: working, isCompacting: false }));
}

describe('a prompt', () => {
  test('is settled by its response', () => {
    const pi = bench();
    pi.command(prompt(), 'c1');
    expect(pi.settled()).toEqual({});
    pi.feed(wire.response('c1', 'prompt'));
    expect(pi.settled()).toEqual({ c1: ok });
  });

  test('is settled by agent_start where no response comes (0.13.2)', () => {
    const pi = bench();
    pi.command(prompt(), 'c1');
    pi.feed(wire.agentStart);
    expect(pi.settled()).toEqual({ c1: ok });
    pi.feed(wire.response('c1', 'prompt'));
    expect(pi.notes()).toEqual([]);
  });

  test('is refused by the first of two responses (until 0.67.3)', () => {
    const pi = bench();
    pi.command(prompt(), 'c1');
    pi.feed(wire.refusal('c1', 'prompt', 'busy'), wire.response('c1', 'prompt'));
    expect(pi.settled()).toMatchObject({ c1: refused('agent-refused') });
    pi.advance(60_000);
    expect([pi.events(), pi.notes(), pi.timers()]).toEqual([[], [], {}]);
  });

  test.each([
    ['while a run is open', (pi: Bench) => pi.feed(wire.agentStart)],
    ['while another waits for its run', (pi: Bench) => pi.command(prompt(), 'c0')],
  ])('%s is refused, unless it joins', (_, before) => {
    const pi = bench();
    before(pi);
    pi.sent();
    pi.command(prompt(), 'c1');
    expect(pi.sent()).toEqual([]);
    expect(pi.settled()).toMatchObject({ c1: refused('busy') });
  });

  test('that could join but need not is a plain one', () => {
    const pi = bench();
    pi.command(prompt('go', { whenBusy: 'steer' }), 'c1');
    expect(pi.sent()).toEqual([{ type: 'prompt', message: 'go', id: 'c1' }]);
  });
});

describe('a prompt that joins a run', () => {
  const stop: Command = { type: 'abort', target: 'run' };
  const join = (pi: Bench) => {
    pi.command(prompt('a', { whenBusy: 'steer' }), 'c1');
    pi.command(prompt('b', { whenBusy: 'follow-up' }), 'c2');
  };
  const joined = [
    { id: 'c1', type: 'prompt', message: 'a', streamingBehavior: 'steer' },
    // A second prompt is lost if both come too late.
    { id: 'c2', type: 'follow_up', message: 'b' },
  ];
  /** A prompt that has no run yet, and two that are to join it. */
  const early = (text = 'go') => {
    const pi = bench();
    pi.command(prompt(text), 'c0');
    join(pi);
    pi.feed(wire.response('c0', 'prompt'));
    expect(pi.sent()).toMatchObject([{ type: 'prompt', id: 'c0' }]);
    expect(pi.settled()).toEqual({ c0: ok });
    return pi;
  };

  test('is sent at once while it is open', () => {
    const pi = bench();
    pi.feed(wire.agentStart);
    join(pi);
    expect(pi.sent()).toEqual(joined);
  });

  test('is a prompt again in the next run, and where it may be a command of an extension', () => {
    const pi = bench();
    for (const text of ['x', 'y']) {
      pi.feed(...shortRun());
      pi.feed(wire.agentStart);
      pi.sent();
      pi.command(prompt(text, { whenBusy: 'steer' }), text);
      pi.command(prompt('/ui', { whenBusy: 'steer' }), `${text}2`);
      expect(pi.sent()).toMatchObject([{ type: 'prompt' }, { type: 'prompt', streamingBehavior: 'steer' }]);
    }
  });

  test('waits until it has begun, for pi would lose it, and is settled by pi', () => {
    const pi = early();
    pi.feed(wire.agentStart);
    expect(pi.sent()).toEqual(joined);
    expect(pi.settled()).toEqual({});
    pi.feed(wire.response('c1', 'prompt'), wire.refusal('c2', 'follow_up', 'no'));
    expect(pi.settled()).toMatchObject({ c1: ok, c2: refused('agent-refused') });
    pi.feed(...shortRun().slice(1));
    pi.advance(60_000);
    expect([pi.sent(), pi.settled()]).toEqual([[], {}]);
  });

  test('is sent to a pi that queued the prompt before it (since 0.99)', () => {
    const pi = bench();
    pi.command(prompt(), 'c0');
    join(pi);
    pi.sent();
    pi.feed(wire.response('c0', 'prompt', { disposition: 'queued' }));
    expect(pi.sent()).toEqual(joined);
  });

  test.each([
    ['is handled', (pi: Bench) => pi.feed(wire.response('c0', 'prompt', { disposition: 'handled' }))],
    ['is refused', (pi: Bench) => pi.feed(wire.refusal('c0', 'prompt', 'no'))],
    ['is never answered', (pi: Bench) => pi.advance(30_000)],
  ])('is handed back where the prompt %s without a run', (_, without) => {
    const pi = bench();
    pi.command(prompt(), 'c0');
    join(pi);
    pi.sent();
    without(pi);
    expect(pi.sent()).toEqual([]);
    expect(pi.settled()).toMatchObject({ c1: refused('unsupported'), c2: refused('unsupported') });
  });

  test.each([
    ['drop', 'aborted'],
    ['keep', undefined],
  ] as const)('and was there before an abort (%s): %s', (waiting, code) => {
    const pi = early();
    pi.command({ ...stop, waiting }, 'c3');
    expect(pi.settled()).toEqual(
      code === undefined
        ? {}
        : expect.objectContaining({ c1: { ok: false, error: expect.objectContaining({ code }) } }),
    );
    pi.feed(wire.agentStart);
    expect(pi.sent()).toEqual([{ type: 'abort', id: 'c3' }]);
  });

  test('is not sent behind an abort, but handed back when the run is over', () => {
    const pi = bench();
    pi.feed(wire.agentStart);
    pi.command(stop, 'c0');
    join(pi);
    expect(pi.sent()).toEqual([{ type: 'abort', id: 'c0' }]);
    pi.feed(...shortRun('aborted').slice(1), wire.response('c0', 'abort'));
    expect(pi.events().at(-1)).toEqual({ type: 'run-end', outcome: 'aborted' });
    expect(pi.sent()).toEqual([]);
    expect(pi.settled()).toMatchObject({ c0: ok, c1: refused('unsupported'), c2: refused('unsupported') });
    pi.feed(wire.agentStart);
    join(pi);
    expect(pi.sent()).toEqual(joined);
  });
});

describe('a prompt that begins no run gets a synthetic one', () => {
  const emptyRun = [
    { type: 'run-start', empty: true, synthetic: true },
    { type: 'run-end', outcome: 'completed', synthetic: true },
  ];

  test.each([
    ['a slash command', '/deploy', 50],
    ['words that an extension handles', 'handled', 1000],
  ])('%s: once pi says that it is idle', (_, text, graceMs) => {
    const pi = bench();
    pi.command(prompt(text), 'c1');
    pi.sent();
    pi.feed(wire.response('c1', 'prompt'));
    pi.advance(graceMs - 1);
    expect(pi.sent()).toEqual([]);
    pi.advance(1);
    tellState(pi, false);
    expect(pi.events()).toEqual(emptyRun);
    expect(pi.timers()).toEqual({});
  });

  test('not while pi says that it works: asked again, more and more seldom', () => {
    const pi = bench();
    pi.command(prompt('/x'), 'c1');
    pi.sent();
    pi.feed(wire.response('c1', 'prompt'));
    for (const pause of [50, 100, 200]) {
      pi.advance(pause);
      tellState(pi, true);
    }
    expect(pi.events()).toEqual([]);
    pi.feed(wire.agentStart);
    pi.advance(10_000);
    expect(pi.sent()).toEqual([]);
    expect(typesOf(pi.events())).toEqual(['run-start']);
  });

  test('not while a dialog is open or a compaction goes on', () => {
    const pi = bench();
    pi.command(prompt('/x'), 'c1');
    pi.feed(asks('d'), wire.response('c1', 'prompt'));
    pi.sent();
    pi.advance(5_000);
    pi.command({ type: 'answer-dialog', id: 'd', answer: { kind: 'value', value: 'a' } }, 'c2');
    pi.feed({ type: 'compaction_start', reason: 'threshold' });
    pi.sent();
    pi.advance(5_000);
    expect(pi.sent()).toEqual([]);
    pi.feed({ type: 'compaction_end' });
    pi.advance(50);
    tellState(pi, false);
    expect(pi.events().slice(-2)).toEqual(emptyRun);
  });

  test('if pi does not answer that question either', () => {
    const pi = bench({ requestTimeoutMs: 500 });
    pi.command(prompt('/x'), 'c1');
    pi.feed(wire.response('c1', 'prompt'));
    pi.advance(550);
    expect(pi.events()).toEqual(emptyRun);
  });

  test.each([
    ['handled', emptyRun],
    ['queued', []],
  ])('disposition %s needs no question (since 0.99)', (disposition, expected) => {
    const pi = bench();
    pi.command(prompt('/x'), 'c1');
    pi.sent();
    pi.feed(wire.response('c1', 'prompt', { disposition }));
    pi.advance(60_000);
    expect(pi.sent()).toEqual([]);
    expect(pi.events()).toEqual(expected);
  });

  test('a run that starts in time is the run', () => {
    const pi = bench();
    pi.command(prompt('/x'), 'c1');
    pi.sent();
    pi.feed(wire.response('c1', 'prompt'), ...shortRun());
    pi.advance(10_000);
    expect(pi.sent()).toEqual([]);
    expect(typesOf(pi.events()).filter((type) => type.startsWith('run'))).toEqual(['run-start', 'run-end']);
  });
});
