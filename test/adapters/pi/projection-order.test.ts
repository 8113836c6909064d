// The strict order of pi, for agents that have another one: tools, results, retries, compactions, runs that end badly.
import { describe, expect, test } from 'vitest';
import type { Event } from '../../../src/core/model/event.ts';
import { faultsIn } from '../../support/judged.ts';
import { called, outline, spoken, told } from './client.ts';

const [messageStart, ...rest] = spoken('hi');
const messageEnd = rest.pop();
const one = called('c1', 0);
const other = called('c2', 1);
const open: Event[] = [{ type: 'run-start' }, { type: 'turn-start' }];
const close: Event[] = [{ type: 'turn-end' }, { type: 'run-end', outcome: 'completed' }];
const calling = (...calls: readonly { said: Event[] }[]): Event[] => [
  messageStart as Event,
  ...calls.flatMap(({ said }) => said),
  { type: 'message-end', stop: { reason: 'tool-use' } },
];
const result = (call: string): Event => ({
  type: 'message-added',
  role: 'tool',
  call,
  name: 'look',
  content: [{ type: 'text', text: `seen ${call}` }],
  isError: false,
});
const user = (words: string): Event => ({
  type: 'message-added',
  role: 'user',
  origin: 'prompt',
  content: [{ type: 'text', text: words }],
});

/** The outline of what is told, without updates; judged. */
function order(events: readonly Event[]): string[] {
  const { lines } = told(events);
  expect(faultsIn('pi', lines)).toEqual([]);
  return outline(lines).filter((line) => !line.startsWith('message_update'));
}

const opened = ['agent_start', 'turn_start'];
const message = (role: string) => [`message_start ${role}`, `message_end ${role}`];
const tool = (call: string) => [`tool_execution_start ${call}`, `tool_execution_end ${call}`];
const paused = ['turn_end', 'agent_end'];
const closed = [...paused, 'agent_settled'];

describe('results', () => {
  test('an agent without messages for them gets them told: before the next tool', () => {
    const events = [...open, ...calling(one, other), one.start, one.end, other.start, other.end, ...close];
    expect(order(events)).toEqual([
      ...opened,
      ...message('assistant'),
      ...tool('c1'),
      ...message('toolResult'),
      ...tool('c2'),
      ...message('toolResult'),
      ...closed,
    ]);
  });

  test('when several run at once, when all are done', () => {
    const events = [...open, ...calling(one, other), one.start, other.start, other.end, one.end, ...close];
    expect(order(events)).toEqual([
      ...opened,
      ...message('assistant'),
      'tool_execution_start c1',
      'tool_execution_start c2',
      'tool_execution_end c2',
      'tool_execution_end c1',
      ...message('toolResult'),
      ...message('toolResult'),
      ...closed,
    ]);
  });

  test('before the next message of the model, and before a user speaks', () => {
    const events = [...open, ...calling(one), one.start, one.end, ...spoken('hi'), ...close];
    expect(order(events).slice(6, 8)).toEqual(message('toolResult'));
    const steered = [...open, ...calling(one), one.start, one.end, user('stop'), ...spoken('hi'), ...close];
    expect(order(steered).slice(6, 10)).toEqual([...message('toolResult'), ...message('user')]);
  });

  test('an agent that tells them itself is not told again, wherever they come', () => {
    const events = [...open, ...calling(one, other), one.start, other.start, other.end, one.end];
    const { lines } = told([...events, result('c1'), result('c2'), ...close]);
    const results = lines.filter(({ type }) => type === 'turn_end')[0]?.toolResults;
    expect(results).toMatchObject([{ toolCallId: 'c1' }, { toolCallId: 'c2' }]);
    expect(outline(lines).filter((line) => line === 'message_end toolResult')).toHaveLength(2);
  });

  test('an agent that speaks pi is waited for, even when a tool starts in between', () => {
    const start: Event = {
      ...(messageStart as Extract<Event, { type: 'message-start' }>),
      extra: { pi: { api: 'a' } },
    };
    const said = [start, ...one.said, ...other.said, { type: 'message-end', stop: { reason: 'tool-use' } } as Event];
    const events = [...open, ...said, one.start, one.end, other.start, other.end, result('c2'), result('c1'), ...close];
    expect(order(events).slice(4, 8)).toEqual([...tool('c1'), ...tool('c2')]);
  });

  test('never twice for one call', () => {
    const events = [...open, ...calling(one), one.start, one.end, ...spoken('hi'), result('c1'), ...close];
    expect(order(events).filter((line) => line === 'message_start toolResult')).toHaveLength(1);
  });

  test('a tool that was denied starts all the same, with what the model gave it', () => {
    const denied: Event = { ...(one.end as Extract<Event, { type: 'tool-end' }>), isError: true, skipped: 'denied' };
    const { lines } = told([...open, ...calling(one), denied, ...close]);
    expect(faultsIn('pi', lines)).toEqual([]);
    expect(lines.find(({ type }) => type === 'tool_execution_start')?.args).toEqual({ at: 1 });
  });

  test('a call in a message that failed is never spoken of', () => {
    const failed: Event = { type: 'message-end', stop: { reason: 'error' } };
    const events = [...open, messageStart as Event, ...one.said, failed, ...close];
    expect(order(events)).toEqual([...opened, ...message('assistant'), ...closed]);
  });
});

