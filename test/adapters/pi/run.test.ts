import { describe, expect, test } from 'vitest';
import { bench, shortRun, typesOf, wire } from './harness.ts';

const messageTypes = ['turn-start', 'message-start', 'message-end', 'turn-end'];
const retryStart = { type: 'auto_retry_start', attempt: 1, maxAttempts: 3, delayMs: 2000, errorMessage: '529 busy' };
const retryEnd = (success: boolean) => ({ type: 'auto_retry_end', success, attempt: 1, finalError: 'gave up' });
const compaction = (willRetry: boolean) => [
  { type: 'auto_compaction_start', reason: 'threshold' },
  { type: 'auto_compaction_end', aborted: false, willRetry },
];

describe('agent_end is held until nothing can prolong the run', () => {
  test('the grace passes', () => {
    const pi = bench({ graceMs: 50 });
    pi.feed(...shortRun());
    expect(typesOf(pi.events())).toEqual(['run-start', ...messageTypes]);
    pi.advance(49);
    expect(pi.events()).toEqual([]);
    pi.advance(1);
    expect(pi.events()).toEqual([{ type: 'run-end', outcome: 'completed' }]);
    expect(pi.timers()).toEqual({});
  });

  test.each([
    ['a response', wire.response('c1', 'get_state', {}), []],
    ['the agent_start of another prompt', wire.agentStart, ['run-start']],
    ['a complaint of 0.13.2', { type: 'error', error: 'what?' }, ['error']],
    ['the compaction line of 0.13.2', { type: 'compaction', summary: 's' }, ['compaction-start', 'compaction-end']],
  ])('%s proves it', (_, line, after) => {
    const pi = bench();
    pi.feed(...shortRun());
    pi.events();
    pi.feed(line);
    expect(typesOf(pi.events())).toEqual(['run-end', ...after]);
    expect(pi.timers()).toEqual({});
  });

  test.each([
    ['queue_update', { type: 'queue_update', steering: [], followUp: [] }, 'queue-changed'],
    ['session_info_changed', { type: 'session_info_changed', name: 'a name' }, 'session-changed'],
    ['thinking_level_changed', { type: 'thinking_level_changed', level: 'high' }, 'session-changed'],
    ['a line of a newer pi', { type: 'entry_appended', entry: {} }, 'unknown'],
    ['an extension', { type: 'extension_ui_request', id: 'x', method: 'setTitle', title: 't' }, 'display'],
  ])('%s proves nothing, and is told behind it', (_, line, shown) => {
    const pi = bench();
    pi.feed(...shortRun());
    pi.events();
    pi.feed(line);
    expect(pi.events()).toEqual([]);
    pi.advance(50);
    const [end, ...rest] = pi.events();
    // For clients of pi alone.
    expect(end).toEqual({ type: 'session-changed', changes: {}, extra: { pi: { line: { type: 'agent_end' } } } });
    expect(typesOf(rest)).toEqual([shown, 'run-end']);
  });

  const appended = { type: 'entry_appended', entry: {} };
  test.each([
    ['a compaction', { type: 'compaction_start', reason: 'overflow' }, ['compaction-start']],
    [
      'a retry',
      { type: 'auto_retry_start', attempt: 1, maxAttempts: 3, delayMs: 1, errorMessage: 'x' },
      ['retry-start'],
    ],
    ['agent_settled', wire.settled, ['run-end']],
    ['another agent_start', wire.agentStart, ['run-end', 'run-start']],
    ['an answer', wire.response('c1', 'get_state', {}), ['run-end']],
  ])('a line between it and %s stays between', (_, next, after) => {
    const pi = bench();
    pi.feed(...shortRun());
    pi.events();
    pi.feed(appended, next);
    expect(typesOf(pi.events())).toEqual(['session-changed', 'unknown', ...after]);
  });

  test('the end of the channel tells what waits behind it', () => {
    const pi = bench();
    pi.feed(...shortRun(), appended);
    pi.events();
    pi.end();
    expect(typesOf(pi.events())).toEqual(['session-changed', 'unknown', 'run-end']);
  });

  test('a hundred lines behind it wait no longer', () => {
    const pi = bench();
    pi.feed(...shortRun());
    pi.events();
    pi.feed(...Array.from({ length: 99 }, () => appended));
    expect(pi.events()).toEqual([]);
    pi.feed(appended);
    expect(pi.events()).toHaveLength(101);
  });

  test('the end of the channel delivers it', () => {
    const pi = bench();
    pi.feed(...shortRun());
    pi.events();
    pi.end();
    expect(typesOf(pi.events())).toEqual(['run-end']);
  });

  test('an agent_end without a run ends nothing', () => {
    const pi = bench();
    pi.feed(wire.agentEnd);
    pi.advance(1000);
    expect(pi.events()).toEqual([]);
  });
});

