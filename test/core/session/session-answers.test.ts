// Commands that an agent cannot do: the agent first, then the session, else a clear refusal. And when answers come.
import { describe, expect, test } from 'vitest';
import type { ExportPort } from '../../../src/core/export/export.ts';
import type { Command } from '../../../src/core/model/command.ts';
import { GatewayError, type Outcome, refused } from '../../../src/core/model/errors.ts';
import type { Event } from '../../../src/core/model/event.ts';
import { outline } from '../../support/core/outline.ts';
import { heard, recordingProjection } from '../../support/core/recording.ts';
import { createSessionRig, promptOf, type RigOptions } from '../../support/core/session-rig.ts';
import { drain, framesOf } from '../../support/core/stream-rig.ts';

const unsupported = refused('unsupported', 'this agent cannot');

/** An agent that refuses everything but prompts. */
const incapable: RigOptions = {
  agent: () => ({
    encode: ({ type }, id) => (type === 'prompt' ? [] : [{ do: 'settle', id, outcome: unsupported }]),
  }),
};

const hello: Event = { type: 'message-added', role: 'user', content: [{ type: 'text', text: 'hello' }] };

/** The outcome that a command has at once. */
function outcomeOf(rig: { session: ReturnType<typeof createSessionRig>['session'] }, command: Command): Outcome {
  const outcomes: Outcome[] = [];
  rig.session.submit(command, (outcome) => outcomes.push(outcome));
  const [outcome] = outcomes;
  if (outcome === undefined) throw new Error('not answered yet');
  return outcome;
}

describe('a query', () => {
  const state: Command = { type: 'query', subject: 'state' };
  const messages: Command = { type: 'query', subject: 'messages' };

  test('of a fresh session goes to its agent, which may have resumed a conversation', () => {
    const rig = createSessionRig();
    rig.submit(messages);
    expect(rig.agents).toHaveLength(1);
    expect(rig.answers).toEqual([]);
    rig.agent.settle('query', { ok: true, data: { messages: [{ role: 'user', content: [] }] } });
    expect(rig.answers).toEqual(['query: ok']);
  });

  test('that the agent cannot answer is answered from what it said', () => {
    const rig = createSessionRig(incapable);
    rig.prompt('one');
    rig.run();
    rig.agent.say(hello);
    expect(outcomeOf(rig, messages)).toMatchObject({ ok: true, data: { messages: [{ role: 'user', timestamp: 0 }] } });
    rig.prompt('two');
    const data = { running: true, pendingMessages: 1, messageCount: 1 };
    expect(outcomeOf(rig, state)).toMatchObject({ ok: true, data });
  });

  test('that nobody can answer is refused in the agent’s words', () => {
    const rig = createSessionRig(incapable);
    expect(outcomeOf(rig, { type: 'query', subject: 'health' })).toEqual(unsupported);
  });

  test.each(['agent-refused', 'timeout', 'busy'] as const)('that fails otherwise (%s) fails', (code) => {
    const rig = createSessionRig();
    rig.submit(messages);
    rig.agent.settle('query', refused(code, 'no'));
    expect(rig.answers).toEqual([`query: ${code}`]);
  });

  test('of an agent that cannot be started is answered all the same', () => {
    const rig = createSessionRig({ agent: () => new Error('spawn ENOENT') });
    expect(outcomeOf(rig, messages)).toEqual({ ok: true, data: { messages: [] } });
    expect(outcomeOf(rig, { type: 'query', subject: 'thinking-levels' })).toEqual(
      refused('agent-down', 'spawn ENOENT'),
    );
  });

  test('of an agent that is gone is answered without another one', () => {
    const rig = createSessionRig();
    rig.prompt('one');
    rig.agent.say(hello);
    rig.agent.wire.end({ reason: 'gone' });
    expect(outcomeOf(rig, messages)).toMatchObject({ ok: true, data: { messages: [{ role: 'user' }] } });
    expect(rig.agents).toHaveLength(1);
    rig.submit({ type: 'query', subject: 'thinking-levels' });
    expect(rig.agents).toHaveLength(2);
  });

  test('of the state gets what the agent left out', () => {
    const rig = createSessionRig();
    rig.prompt('one');
    rig.run();
    rig.prompt('two');
    const outcomes: Outcome[] = [];
    rig.session.submit(state, (outcome) => outcomes.push(outcome));
    rig.agent.settle('query', { ok: true, data: { changes: {}, running: true, pendingMessages: 3 } });
    const data = { running: true, pendingMessages: 4, messageCount: 0, compacting: false, changes: {} };
    expect(outcomes).toEqual([{ ok: true, data }]);
  });
});

