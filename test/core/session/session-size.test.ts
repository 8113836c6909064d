// How much a session keeps, and all sessions together (docs/limits.md 5.2, 5.3); and that an agent which is given up is
// given up at once (docs/faults.md F4).
import { describe, expect, test } from 'vitest';
import { measureTranscript } from '../../../src/core/log/transcript-size.ts';
import type { Event } from '../../../src/core/model/event.ts';
import { createTranscriptBudget } from '../../../src/core/session/transcript/transcript-budget.ts';
import { createSessionRig, type RigOptions } from '../../support/core/session-rig.ts';
import { createVirtualClock } from '../../support/core/virtual-clock.ts';

const mebibyte = 1024 * 1024;
const said = (characters: number): Event => ({ type: 'block-delta', index: 0, delta: 'x'.repeat(characters) });
const opening: Event[] = [
  { type: 'turn-start' },
  { type: 'message-start', id: 'm' },
  { type: 'block-start', index: 0, block: { kind: 'text' } },
];

/** A session in a run, with an open block of text. */
function speaking(options: RigOptions = {}) {
  const rig = createSessionRig(options);
  rig.prompt('one');
  rig.run();
  rig.agent.say(...opening);
  rig.log();
  return rig;
}

const limits = { transcriptBytes: mebibyte };
const sentence = 'the session keeps more than 1 MiB of conversation, which is its limit (transcriptBytes)';

describe('a session that keeps too much', () => {
  function full() {
    const rig = speaking({ limits });
    // The agent never goes by itself, and everybody is told all the same.
    Object.assign(rig.agent.channel, { close: () => {} });
    rig.prompt('two', 'queue');
    for (let count = 0; count < 9; count += 1) rig.agent.say(said(mebibyte / 16));
    return rig;
  }

  test('its run fails with the reason, what waits is refused, and the agent is not heard any more', () => {
    const rig = full();
    const { agent } = rig;
    rig.clock.advance(0);
    expect(rig.log().slice(-4)).toEqual(['+message-end error', '+turn-end', '+run-end failed', 'agent-changed down']);
    expect(rig.session.transcript.items.at(-1)).toMatchObject({
      logged: { event: { type: 'run-end', failure: { message: sentence } } },
    });
    expect(rig.answers).toEqual(['one: ok', 'two: agent-down']);
    expect(rig.problems).toEqual([sentence]);
    agent.say(said(10), { type: 'run-end', outcome: 'completed' });
    agent.wire.end({ reason: 'agent exited (signal SIGKILL)' });
    expect(rig.log()).toEqual([]);
    expect(rig.session.state).toBe('down');
  });

  test('takes no more work and says why, until its conversation is replaced', () => {
    const rig = full();
    rig.clock.advance(0);
    rig.prompt('three');
    rig.submit({ type: 'follow-up', content: [{ type: 'text', text: 'four' }] });
    expect(rig.answers.slice(2)).toEqual(['three: limit', 'follow-up: limit']);
    expect(rig.problems.at(-1)).toBe(`${sentence}; start a new one`);
    rig.submit({ type: 'abort', target: 'retry' });
    rig.agent.say({ type: 'history-reset', reason: 'new' });
    expect(rig.session.transcript.bytes).toBe(measureTranscript(rig.session.transcript));
    rig.prompt('five');
    rig.run();
    expect(rig.answers.at(-1)).toBe('five: ok');
  });

  test('may be asked about: the agent that answers is stopped only if the session grows on', () => {
    const rig = full();
    rig.clock.advance(0);
    rig.submit({ type: 'abort', target: 'retry' });
    const added = (characters: number): Event => ({
      type: 'message-added',
      role: 'user',
      content: [{ type: 'text', text: 'x'.repeat(characters) }],
    });
    rig.agent.say(added(1000));
    rig.clock.advance(0);
    expect(rig.session.state).not.toBe('down');
    rig.agent.say(added(mebibyte));
    rig.clock.advance(0);
    expect(rig.session.state).toBe('down');
  });

  test.each<[string, Event[]]>([
    [
      'output of a tool',
      [{ type: 'tool-update', call: 'a', mode: 'append', content: [{ type: 'text', text: 'x'.repeat(mebibyte) }] }],
    ],
    ['arguments', [{ type: 'tool-start', call: 'b', name: 'look', input: { all: 'x'.repeat(mebibyte) } }]],
    ['a dialog', [{ type: 'dialog-request', id: 'd', kind: 'input', title: 'x'.repeat(mebibyte) }]],
    ['a display', [{ type: 'display', place: 'widget', key: 'k', lines: ['x'.repeat(mebibyte)] }]],
    ['a fact', [{ type: 'session-changed', changes: { welcome: 'x'.repeat(mebibyte) } }]],
    [
      'many small things',
      Array.from({ length: 9000 }, (_, at): Event => ({ type: 'tool-start', call: `c${at}`, name: 'n', input: {} })),
    ],
  ])('by %s', (_name, events) => {
    const rig = speaking({ limits });
    rig.agent.say(
      { type: 'message-end', stop: { reason: 'tool-use' } },
      { type: 'tool-start', call: 'a', name: 'look', input: {} },
    );
    rig.clock.advance(0);
    expect(rig.session.state).toBe('running');
    rig.agent.say(...events);
    rig.clock.advance(0);
    expect(rig.session.state).toBe('down');
  });

  test('what is taken back does not count: output that replaces output, and tools that are done', () => {
    const rig = speaking({ limits });
    rig.agent.say(
      { type: 'message-end', stop: { reason: 'tool-use' } },
      { type: 'tool-start', call: 'a', name: 'look', input: {} },
    );
    for (let count = 0; count < 100; count += 1) {
      const content = [{ type: 'text' as const, text: 'x'.repeat(mebibyte / 4) }];
      rig.agent.say({ type: 'tool-update', call: 'a', mode: 'replace', content });
    }
    rig.clock.advance(0);
    expect(rig.session.state).toBe('running');
  });
});