describe('what comes while a message streams', () => {
  test('tools and messages wait for its end; all else does not', () => {
    const events = [
      ...open,
      messageStart as Event,
      ...one.said,
      one.start,
      one.end,
      user('now'),
      { type: 'queue-changed', steering: ['x'], followUp: [] } as Event,
      messageEnd as Event,
      ...close,
    ];
    expect(order(events)).toEqual([
      ...opened,
      'message_start assistant',
      'queue_update',
      'message_end assistant',
      ...tool('c1'),
      ...message('toolResult'),
      ...message('user'),
      ...closed,
    ]);
  });
});

describe('the end of a run', () => {
  const failure = { kind: 'provider', message: '500 no' } as const;

  test.each([
    ['failed', 'error', '500 no'],
    ['aborted', 'aborted', '500 no'],
  ] as const)('%s, and no message says so', (outcome, stopReason, errorMessage) => {
    const { lines } = told([...open, ...spoken('hi'), { type: 'turn-end' }, { type: 'run-end', outcome, failure }]);
    expect(faultsIn('pi', lines)).toEqual([]);
    expect(outline(lines).slice(-6)).toEqual(['turn_start', ...message('assistant'), ...closed]);
    expect(lines.at(-4)?.message).toMatchObject({ content: [], stopReason, errorMessage, provider: 'p', model: 'm' });
  });

  test('an abort without a reason has pi’s', () => {
    const { lines } = told([...open, { type: 'turn-end' }, { type: 'run-end', outcome: 'aborted' }]);
    expect(lines.at(-4)?.message).toMatchObject({ stopReason: 'aborted', errorMessage: 'Request was aborted.' });
  });

  test('is not told twice', () => {
    const bad = spoken('hi', { stop: { reason: 'error' }, failure });
    const events: Event[] = [...open, ...bad, { type: 'turn-end' }, { type: 'run-end', outcome: 'failed', failure }];
    expect(order(events)).toEqual([...opened, ...message('assistant'), ...closed]);
  });

  test('the agent died', () => {
    const { lines } = told([
      ...open,
      ...calling(one),
      one.start,
      { type: 'tool-end', call: 'c1', name: 'look', content: [], isError: true, synthetic: true },
      { type: 'turn-end', synthetic: true },
      { type: 'run-end', outcome: 'failed', failure: { kind: 'agent', message: 'agent exited' }, synthetic: true },
    ]);
    expect(faultsIn('pi', lines)).toEqual([]);
    expect(lines.at(-4)?.message).toMatchObject({ stopReason: 'error', errorMessage: 'agent exited' });
  });

  test('a run that only stands for a prompt without one is not told', () => {
    const empty: Event[] = [
      { type: 'run-start', synthetic: true },
      { type: 'run-end', outcome: 'completed', synthetic: true },
    ];
    expect(told(empty).lines).toEqual([]);
    expect(order([{ type: 'run-start', synthetic: true }, { type: 'turn-start' }, ...spoken('hi'), ...close])).toEqual([
      ...opened,
      ...message('assistant'),
      ...closed,
    ]);
  });

  test('agent_end has the messages of its run alone', () => {
    const run = [...open, user('a'), ...spoken('hi'), ...close];
    const ends = told([...run, ...run]).lines.filter(({ type }) => type === 'agent_end');
    expect(ends.map(({ messages }) => (messages as { role: string }[]).map(({ role }) => role))).toEqual([
      ['user', 'assistant'],
      ['user', 'assistant'],
    ]);
  });
});