describe('a name', () => {
  const named: Command = { type: 'set-name', name: 'mine' };

  test('that the agent keeps is its own affair', () => {
    const rig = createSessionRig();
    rig.submit(named);
    rig.agent.settle('set-name');
    expect(rig.answers).toEqual(['set-name: ok']);
    expect(rig.session.transcript.info.name).toBeUndefined();
  });

  test.each<[string, RigOptions]>([
    ['cannot keep', incapable],
    ['cannot be asked to keep', { agent: () => new Error('spawn ENOENT') }],
  ])('that the agent %s is kept here, and everybody is told', (_name, options) => {
    const rig = createSessionRig(options);
    rig.submit(named);
    expect(rig.answers).toEqual(['set-name: ok']);
    expect(rig.log()).toEqual(['session-changed']);
    expect(rig.session.transcript.info.name).toBe('mine');
  });
});

test.each<Command>([
  { type: 'steer', content: [] },
  { type: 'set-mode', mode: 'm' },
  { type: 'set-queue-mode', queue: 'steering', mode: 'all' },
  { type: 'set-auto', what: 'retry', enabled: true },
  { type: 'set-tool-server', name: 's', action: 'start' },
  { type: 'set-model', model: 'm' },
  { type: 'compact' },
  { type: 'bash', command: 'ls' },
  { type: 'fork', entry: 'message-1' },
  { type: 'new-session' },
  { type: 'clear-queue' },
  { type: 'export', format: 'html' },
])('what only an agent can do is refused in its words: $type', (command) => {
  const rig = createSessionRig(incapable);
  expect(outcomeOf(rig, command)).toEqual(unsupported);
});

