// Whose run it is that a pi-server tells of, and when it is over.
import { describe, expect, test } from 'vitest';
import { wire as pi, typesOf } from '../pi/harness.ts';
import { type AgentBench, agent, once, prompt, speaking, wire } from './agent.ts';

const messageTypes = ['turn-start', 'message-start', 'message-end', 'turn-end'];
const done = wire.answer(3, 'prompt', undefined, 1);

/** With one prompt, which is command 3 on the wire. */
function prompted(options = {}, words = 'hi'): AgentBench {
  const server = agent(options);
  server.command(prompt(words), 'c1');
  server.sent();
  return server;
}

describe('a prompt is over when its response comes', () => {
  test('it succeeds when its run begins, and no agent_end is its end', () => {
    const server = prompted();
    server.feed(wire.accepted(3, 'prompt'), wire.started(3, 'prompt'));
    expect(server.settled()).toEqual({});
    server.feed(...once());
    expect(server.settled()).toEqual({ c1: { ok: true } });
    server.advance(600_000);
    expect(typesOf(server.events())).toEqual(['run-start', ...messageTypes]);
    server.feed(wire.finished(3, 'prompt', { success: true }));
    expect(server.events()).toEqual([]);
    server.feed(done);
    expect(server.events()).toEqual([{ type: 'run-end', outcome: 'completed' }]);
    expect([server.timers(), server.notes()]).toEqual([{}, []]);
  });

  test('in either dialect, and where no event of the server comes through at all', () => {
    const server = prompted();
    server.feed(...once(), done);
    expect(typesOf(server.events())).toEqual(['run-start', ...messageTypes, 'run-end']);
  });

  test('one run, however often the agent ends', () => {
    const server = prompted();
    const retry = { type: 'auto_retry_start', attempt: 1, maxAttempts: 3, delayMs: 2_000, errorMessage: '503 busy' };
    server.feed(...once('error', '503 busy'), wire.event(retry), ...once().slice(0, 4));
    server.feed(wire.event({ type: 'auto_retry_end', success: true, attempt: 1 }), ...once().slice(4), done);
    expect(typesOf(server.events())).toEqual([
      'run-start',
      ...messageTypes,
      'retry-start',
      ...messageTypes.slice(0, 3),
      'retry-end',
      'turn-end',
      'run-end',
    ]);
  });

  test('an agent that an extension starts again inside of it prolongs the same run', () => {
    const server = prompted();
    server.feed(wire.started(3, 'prompt'), ...once(), ...once(), done);
    expect(typesOf(server.events()).filter((type) => type.startsWith('run'))).toEqual(['run-start', 'run-end']);
  });

  test('a compaction may end behind it', () => {
    const server = prompted();
    server.feed(...once(), wire.event({ type: 'auto_compaction_start', reason: 'threshold' }), done);
    expect(typesOf(server.events())).toEqual(['run-start', ...messageTypes, 'compaction-start', 'run-end']);
    server.feed(
      wire.event({ type: 'auto_compaction_end', result: { summary: 's' }, aborted: false, willRetry: false }),
    );
    expect(typesOf(server.events())).toEqual(['compaction-end']);
  });

  test('a model that failed is a success with a message that says so', () => {
    const server = prompted();
    server.feed(...once('error', '400 no'), done);
    expect(server.settled()).toEqual({ c1: { ok: true } });
    expect(server.events().at(-1)).toMatchObject({ type: 'run-end', outcome: 'failed', failure: { status: 400 } });
  });

  test('without an agent it has an empty run', () => {
    const server = prompted({}, '/help');
    server.feed(wire.started(3, 'prompt'), wire.finished(3, 'prompt', { success: true }), done);
    expect(server.events()).toEqual([
      { type: 'run-start', synthetic: true },
      { type: 'run-end', outcome: 'completed', synthetic: true },
    ]);
    expect(server.settled()).toEqual({ c1: { ok: true } });
  });

  test.each([
    ['No API key for p/m', {}, 'agent-refused'],
    ['Circuit open for p (recovery in 30s)', {}, 'agent-refused'],
    ["Command 'prompt' timed out after 700ms", { timedOut: true }, 'timeout'],
    ['Rate limit exceeded (100 commands/minute)', {}, 'limit'],
    ['Server busy - too many concurrent commands. Please retry.', {}, 'limit'],
    ['Server is shutting down', {}, 'shutting-down'],
    ['Validation failed: message: Too long (max 200000 chars)', {}, 'invalid'],
    ["Validation failed: type: Unknown command type 'prompt'", {}, 'unsupported'],
    ['Message size 9 exceeds limit 8', {}, 'too-large'],
  ])('refused before it ran: %s', (error, more, code) => {
    const server = prompted();
    server.feed(wire.refusal(3, 'prompt', error, more));
    expect(server.settled()).toEqual({ c1: { ok: false, error: { code, message: error } } });
    expect(server.events()).toEqual([]);
  });

  test('refused behind its run: the run has failed', () => {
    const server = prompted();
    const error = "Command 'prompt' timed out after 700ms";
    server.feed(...once('aborted'), wire.refusal(3, 'prompt', error, { timedOut: true }));
    expect(server.settled()).toEqual({ c1: { ok: true } });
    const failure = { kind: 'agent', message: error };
    expect(server.events().at(-1)).toEqual({ type: 'run-end', outcome: 'failed', failure });
  });

  test('a frame that the server would not read is known by the size that it names', () => {
    const server = agent();
    server.command(prompt('a'), 'c1');
    const [frame] = server.lines();
    server.command({ type: 'cycle-model' }, 'c2');
    const error = `Message size ${frame?.length} exceeds limit 8`;
    server.feed({ type: 'response', command: 'unknown', success: false, error });
    expect(server.settled()).toEqual({ c1: { ok: false, error: { code: 'too-large', message: error } } });
  });
});

