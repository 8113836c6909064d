// The life of a session's agent: it dies before, in and after a run, cannot be started, is replaced, is held back.
import { describe, expect, test } from 'vitest';
import type { Event } from '../../../src/core/model/event.ts';
import { heard, recordingProjection } from '../../support/core/recording.ts';
import { createSessionRig, promptOf, question, type RigOptions } from '../../support/core/session-rig.ts';
import { drain, framesOf } from '../../support/core/stream-rig.ts';

const crash = { reason: 'agent exited (code 137)', detail: 'out of memory' };
const sentence = 'agent exited (code 137): out of memory';

describe('an agent that dies', () => {
  test('before its run: the prompt fails with its last words, no run is told (docs/faults.md F3)', () => {
    const rig = createSessionRig();
    rig.prompt('one');
    rig.agent.wire.end(crash);
    expect(rig.answers).toEqual(['one: agent-down']);
    expect(rig.problems).toEqual([sentence]);
    expect(rig.log()).toEqual(['agent-changed down']);
    expect(rig.session.state).toBe('down');
  });

  test('in the middle: the run is closed well, everybody who waits is answered once (docs/faults.md F1)', () => {
    const rig = createSessionRig();
    rig.prompt('one');
    rig.run();
    rig.prompt('two');
    rig.submit({ type: 'query', subject: 'state' });
    rig.submit({ type: 'steer', content: [] });
    rig.agent.say(
      { type: 'turn-start' },
      { type: 'message-start', id: 'm' },
      { type: 'block-start', index: 0, block: { kind: 'tool-call', id: 'a', name: 'look' } },
      { type: 'block-delta', index: 0, delta: '{"pa' },
      question,
      { type: 'dialog-request', id: 'd', kind: 'confirm', title: 'Sure?' },
    );
    rig.log();
    rig.agent.wire.end(crash);
    expect(rig.log()).toEqual([
      '+block-end 0 cut',
      '+message-end error',
      '+approval-end x cancelled',
      '+tool-end a aborted',
      '+dialog-end d cancelled',
      '+turn-end',
      '+run-end failed',
      'agent-changed down',
    ]);
    // The query is one that the transcript can answer.
    expect(rig.answers).toEqual(['one: ok', 'query: ok', 'steer: agent-down', 'two: agent-down']);
    expect(new Set(rig.problems)).toEqual(new Set([sentence]));
    expect(rig.session.state).toBe('down');
    expect(rig.clock.pending).toBe(0);
    rig.clock.advance(24 * 3_600_000);
    expect(rig.prompted()).toEqual(['one']);
  });

  test('with blocks whose index was taken: all of them are closed', () => {
    const rig = createSessionRig();
    rig.prompt('one');
    rig.run();
    const text: Event = { type: 'block-start', index: 0, block: { kind: 'text' } };
    rig.agent.say(
      { type: 'turn-start' },
      { type: 'message-start', id: 'm' },
      text,
      { type: 'block-end', index: 0 },
      text,
    );
    rig.agent.say({ type: 'block-start', index: 1, block: { kind: 'thinking' } });
    rig.log();
    rig.agent.wire.end(crash);
    expect(rig.log().slice(0, 3)).toEqual(['+block-end 1 cut', '+block-end 2 cut', '+message-end error']);
  });

  test('after a run: nothing of a run is told (docs/faults.md F2)', () => {
    const rig = createSessionRig();
    rig.prompt('one');
    rig.run();
    rig.endRun();
    rig.log();
    rig.agent.wire.end(crash);
    expect(rig.log()).toEqual(['agent-changed down']);
    expect(rig.answers).toEqual(['one: ok']);
    expect(rig.session.state).toBe('down');
  });

  test('in a compaction outside a run: that is closed, and prompts are not stuck behind it', () => {
    const rig = createSessionRig();
    rig.submit({ type: 'compact' });
    rig.agent.say({ type: 'compaction-start', trigger: 'manual' });
    rig.prompt('one');
    rig.agent.wire.end(crash);
    expect(rig.log()).toEqual(['compaction-start', '+compaction-end aborted', 'agent-changed down']);
    expect(rig.answers).toEqual(['compact: agent-down', 'one: agent-down']);
    rig.prompt('two');
    expect(rig.prompted()).toEqual(['two']);
  });

  test('with last words: they come before the end', () => {
    const rig = createSessionRig({
      agent: () => ({ end: [{ do: 'deliver', message: { type: 'notice', level: 'error', text: 'held back' } }] }),
    });
    rig.prompt('one');
    rig.run();
    rig.agent.wire.end(crash);
    expect(rig.log()).toEqual(['run-start', 'notice held back', '+run-end failed', 'agent-changed down']);
  });

  test('because a frame of it was lost: the run says so (docs/faults.md F7)', () => {
    const rig = createSessionRig();
    const reader = rig.session.stream('plain', recordingProjection).attach(null);
    rig.prompt('one');
    rig.run();
    rig.agent.wire.fault('a frame of over 32 MiB');
    rig.clock.advance(0);
    const [ending] = heard(framesOf(drain(reader))).filter(({ type }) => type === 'run-end');
    const message = 'the agent sent a frame of over 32 MiB';
    expect(ending).toMatchObject({ outcome: 'failed', failure: { kind: 'agent', message } });
    expect(rig.session.state).toBe('down');
  });

  test('is idle: nobody is waited for any more', () => {
    const rig = createSessionRig();
    rig.prompt('one');
    rig.run();
    rig.prompt('two');
    let calls = 0;
    rig.session.whenIdle(() => {
      calls += 1;
    });
    rig.agent.wire.end(crash);
    expect(calls).toBe(1);
  });
});