describe('what prolongs a run', () => {
  test('a retry: one run, however many agent_start', () => {
    const pi = bench();
    pi.feed(...shortRun('error', '529 busy'), retryStart);
    pi.advance(60_000);
    pi.feed(...shortRun().slice(0, 4), retryEnd(true), wire.turnEnd, wire.agentEnd);
    pi.advance(50);
    expect(typesOf(pi.events())).toEqual([
      'run-start',
      ...messageTypes,
      'retry-start',
      'turn-start',
      'message-start',
      'message-end',
      'retry-end',
      'turn-end',
      'run-end',
    ]);
  });

  test('a compaction that starts the turn again', () => {
    const pi = bench();
    pi.feed(...shortRun('error', 'too long'), ...compaction(true));
    pi.advance(1000);
    pi.feed(...shortRun());
    pi.advance(50);
    expect(typesOf(pi.events()).filter((type) => type.startsWith('run'))).toEqual(['run-start', 'run-end']);
  });

  test('a compaction that does not: the run ends behind it', () => {
    const pi = bench();
    pi.feed(...shortRun(), compaction(false)[0] ?? {});
    pi.advance(1000);
    pi.feed(compaction(false)[1] ?? {});
    expect(typesOf(pi.events()).slice(-3)).toEqual(['compaction-start', 'compaction-end', 'run-end']);
  });

  test('a compaction outside a run has no run', () => {
    const pi = bench();
    pi.feed(...compaction(false));
    expect(typesOf(pi.events())).toEqual(['compaction-start', 'compaction-end']);
  });

  test('willRetry: the retry may come late', () => {
    const pi = bench();
    pi.feed(...shortRun('error').slice(0, -1), { ...wire.agentEnd, willRetry: true });
    pi.advance(1000);
    expect(typesOf(pi.events())).not.toContain('run-end');
  });

  test('an announced retry that is given up ends the run', () => {
    const pi = bench();
    pi.feed(...shortRun('error', '529 busy'), retryStart, retryEnd(false));
    pi.advance(50);
    expect(pi.events().at(-1)).toEqual({
      type: 'run-end',
      outcome: 'failed',
      failure: { kind: 'provider', message: '529 busy', status: 529 },
    });
  });

  test('an overflow that could not be compacted ends the run', () => {
    const pi = bench();
    pi.feed(...shortRun('error').slice(0, -1), { ...wire.agentEnd, willRetry: true }, ...compaction(false));
    pi.advance(50);
    expect(typesOf(pi.events()).at(-1)).toBe('run-end');
  });
});

describe('agent_settled (since 0.80.4)', () => {
  test('ends the run at once', () => {
    const pi = bench();
    pi.feed(...shortRun(), wire.settled);
    expect(typesOf(pi.events()).at(-1)).toBe('run-end');
    expect(pi.timers()).toEqual({});
  });

  test('once seen it is waited for, through follow-ups and compactions', () => {
    const pi = bench();
    pi.feed(...shortRun(), wire.settled);
    pi.events();
    pi.feed(...shortRun());
    pi.advance(60_000);
    pi.feed(...compaction(false), wire.response('x', 'get_state'), ...shortRun());
    pi.advance(60_000);
    expect(typesOf(pi.events()).filter((type) => type.startsWith('run'))).toEqual(['run-start']);
    pi.feed(wire.settled);
    expect(typesOf(pi.events())).toEqual(['run-end']);
  });

  test.each([
    ['a compaction ended the run', compaction(false)],
    ['an answer showed that it was over', [wire.response('x', 'get_state')]],
  ])('the first one is told once, where %s before', (_, lines) => {
    const pi = bench();
    pi.feed(...shortRun(), ...lines);
    expect(typesOf(pi.events()).at(-1)).toMatch(/run-end|compaction-end/u);
    pi.feed(wire.settled);
    expect(pi.events()).toEqual([]);
    // One that belongs to no run is told to clients of pi.
    pi.feed(wire.settled);
    expect(typesOf(pi.events())).toEqual(['unknown']);
  });

  test('is waited for from the first run on where pi says what becomes of a prompt (since 0.99)', () => {
    const pi = bench();
    pi.feed(wire.response('x', 'prompt', { disposition: 'started' }), ...shortRun(), ...compaction(false));
    pi.advance(60_000);
    expect(typesOf(pi.events())).not.toContain('run-end');
    pi.feed(wire.settled);
    expect(typesOf(pi.events())).toEqual(['run-end']);
  });

  test('the channel may end before it comes', () => {
    const pi = bench();
    pi.feed(...shortRun(), wire.settled, ...shortRun());
    pi.events();
    pi.end();
    expect(typesOf(pi.events())).toEqual(['run-end']);
  });

  test('willRetry alone does not promise it: pi had that word first', () => {
    const pi = bench();
    pi.feed(...shortRun().slice(0, -1), { ...wire.agentEnd, willRetry: false });
    pi.advance(50);
    expect(typesOf(pi.events()).at(-1)).toBe('run-end');
  });
});