describe('a prompt of another client', () => {
  test('is a run of this session, which its command_finished ends', () => {
    const server = agent();
    server.feed(wire.started('theirs', 'prompt'), ...once());
    server.advance(60_000);
    expect(typesOf(server.events())).toEqual(['run-start', ...messageTypes]);
    server.feed(wire.finished('theirs', 'prompt', { success: true, replayed: true }));
    expect(server.events()).toEqual([]);
    server.feed(wire.finished('theirs', 'prompt', { success: true }));
    expect(typesOf(server.events())).toEqual(['run-end']);
  });

  test('before ours: each has its own', () => {
    const server = agent();
    server.feed(wire.started('theirs', 'prompt'));
    server.command(prompt('hi'), 'c1');
    server.feed(...once());
    expect(server.settled()).toEqual({});
    server.feed(wire.finished('theirs', 'prompt', { success: true }), wire.started(3, 'prompt'), ...once(), done);
    expect(typesOf(server.events()).filter((type) => type.startsWith('run'))).toEqual([
      'run-start',
      'run-end',
      'run-start',
      'run-end',
    ]);
    expect(server.settled()).toEqual({ c1: { ok: true } });
  });

  test('that was sent later and is run first', () => {
    const server = prompted();
    server.feed(wire.started('theirs', 'prompt'), ...once(), wire.finished('theirs', 'prompt', { success: true }));
    expect(server.settled()).toEqual({});
    server.feed(wire.started(3, 'prompt'), ...once(), done);
    const run = ['run-start', ...messageTypes, 'run-end'];
    expect(typesOf(server.events())).toEqual([...run, ...run]);
    expect(server.settled()).toEqual({ c1: { ok: true } });
  });

  test('that joins ours before it has an agent has no run either', () => {
    const server = prompted();
    server.feed(wire.started(3, 'prompt'), wire.started('joins', 'prompt'));
    server.feed(wire.finished('joins', 'prompt', { success: true }));
    expect(server.events()).toEqual([]);
  });

  test('that joins ours has no run of its own', () => {
    const server = prompted();
    server.feed(wire.started(3, 'prompt'), ...speaking());
    server.feed(wire.started('joins', 'prompt'), wire.finished('joins', 'prompt', { success: true }));
    server.feed(...once().slice(3), done);
    expect(typesOf(server.events()).filter((type) => type.startsWith('run'))).toEqual(['run-start', 'run-end']);
  });

  test('that fails says so', () => {
    const server = agent();
    server.feed(wire.started('theirs', 'prompt'), ...once());
    server.feed(wire.finished('theirs', 'prompt', { success: false, error: 'too slow' }));
    expect(server.events().at(-1)).toMatchObject({ outcome: 'failed', failure: { message: 'too slow' } });
  });
});

describe('a run that no prompt holds', () => {
  test('ends as with a pi: after a grace', () => {
    const server = agent({ graceMs: 50 });
    server.feed(...once());
    server.advance(49);
    expect(typesOf(server.events())).toEqual(['run-start', ...messageTypes]);
    server.advance(1);
    expect(typesOf(server.events())).toEqual(['run-end']);
  });

  test('or when that of a prompt begins', () => {
    const server = agent();
    server.feed(...once());
    server.command(prompt('hi'), 'c1');
    server.feed(wire.started(3, 'prompt'), ...once(), done);
    expect(typesOf(server.events()).filter((type) => type.startsWith('run'))).toEqual([
      'run-start',
      'run-end',
      'run-start',
      'run-end',
    ]);
    expect(server.settled()).toEqual({ c1: { ok: true } });
  });
});

describe('what 2.0.1 does', () => {
  test('it starts the next prompt before it says that this one is over', () => {
    const server = agent();
    server.feed(wire.started('one', 'prompt'), ...once(), wire.started('two', 'prompt'), ...once());
    server.feed(wire.finished('one', 'prompt', { success: true }), wire.finished('two', 'prompt', { success: true }));
    const run = ['run-start', ...messageTypes, 'run-end'];
    expect(typesOf(server.events())).toEqual([...run, ...run]);
  });

  test('its snapshots run ahead and carry what is no content', () => {
    const server = prompted();
    const ahead = { role: 'assistant', content: [{ type: 'text', text: 'I was about to', index: 0 }] };
    const update = (event: object) => pi.update({ ...event, contentIndex: 0, partial: ahead }, { message: ahead });
    server.feed(...once().slice(0, 3), ...wire.events(update({ type: 'text_start' })));
    server.feed(
      ...wire.events(update({ type: 'text_delta', delta: 'I ' }), update({ type: 'text_delta', delta: 'was' })),
    );
    const deltas = server.events().flatMap((event) => (event.type === 'block-delta' ? [event.delta] : []));
    expect(deltas).toEqual(['I ', 'was']);
  });

  test('what an extension shows behind agent_end stays behind it for clients of pi-server', () => {
    const server = prompted();
    const notify = { type: 'extension_ui_request', requestId: 'n-1', method: 'notify', message: 'done' };
    server.feed(...once(), wire.event(notify), done);
    expect(server.events().slice(-3)).toMatchObject([
      { type: 'session-changed', changes: {}, extra: { pi: { line: { type: 'agent_end' } } } },
      { type: 'notice', text: 'done' },
      { type: 'run-end', outcome: 'completed' },
    ]);
  });
});