describe('retries and compactions inside a run', () => {
  const failure = { kind: 'provider', message: '529 busy' } as const;
  const bad = spoken('hal', { stop: { reason: 'error' }, failure });
  const retry: Event = { type: 'retry-start', attempt: 1, maxAttempts: 3, delayMs: 5, failure };
  const over: Event = { type: 'retry-end', attempt: 1, success: true };

  test('a retry: pi ends its agent and starts it again', () => {
    const events: Event[] = [...open, ...bad, { type: 'turn-end' }, retry, { type: 'turn-start' }];
    expect(order([...events, ...spoken('hi'), over, ...close])).toEqual([
      ...opened,
      ...message('assistant'),
      ...paused,
      'auto_retry_start',
      ...opened,
      ...message('assistant'),
      'auto_retry_end',
      ...closed,
    ]);
  });

  test('in the middle of a turn only its own lines are told', () => {
    const events = [...open, ...bad, retry, over, ...spoken('hi'), ...close];
    expect(order(events).filter((line) => line.startsWith('a'))).toEqual([
      'agent_start',
      'auto_retry_start',
      'auto_retry_end',
      'agent_end',
      'agent_settled',
    ]);
  });

  test('a retry that is given up', () => {
    const lost: Event = { type: 'retry-end', attempt: 1, success: false, failure };
    const events: Event[] = [
      ...open,
      ...bad,
      { type: 'turn-end' },
      retry,
      lost,
      { type: 'run-end', outcome: 'failed' },
    ];
    expect(order(events).slice(-4)).toEqual(['agent_end', 'auto_retry_start', 'auto_retry_end', 'agent_settled']);
  });

  test.each([
    ['before the first turn', [], ['agent_start', 'auto_compaction_start', 'auto_compaction_end', 'turn_start']],
    [
      'between two turns',
      [{ type: 'turn-start' }, ...spoken('a'), { type: 'turn-end' }],
      ['turn_end', 'agent_end', 'auto_compaction_start', 'auto_compaction_end', 'agent_start', 'turn_start'],
    ],
  ] as [string, Event[], string[]][])('a compaction %s', (_, before, expected) => {
    const compaction: Event[] = [
      { type: 'compaction-start', trigger: 'threshold' },
      { type: 'compaction-end', outcome: 'completed', summary: 's' },
    ];
    const events = [{ type: 'run-start' } as Event, ...before, ...compaction];
    const lines = order([...events, { type: 'turn-start' }, ...spoken('b'), ...close]);
    expect(lines.join(' ')).toContain(expected.join(' '));
  });

  test('a compaction whose agent tells the trigger at the end alone ends as it began', () => {
    const { lines } = told([
      { type: 'compaction-start', trigger: 'threshold' },
      { type: 'compaction-end', trigger: 'manual', outcome: 'completed', summary: 's' },
      { type: 'compaction-start', trigger: 'manual' },
      { type: 'compaction-end', trigger: 'threshold', outcome: 'completed', summary: 's' },
    ]);
    expect(lines.map(({ type, reason }) => [type, reason])).toEqual([
      ['auto_compaction_start', 'threshold'],
      ['auto_compaction_end', undefined],
      ['compaction_start', 'manual'],
      ['compaction_end', 'manual'],
    ]);
  });

  test('one that ends the run has no second agent_end behind it', () => {
    const events: Event[] = [
      ...open,
      ...spoken('a'),
      { type: 'turn-end' },
      { type: 'compaction-start', trigger: 'threshold' },
      { type: 'compaction-end', outcome: 'completed', summary: 's' },
      { type: 'run-end', outcome: 'completed' },
    ];
    expect(order(events).slice(-4)).toEqual([
      'agent_end',
      'auto_compaction_start',
      'auto_compaction_end',
      'agent_settled',
    ]);
  });
});

describe('sub-agents', () => {
  test('have no place, and that is said; only their questions are asked', () => {
    const parent = 'c1';
    const { lines, losses } = told([
      ...open,
      ...calling(one),
      one.start,
      { type: 'message-start', id: 'm2', parent },
      { type: 'block-start', index: 0, block: { kind: 'text' }, parent },
      { type: 'block-delta', index: 0, delta: 'hidden', parent },
      { type: 'block-end', index: 0, parent },
      { type: 'message-end', stop: { reason: 'end' }, parent },
      { type: 'approval-request', id: 'a', name: 'rm', input: {}, parent },
      { type: 'approval-end', id: 'a', outcome: 'allowed', parent },
      one.end,
      ...close,
    ]);
    expect(faultsIn('pi', lines)).toEqual([]);
    expect(JSON.stringify(lines)).not.toContain('hidden');
    expect(losses).toEqual(['message-start of a sub-agent']);
    expect(outline(lines)).toContain('extension_ui_request confirm');
  });
});