describe('the outcome of a run', () => {
  test.each([
    ['stop', undefined, { outcome: 'completed' }],
    ['length', undefined, { outcome: 'completed' }],
    ['aborted', 'Request was aborted.', { outcome: 'aborted' }],
    ['error', 'This operation was aborted', { outcome: 'aborted' }],
    ['error', '529 {"type":"error"}', { outcome: 'failed', failure: { status: 529, kind: 'provider' } }],
    ['error', 'terminated', { outcome: 'failed', failure: { message: 'terminated' } }],
    ['error', '1234 is no status', { outcome: 'failed', failure: { status: undefined } }],
  ])('last message %s (%s)', (stopReason, errorMessage, verdict) => {
    const pi = bench();
    pi.feed(...shortRun(stopReason, errorMessage));
    pi.end();
    expect(pi.events().at(-1)).toMatchObject({ type: 'run-end', ...verdict });
  });

  test('the last message counts, not an earlier one', () => {
    const pi = bench();
    pi.feed(...shortRun('error', '529').slice(0, -1), ...shortRun().slice(1));
    pi.end();
    expect(pi.events().at(-1)).toEqual({ type: 'run-end', outcome: 'completed' });
  });

  test('an error after our abort is the abort', () => {
    const pi = bench();
    pi.feed(wire.agentStart);
    pi.command({ type: 'abort', target: 'run' }, 'a');
    pi.feed(...shortRun('error', 'socket hang up').slice(1));
    pi.end();
    expect(pi.events().at(-1)).toEqual({ type: 'run-end', outcome: 'aborted' });
  });

  test('agent_settled says aborted (since 1.1.0)', () => {
    const pi = bench();
    pi.feed(...shortRun('error', 'odd words'), { ...wire.settled, aborted: true });
    const extra = { pi: { settled: { aborted: true } } };
    expect(pi.events().at(-1)).toEqual({ type: 'run-end', outcome: 'aborted', extra });
  });
});

describe('order faults', () => {
  test.each([
    ['turn_start', wire.turnStart],
    ['message_update', wire.update({ type: 'text_delta', contentIndex: 0, delta: 'x' })],
    ['an assistant message_start', wire.assistantStart()],
    ['tool_execution_start', { type: 'tool_execution_start', toolCallId: 'a', toolName: 'b', args: {} }],
    ['auto_retry_start', retryStart],
  ])('%s without a run opens one', (_, line) => {
    const pi = bench();
    pi.feed(line);
    expect(pi.events()[0]).toEqual({ type: 'run-start', synthetic: true });
  });

  test('a second agent_start opens no second run', () => {
    const pi = bench();
    pi.feed(wire.agentStart, wire.agentStart);
    expect(typesOf(pi.events())).toEqual(['run-start']);
  });

  test('a custom message of an extension needs no run', () => {
    const pi = bench();
    pi.feed({ type: 'message_end', message: { role: 'custom', content: 'note', customType: 'n' } });
    expect(typesOf(pi.events())).toEqual(['message-added']);
  });
});

describe('the rest of a message whose run is over (docs/faults.md F32)', () => {
  const late = wire.update({ type: 'text_delta', contentIndex: 0, delta: 'late' });

  test.each([
    ['an update', late],
    ['its end', wire.assistantEnd()],
  ])('%s opens no run', (_, line) => {
    const pi = bench();
    pi.feed(...shortRun(), wire.settled);
    pi.events();
    pi.feed(line);
    expect(pi.events()).toEqual([]);
    expect(pi.notes()).toEqual([expect.stringMatching(/^violation: .*its run is over$/u)]);
  });

  test('opens the run of a prompt that waits for one', () => {
    const pi = bench();
    pi.feed(...shortRun(), wire.settled);
    pi.events();
    pi.command({ type: 'prompt', content: [{ type: 'text', text: 'go' }] }, 'c1');
    pi.feed(late);
    expect(typesOf(pi.events())[0]).toBe('run-start');
  });
});