describe('a follow-up that the agent has no queue for', () => {
  const followUp = (text: string): Command => ({ type: 'follow-up', content: [{ type: 'text', text }] });

  /** A session in the run of the prompt `one`. */
  function running(options: RigOptions = {}) {
    const rig = createSessionRig({ ...incapable, ...options });
    rig.prompt('one');
    rig.run();
    rig.answers.splice(0);
    rig.log();
    return rig;
  }

  function nextRun(rig: ReturnType<typeof createSessionRig>) {
    rig.endRun();
    rig.clock.advance(0);
  }

  test('is taken at once, and is the next prompt, before those that wait', () => {
    const rig = running();
    rig.prompt('two');
    rig.submit(followUp('then'));
    expect(rig.answers).toEqual(['follow-up: ok']);
    expect(rig.prompted()).toEqual(['one']);
    nextRun(rig);
    expect(rig.prompted()).toEqual(['one', 'then']);
    rig.run();
    nextRun(rig);
    expect(rig.prompted()).toEqual(['one', 'then', 'two']);
  });

  test('keeps the session from being idle', () => {
    const rig = running();
    let calls = 0;
    rig.session.whenIdle(() => {
      calls += 1;
    });
    rig.submit(followUp('then'));
    rig.endRun();
    expect([rig.session.state, calls]).toEqual(['running', 0]);
    rig.clock.advance(0);
    rig.run();
    nextRun(rig);
    expect([rig.session.state, calls]).toEqual(['idle', 1]);
  });

  test.each(['aborted', 'failed'] as const)('waits for the next prompt when the run has %s', (outcome) => {
    const rig = running();
    rig.submit(followUp('then'));
    rig.agent.say({ type: 'run-end', outcome });
    rig.clock.advance(1000);
    expect(rig.prompted()).toEqual(['one']);
    expect(rig.session.state).toBe('idle');
    rig.prompt('two');
    rig.run();
    nextRun(rig);
    expect(rig.prompted()).toEqual(['one', 'two', 'then']);
  });

  test('waits for the next prompt when nothing runs', () => {
    const rig = createSessionRig(incapable);
    rig.submit(followUp('then'));
    rig.clock.advance(1000);
    expect([rig.answers, rig.prompted(), rig.session.state]).toEqual([['follow-up: ok'], [], 'idle']);
    rig.prompt('one');
    rig.run();
    nextRun(rig);
    expect(rig.prompted()).toEqual(['one', 'then']);
  });

  test('counts among what waits, and against the limit', () => {
    const rig = running({ limits: { queuedPrompts: 2 } });
    rig.submit(followUp('a'));
    rig.submit(followUp('b'));
    expect(outcomeOf(rig, { type: 'query', subject: 'state' })).toMatchObject({ data: { pendingMessages: 2 } });
    rig.submit(followUp('c'));
    rig.prompt('two');
    expect(rig.answers).toEqual(['follow-up: ok', 'follow-up: ok', 'follow-up: limit', 'two: limit']);
  });

  test('is forgotten with the queue, wherever it waits', () => {
    const rig = running();
    rig.submit(followUp('a'));
    rig.submit({ type: 'clear-queue' });
    nextRun(rig);
    expect(rig.session.state).toBe('idle');
    rig.prompt('two');
    rig.run();
    rig.submit(followUp('b'));
    rig.prompt('three');
    rig.endRun();
    rig.submit({ type: 'clear-queue' });
    rig.submit({ type: 'clear-queue' });
    rig.clock.advance(0);
    expect(rig.prompted()).toEqual(['one', 'two', 'three']);
    expect(rig.answers.filter((answer) => answer.startsWith('clear'))).toEqual([
      'clear-queue: ok',
      'clear-queue: ok',
      'clear-queue: unsupported',
    ]);
  });

  test.each<[string, (rig: ReturnType<typeof running>) => void]>([
    ['its agent dies', (rig) => rig.agent.wire.end({ reason: 'gone' })],
    ['the session retires', (rig) => rig.session.retire('gone')],
    ['the session closes', (rig) => rig.session.close('gone')],
    [
      'the agent refuses it',
      (rig) => {
        nextRun(rig);
        rig.agent.settle('prompt', refused('agent-refused', 'gone'));
      },
    ],
  ])('is lost aloud when %s', (_name, lose) => {
    const rig = running();
    rig.submit(followUp('then'));
    lose(rig);
    rig.clock.advance(1000);
    expect(rig.log()).toContain('notice A follow-up was not sent: gone');
    expect(rig.answers).toEqual(['follow-up: ok']);
  });

  test('is one when it comes as a prompt', () => {
    const refusing = { agent: () => ({ encode: refuseJoining }) };
    const rig = createSessionRig(refusing);
    rig.prompt('one');
    rig.run();
    rig.prompt('two', 'follow-up');
    rig.prompt('three', 'steer');
    expect(rig.answers).toEqual(['one: ok', 'two: ok', 'three: unsupported']);
    rig.endRun();
    rig.clock.advance(0);
    expect(rig.agent.received.at(-1)?.command).toEqual(promptOf('two'));
  });

  function refuseJoining(command: Command, id: string) {
    const isJoining = command.type === 'prompt' && command.whenBusy !== undefined;
    return isJoining ? [{ do: 'settle' as const, id, outcome: unsupported }] : [];
  }
});