describe('all sessions together', () => {
  function three() {
    const clock = createVirtualClock();
    const budget = createTranscriptBudget(3 * mebibyte, () => {});
    const rigs = [0, 1, 2].map(() => speaking({ clock, budget }));
    const say = (at: number, characters: number) => rigs[at]?.agent.say(said(characters));
    const states = () => rigs.map(({ session }) => session.state);
    return { clock, budget, rigs, say, states };
  }

  test('the largest ends with the reason, although another has said the last word', () => {
    const { clock, rigs, say, states } = three();
    say(0, mebibyte);
    say(1, mebibyte / 4);
    clock.advance(0);
    expect(states()).toEqual(['running', 'running', 'running']);
    say(2, mebibyte / 2);
    clock.advance(0);
    expect(states()).toEqual(['closed', 'running', 'running']);
    const why = 'the sessions of this gateway keep more than 3 MiB of conversation, and this one keeps the most';
    expect(rigs[0]?.session.transcript.items.at(-1)).toMatchObject({
      logged: { event: { type: 'run-end', outcome: 'failed', failure: { message: why } } },
    });
    expect(rigs[0]?.agents[0]?.wire.closings[0]).toEqual({ code: 'going-away', reason: why });
    // Its memory is free: the others may grow.
    say(1, mebibyte / 4);
    say(2, mebibyte / 4);
    clock.advance(0);
    expect(states()).toEqual(['closed', 'running', 'running']);
  });

  test('a session that was closed or has a new conversation makes room', () => {
    const { clock, rigs, say, states } = three();
    say(0, mebibyte);
    rigs[0]?.session.close('over');
    say(1, mebibyte);
    rigs[1]?.agent.say({ type: 'history-reset', reason: 'new' });
    say(2, mebibyte);
    clock.advance(0);
    expect(states()).toEqual(['closed', 'idle', 'running']);
  });

  test('a history that is loaded counts', () => {
    const { clock, budget, states, say } = three();
    say(0, mebibyte);
    const history = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'x'.repeat(2 * mebibyte) }] }];
    const loaded = createSessionRig({ clock, budget, history });
    clock.advance(0);
    expect([...states(), loaded.session.state]).toEqual(['running', 'running', 'running', 'closed']);
  });
});

describe('an agent that is given up', () => {
  test('after an abort: everybody is told then, and not when the process is gone', () => {
    const rig = speaking();
    Object.assign(rig.agent.channel, { close: () => {} });
    rig.submit({ type: 'abort', target: 'run', untilIdle: true });
    rig.clock.advance(4999);
    expect(rig.session.state).toBe('running');
    rig.clock.advance(1);
    expect(rig.log().slice(-2)).toEqual(['+run-end failed', 'agent-changed down']);
    expect(rig.answers.at(-1)).toBe('abort: agent-down');
    rig.prompt('next');
    rig.run();
    expect([rig.answers.at(-1), rig.agents.length]).toEqual(['next: ok', 2]);
  });

  test('after too long a silence', () => {
    const rig = speaking({ limits: { silenceMs: 100 } });
    Object.assign(rig.agent.channel, { close: () => {} });
    rig.clock.advance(100);
    expect(rig.log().slice(-2)).toEqual(['+run-end failed', 'agent-changed down']);
  });
});