describe('the next agent', () => {
  test('is not said to have forgotten anything where nothing was said', () => {
    const rig = createSessionRig();
    rig.prompt('one');
    rig.agent.wire.end(crash);
    rig.log();
    rig.prompt('two');
    expect(rig.log()).toEqual(['agent-changed up']);
  });

  test('is not shut out by a prompt that is sent from the refusal of the last one', () => {
    const rig = createSessionRig();
    rig.session.submit(promptOf('one'), (outcome) => {
      if (!outcome.ok) rig.prompt('two');
    });
    rig.agent.settle('prompt');
    rig.agent.wire.end(crash);
    expect(rig.log()).toEqual(['agent-changed down', 'agent-changed up']);
    rig.run();
    rig.endRun();
    expect(rig.answers).toEqual(['two: ok']);
    expect(rig.session.state).toBe('idle');
  });

  test('starts with the next prompt, and clients are told that it knows nothing', () => {
    const rig = createSessionRig();
    rig.prompt('one');
    rig.run();
    rig.agent.wire.end(crash);
    rig.log();
    rig.prompt('two');
    expect(rig.agents).toHaveLength(2);
    expect(rig.session.state).toBe('running');
    expect(rig.log()).toEqual([
      'agent-changed up',
      'notice A new agent was started; it does not remember what was said before.',
    ]);
    rig.run();
    rig.endRun();
    expect(rig.answers).toEqual(['one: ok', 'two: ok']);
    expect(rig.session.state).toBe('idle');
    rig.prompt('three');
    expect(rig.agents).toHaveLength(2);
    expect(rig.log()).toEqual(['run-start', 'run-end completed']);
  });

  test('starts only when it is needed', () => {
    const rig = createSessionRig();
    rig.prompt('one');
    rig.agent.wire.end(crash);
    rig.clock.advance(3_600_000);
    expect(rig.agents).toHaveLength(1);
  });

  test('does not hear the timers of the one before', () => {
    const rig = createSessionRig({
      agent: (number) => ({
        wake: () => [{ do: 'deliver', message: { type: 'notice', level: 'info', text: `woken ${number}` } }],
      }),
    });
    rig.prompt('one');
    rig.agent.act({ do: 'timer', id: 'a', ms: 10 });
    rig.agent.wire.end(crash);
    rig.prompt('two');
    rig.agent.act({ do: 'timer', id: 'a', ms: 20 });
    rig.log();
    rig.clock.advance(100);
    expect(rig.log()).toEqual(['notice woken 1']);
  });

  test('comes up before it says anything', () => {
    const rig = createSessionRig({
      agent: () => ({ start: [{ do: 'deliver', message: { type: 'session-changed', changes: { name: 'n' } } }] }),
    });
    rig.prompt('one');
    rig.agent.wire.end(crash);
    rig.log();
    rig.prompt('two');
    expect(rig.log()[0]).toBe('agent-changed up');
  });
});