describe('an abort that is to be answered when all is quiet', () => {
  const abort: Command = { type: 'abort', target: 'run', untilIdle: true };

  function aborted() {
    const rig = createSessionRig();
    rig.prompt('one');
    rig.run();
    rig.answers.splice(0);
    rig.submit(abort);
    return rig;
  }

  test('waits for the end of the run, behind all that the run says', () => {
    const rig = aborted();
    rig.agent.settle('abort');
    rig.agent.say({ type: 'turn-start' }, { type: 'message-start', id: 'm' });
    expect(rig.answers).toEqual([]);
    const reader = rig.session.stream('recording', recordingProjection).attach(null);
    drain(reader);
    const seen: string[][] = [];
    rig.session.submit(abort, () => seen.push(outline(heard(framesOf(drain(reader))))));
    rig.agent.say({ type: 'run-end', outcome: 'aborted' });
    expect(rig.answers).toEqual(['abort: ok']);
    expect(seen).toEqual([['+message-end aborted', '+turn-end', 'run-end aborted']]);
  });

  test('does not wait for the agent’s word when the run is over', () => {
    const rig = aborted();
    rig.agent.say({ type: 'run-end', outcome: 'aborted' });
    expect(rig.answers).toEqual(['abort: ok']);
    rig.agent.settle('abort', refused('timeout', 'late'));
    expect(rig.answers).toEqual(['abort: ok']);
  });

  test('does not wait for the prompts behind it, and names them', () => {
    const rig = aborted();
    rig.prompt('two');
    const outcomes: Outcome[] = [];
    rig.session.submit(abort, (outcome) => outcomes.push(outcome));
    rig.agent.say({ type: 'run-end', outcome: 'aborted' });
    expect(outcomes).toEqual([{ ok: true, data: { waiting: [promptOf('two')] } }]);
  });

  test('drops the prompts behind it, if that is wanted', () => {
    const rig = aborted();
    rig.prompt('two');
    const outcomes: Outcome[] = [];
    rig.session.submit({ ...abort, waiting: 'drop' }, (outcome) => outcomes.push(outcome));
    expect(rig.answers).toEqual(['two: aborted']);
    rig.agent.say({ type: 'run-end', outcome: 'aborted' });
    expect(outcomes).toEqual([{ ok: true, data: { waiting: [] } }]);
  });

  test('is refused at once when the agent will not', () => {
    const rig = aborted();
    rig.agent.settle('abort', unsupported);
    expect(rig.answers).toEqual(['abort: unsupported']);
    rig.endRun();
    expect(rig.answers).toHaveLength(1);
  });

  test('is answered at once when nothing runs, and starts no agent', () => {
    const rig = createSessionRig();
    rig.submit(abort);
    expect(rig.answers).toEqual(['abort: ok']);
    expect(rig.agents).toEqual([]);
  });

  test('of a prompt that never ran is done when that is refused', () => {
    const rig = createSessionRig();
    rig.prompt('one');
    rig.submit(abort);
    rig.agent.settle('abort');
    expect(rig.answers).toEqual([]);
    rig.agent.settle('prompt', refused('agent-refused', 'no'));
    expect(rig.answers).toEqual(['one: agent-refused', 'abort: ok']);
  });

  test('of a compaction alone is answered by the agent', () => {
    const rig = createSessionRig();
    rig.submit({ type: 'compact' });
    rig.agent.say({ type: 'compaction-start', trigger: 'manual' });
    rig.submit(abort);
    rig.agent.settle('abort');
    expect(rig.answers).toEqual(['abort: ok']);
  });

  test.each([
    ['cannot stop', refused('unsupported', 'no'), 0],
    ['does not stop', { ok: true } as const, 1],
  ])('of a compaction that the agent %s', (_name, outcome, stopped) => {
    const rig = createSessionRig();
    rig.submit({ type: 'compact' });
    rig.agent.say({ type: 'compaction-start', trigger: 'manual' });
    rig.submit(abort);
    rig.agent.settle('abort', outcome);
    rig.clock.advance(60_000);
    expect(rig.agent.wire.closings).toHaveLength(stopped);
  });

  test.each<[string, string, (rig: ReturnType<typeof aborted>) => void]>([
    ['the agent dies', 'agent-down', (rig) => rig.agent.wire.end({ reason: 'gone' })],
    ['the session closes', 'shutting-down', (rig) => rig.session.close('over')],
    ['the agent does not obey', 'agent-down', (rig) => rig.clock.advance(10_000)],
  ])('fails when %s', (_name, code, end) => {
    const rig = aborted();
    rig.agent.settle('abort');
    end(rig);
    rig.clock.advance(0);
    expect(rig.answers).toEqual([`abort: ${code}`]);
  });
});

