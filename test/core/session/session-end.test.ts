// The end of a session, and that two sessions know nothing of each other.
import { describe, expect, test } from 'vitest';
import type { Event } from '../../../src/core/model/event.ts';
import { recordingProjection } from '../../support/core/recording.ts';
import { createSessionRig, question } from '../../support/core/session-rig.ts';
import { drain, kindsOf } from '../../support/core/stream-rig.ts';

describe('closing', () => {
  function busy() {
    const rig = createSessionRig();
    const reader = rig.session.stream('recording', recordingProjection).attach(null);
    rig.prompt('one');
    rig.run();
    rig.agent.say({ type: 'turn-start' }, question);
    rig.prompt('two');
    rig.submit({ type: 'query', subject: 'state' });
    drain(reader);
    rig.answers.splice(0);
    return { ...rig, agent: rig.agent, reader };
  }

  test('ends the run, the agent, the waiting prompts and all streams', () => {
    const { session, clock, agent, answers, reader, log } = busy();
    const other = session.stream('other', recordingProjection).attach(null);
    drain(other);
    session.close('the gateway is shutting down');
    expect(session.state).toBe('closed');
    expect(answers).toEqual(['two: shutting-down']);
    expect(kindsOf(drain(reader))).toEqual(['frame', 'frame', 'frame', 'closed the gateway is shutting down']);
    expect(kindsOf(drain(other)).at(-1)).toBe('closed the gateway is shutting down');
    expect(log().slice(-3)).toEqual(['+approval-end x cancelled', '+turn-end', '+run-end aborted']);
    expect(agent.wire.closings).toEqual([{ code: 'going-away', reason: 'the gateway is shutting down' }]);
    clock.advance(0);
    expect(answers).toEqual(['two: shutting-down', 'query: agent-down']);
    expect(clock.pending).toBe(0);
  });

  test('a second time does nothing', () => {
    const { session, clock, agent, answers, reader } = busy();
    session.close('one');
    session.close('two');
    clock.advance(0);
    session.close('three');
    expect(agent.wire.closings).toHaveLength(1);
    expect(answers).toHaveLength(2);
    expect(kindsOf(drain(reader)).filter((kind) => kind.startsWith('closed'))).toEqual(['closed one']);
    expect(drain(reader)).toEqual([]);
  });

  test('answers a prompt whose run has not begun', () => {
    const rig = createSessionRig();
    rig.prompt('one');
    rig.session.close('over');
    rig.clock.advance(0);
    expect(rig.answers).toEqual(['one: shutting-down']);
  });

  test('a session that was never used', () => {
    const { session, agents, clock } = createSessionRig();
    session.close('over');
    expect(session.state).toBe('closed');
    expect(agents).toEqual([]);
    expect(clock.pending).toBe(0);
  });

  test('later commands are refused, and start no agent', () => {
    const { session, agents, answers, submit, prompt } = createSessionRig();
    session.close('over');
    prompt('one');
    submit({ type: 'query', subject: 'state' });
    submit({ type: 'answer-approval', id: 'x', decision: 'allow' });
    submit({ type: 'delete-session' });
    expect(answers).toEqual([
      'one: not-found',
      'query: not-found',
      'answer-approval: not-found',
      'delete-session: not-found',
    ]);
    expect(agents).toEqual([]);
  });

  test('what the agent says afterwards reaches nobody, and leaves no timer', () => {
    const rig = createSessionRig({
      agent: () => ({ end: [{ do: 'deliver', message: { ...question, id: 'late' } }] }),
      limits: { silenceMs: 1_000 },
    });
    const reader = rig.session.stream('recording', recordingProjection).attach(null);
    rig.prompt('one');
    rig.session.close('over');
    expect(kindsOf(drain(reader))).toEqual(['closed over']);
    rig.agent.say({ type: 'run-start' });
    rig.clock.advance(0);
    expect(drain(reader)).toEqual([]);
    expect(rig.clock.pending).toBe(0);
    expect(rig.session.state).toBe('closed');
  });

  test('a stream that is asked for afterwards is over as well', () => {
    const { session } = createSessionRig();
    session.close('over');
    const reader = session.stream('late', recordingProjection).attach(null);
    expect(kindsOf(drain(reader))).toEqual(['closed over']);
  });

  test('tells those who wait for idleness', () => {
    const { session, clock } = busy();
    let calls = 0;
    session.whenIdle(() => {
      calls += 1;
    });
    session.close('over');
    clock.advance(0);
    expect(calls).toBe(1);
    session.whenIdle(() => {
      calls += 1;
    });
    expect(calls).toBe(2);
  });

  test('a client may ask for it; its answer comes before the end of its stream', () => {
    const rig = createSessionRig();
    const seen: string[] = [];
    rig.session.submit({ type: 'delete-session' }, ({ ok }) => seen.push(`ok ${ok} ${rig.session.state}`));
    expect(seen).toEqual(['ok true idle']);
    expect(rig.session.state).toBe('closed');
  });
});

describe('streams', () => {
  test('are shared by key, and count their readers together', () => {
    const { session } = createSessionRig();
    const first = session.stream('a', recordingProjection);
    expect(session.stream('a', recordingProjection)).toBe(first);
    expect(session.stream('b', recordingProjection)).not.toBe(first);
    const before = session.readers;
    const reader = first.attach(null);
    session.stream('b', recordingProjection).attach(null);
    expect(session.readers).toBe(before + 2);
    reader.close();
    expect(session.readers).toBe(before + 1);
  });

  test('keep as much as the limits say', () => {
    const rig = createSessionRig({ limits: { window: { frames: 2, bytes: 1_000_000 } } });
    const reader = rig.session.stream('recording', recordingProjection).attach(null);
    rig.prompt('one');
    rig.agent.say(...Array.from({ length: 5 }, (): Event => ({ type: 'error', message: 'e' })));
    expect(kindsOf(drain(reader))).toEqual(['reset window']);
  });

  test('tell what they lose', () => {
    const rig = createSessionRig();
    rig.session.stream('lossy', () => ({
      event: () => [],
      notes: () => [{ level: 'loss', text: 'something' }],
    }));
    rig.prompt('one');
    rig.run();
    expect(rig.notes).toEqual(['loss something']);
  });
});

test('two sessions do not notice each other', () => {
  const one = createSessionRig();
  const two = createSessionRig();
  one.prompt('one');
  two.prompt('two');
  one.run();
  one.agent.say(question);
  expect(two.log()).toEqual([]);
  two.submit({ type: 'answer-approval', id: 'x', decision: 'allow' });
  expect(two.answers).toEqual(['answer-approval: stale']);
  one.agent.wire.end({ reason: 'gone' });
  expect(one.session.state).toBe('down');
  two.run();
  two.endRun();
  one.session.close('over');
  two.clock.advance(3_600_000);
  expect(two.session.state).toBe('idle');
  expect(two.answers).toEqual(['answer-approval: stale', 'two: ok']);
  expect(two.log()).toEqual(['run-start', 'run-end completed']);
});