describe('an agent that cannot be started', () => {
  const broken: RigOptions = { agent: () => new Error('spawn ENOENT') };

  test('fails the command that needed it, and nothing else', () => {
    const rig = createSessionRig(broken);
    rig.prompt('one');
    rig.submit({ type: 'compact' });
    expect(rig.answers).toEqual(['one: agent-down', 'compact: agent-down']);
    expect(rig.problems).toEqual(['spawn ENOENT', 'spawn ENOENT']);
    expect(rig.session.state).toBe('idle');
    expect(rig.log()).toEqual([]);
  });

  test('is tried again', () => {
    const rig = createSessionRig({ agent: (number) => (number === 0 ? new Error('no memory') : {}) });
    rig.prompt('one');
    rig.prompt('two');
    rig.run();
    expect(rig.answers).toEqual(['one: agent-down', 'two: ok']);
  });

  test('as a replacement: the session stays down, and says nothing of a new agent', () => {
    const rig = createSessionRig({ agent: (number) => (number === 1 ? new Error('no memory') : {}) });
    rig.prompt('one');
    rig.agent.wire.end(crash);
    rig.log();
    rig.prompt('two');
    expect(rig.answers.at(-1)).toBe('two: agent-down');
    expect(rig.session.state).toBe('down');
    expect(rig.log()).toEqual([]);
  });
});

describe('an agent that speaks out of order', () => {
  test('is put right before it is logged, and the session notes it', () => {
    const rig = createSessionRig();
    rig.prompt('one');
    rig.agent.say({ type: 'turn-start' }, { type: 'turn-end' });
    rig.endRun();
    rig.endRun();
    expect(rig.answers).toEqual(['one: ok']);
    expect(rig.log()).toEqual(['+run-start', 'turn-start', 'turn-end', 'run-end completed']);
    expect(rig.notes).toEqual(['violation turn-start: no-run', 'repair run-end: no-run']);
  });

  test('a run of its own is a run, and prompts wait for its end', () => {
    const rig = createSessionRig();
    rig.submit({ type: 'query', subject: 'state' });
    rig.run();
    rig.prompt('one');
    expect(rig.prompted()).toEqual([]);
    rig.endRun();
    rig.clock.advance(0);
    expect(rig.prompted()).toEqual(['one']);
  });
});

describe('a client that holds its agent back (docs/faults.md F20)', () => {
  const limits = { window: { frames: 80, bytes: 1_000_000 }, silenceMs: 1_000 };
  const chatter = (count: number): Event[] =>
    Array.from({ length: count }, (_, at) => ({ type: 'notice' as const, level: 'info' as const, text: `${at}` }));

  function held() {
    const rig = createSessionRig({ limits });
    // It reads nothing, and the agent would wait for it as well.
    rig.leave();
    const reader = rig.session.stream('stdio', recordingProjection).attach(null, true);
    rig.prompt('one');
    rig.run();
    rig.agent.say(...chatter(20));
    return { ...rig, agent: rig.agent, reader };
  }

  test('pauses it, and lets it go on when it has caught up', () => {
    const { agent, reader } = held();
    expect(agent.wire.pauses).toEqual(['pause']);
    agent.say(...chatter(5));
    expect(agent.wire.pauses).toEqual(['pause']);
    drain(reader);
    expect(agent.wire.pauses).toEqual(['pause', 'resume']);
  });

  test('whatever other clients and dialects do', () => {
    const { agent, session } = held();
    const other = session.stream('other', recordingProjection).attach(null);
    agent.say(...chatter(1));
    drain(other);
    agent.say(...chatter(1));
    expect(agent.wire.pauses).toEqual(['pause']);
  });

  test('two of them: the agent goes on when both have caught up', () => {
    const { agent, session, reader } = held();
    const other = session.stream('other', recordingProjection).attach(null, true);
    agent.say(...chatter(20));
    drain(reader);
    expect(agent.wire.isPaused).toBe(true);
    drain(other);
    expect(agent.wire.isPaused).toBe(false);
  });

  test('goes away: the agent goes on', () => {
    const { agent, reader } = held();
    reader.close();
    expect(agent.wire.isPaused).toBe(false);
  });

  test('does not make it silent: it is we who do not listen', () => {
    const { agent, clock, reader } = held();
    clock.advance(60_000);
    expect(agent.wire.closings).toEqual([]);
    drain(reader);
    clock.advance(999);
    expect(agent.wire.closings).toEqual([]);
    clock.advance(1);
    expect(agent.wire.closings).toHaveLength(1);
  });

  test('does not make it disobedient either', () => {
    const { agent, clock, reader, submit } = held();
    submit({ type: 'abort', target: 'run' });
    clock.advance(60_000);
    expect(agent.wire.closings).toEqual([]);
    drain(reader);
    agent.say({ type: 'run-end', outcome: 'aborted' });
    clock.advance(60_000);
    expect(agent.wire.closings).toEqual([]);
  });

  test('holds the next agent as well', () => {
    const { agent, agents, submit, session } = held();
    agent.wire.end(crash);
    submit(promptOf('two'));
    agents[1]?.say({ type: 'run-start' });
    expect(agents[1]?.wire.isPaused).toBe(true);
    expect(session.state).toBe('running');
  });
});