describe('the answer to a prompt', () => {
  test('comes before anybody hears of its run', () => {
    const rig = createSessionRig();
    const order: string[] = [];
    const reader = rig.session.stream('recording', recordingProjection).attach(null);
    const listen = () => order.push(...outline(heard(framesOf(drain(reader)))));
    reader.onReadable = listen;
    listen();
    rig.session.submit(promptOf('one'), ({ ok }) => order.push(`answered ${ok}`));
    rig.agent.say({ type: 'run-start' }, { type: 'turn-start' });
    expect(order).toEqual(['answered true', 'run-start', 'turn-start']);
  });

  test('what is asked for in that moment comes after the run has begun', () => {
    const rig = createSessionRig({
      agent: () => ({
        encode: ({ type }) =>
          type === 'abort' ? [{ do: 'deliver', message: { type: 'run-end', outcome: 'aborted' } }] : [],
      }),
    });
    rig.session.submit(promptOf('one'), () => {
      rig.prompt('two');
      rig.submit({ type: 'abort', target: 'run' });
    });
    rig.run();
    expect(rig.log()).toEqual(['run-start', 'run-end aborted']);
    expect(rig.prompted()).toEqual(['one']);
    rig.clock.advance(0);
    expect(rig.prompted()).toEqual(['one', 'two']);
  });

  test('finds the session at work', () => {
    const rig = createSessionRig();
    const seen: string[] = [];
    rig.session.submit(promptOf('one'), () => {
      seen.push(rig.session.state);
      rig.session.whenIdle(() => seen.push('idle'));
    });
    rig.run();
    expect(seen).toEqual(['running']);
  });

  test('may close the session', () => {
    const rig = createSessionRig({ limits: { silenceMs: 1000 } });
    rig.session.submit(promptOf('one'), () => rig.session.close('enough'));
    rig.run();
    rig.clock.advance(0);
    expect(rig.session.state).toBe('closed');
    expect(rig.clock.pending).toBe(0);
  });
});

describe('an export', () => {
  /** A port that writes down. */
  function port(
    pathsForAgent: boolean,
    finish: (path: string | undefined) => string = (path) => path ?? '/out/default.html',
  ) {
    const pages: string[] = [];
    const exports: ExportPort = {
      pathsForAgent,
      open(path) {
        const page = pages.push('') - 1;
        return {
          write: (html) => void pages.splice(page, 1, pages[page] + html),
          finish: () => finish(path),
          abandon: () => void pages.splice(page, 1, 'abandoned'),
        };
      },
    };
    return { exports, pages };
  }
  const plain: Command = { type: 'export', format: 'html' };
  const placed: Command = { ...plain, path: '/tmp/x.html' };

  test.each(['unsupported', 'agent-down', 'agent-refused'] as const)(
    'that the agent does not make (%s) is made here, of all that was said',
    (code) => {
      const { exports, pages } = port(true);
      const rig = createSessionRig({ exports });
      rig.prompt('one');
      rig.agent.say(hello, { type: 'session-changed', changes: { name: 'My <talk>' } });
      const outcomes: Outcome[] = [];
      rig.session.submit(plain, (outcome) => outcomes.push(outcome));
      rig.agent.settle('export', refused(code, 'in memory'));
      expect(outcomes).toEqual([{ ok: true, data: { path: '/out/default.html' } }]);
      expect(pages[0]).toContain('<title>My &lt;talk&gt;</title>');
      expect(pages[0]).toContain('hello');
    },
  );

  test('that the agent makes is its own', () => {
    const { exports, pages } = port(true);
    const rig = createSessionRig({ exports });
    rig.submit(placed);
    expect(rig.agent.received.at(-1)?.command).toEqual(placed);
    rig.agent.settle('export', { ok: true, data: { path: '/a.html' } });
    expect([rig.answers, pages]).toEqual([['export: ok'], []]);
  });

  test('at a path that the agent must not be given is made here', () => {
    const { exports, pages } = port(false);
    const rig = createSessionRig({ exports });
    expect(outcomeOf(rig, placed)).toEqual({ ok: true, data: { path: '/tmp/x.html' } });
    expect([rig.agents.length, pages.length]).toEqual([0, 1]);
    rig.submit(plain);
    expect(rig.agent.received.at(-1)?.command).toEqual(plain);
  });

  test.each<[string, Error, Outcome]>([
    ['is not allowed', new GatewayError('invalid', 'not there'), refused('invalid', 'not there')],
    ['cannot be written', new Error('disk full'), refused('internal', 'disk full')],
  ])('that %s is refused with the reason', (_name, error, outcome) => {
    const { exports } = port(false, () => {
      throw error;
    });
    expect(outcomeOf(createSessionRig({ exports }), placed)).toEqual(outcome);
  });
});
