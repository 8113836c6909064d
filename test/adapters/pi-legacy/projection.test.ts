// What clients of pi 0.13.2 are told of events that they have no line for, or another one than later clients. What all
// dialects share is tested with the projection of ../pi.
import { describe, expect, test } from 'vitest';
import { piLegacy } from '../../../src/adapters/pi-legacy/index.ts';
import type { Event } from '../../../src/core/model/event.ts';
import { stillEnv } from '../../support/decoding.ts';
import { scenarioLines, scenarioNames } from '../../support/fixtures.ts';
import { faultsIn } from '../../support/judged.ts';
import { createLog, tell } from '../../support/telling.ts';

/** The lines and losses of events that go through the repair. */
function told(...events: Event[]) {
  const log = createLog();
  for (const event of events) log.admit(event);
  log.close();
  const side = piLegacy.client?.frontend(stillEnv(), {});
  if (side === undefined) throw new Error('pi-legacy has no client side');
  const { texts, losses } = tell(side, log.logged);
  return { lines: texts.map((text): Record<string, unknown> => JSON.parse(text)), losses };
}

const compaction = (trigger: 'manual' | 'threshold', end: object): Event[] => [
  { type: 'compaction-start', trigger },
  { type: 'compaction-end', outcome: 'completed', ...end },
];
const failed = { outcome: 'failed', failure: { kind: 'provider', message: 'overloaded' } };
const foreign = { type: 'message_start', message: { role: 'robot' } };
const run = (...events: Event[]): Event[] => [
  { type: 'run-start' },
  { type: 'turn-start' },
  ...events,
  { type: 'turn-end' },
  { type: 'run-end', outcome: 'completed' },
];
const answer = (...stop: Event[]): Event[] => [{ type: 'message-start', id: 'm', model: 'm', provider: 'p' }, ...stop];
const end: Event = { type: 'message-end', stop: { reason: 'end' } };

describe('an event outside a run', () => {
  const cases: [string, Event[], object[], string[]][] = [
    ['a complaint', [{ type: 'error', message: 'no' }], [{ type: 'error', error: 'no' }], []],
    [
      'an error of an extension',
      [{ type: 'notice', level: 'error', text: 'no' }],
      [{ type: 'error', error: 'no' }],
      [],
    ],
    ['a warning', [{ type: 'notice', level: 'warning', text: 'hm' }], [], ['notice']],
    ['a dialog', [{ type: 'dialog-request', id: 'd', kind: 'input', title: '?' }], [], ['dialog-request']],
    ['a display', [{ type: 'display', place: 'title', lines: ['x'] }], [], ['display']],
    ['a queue', [{ type: 'queue-changed', steering: ['x'], followUp: [] }], [], ['queue-changed']],
    ['output of a shell', [{ type: 'bash-output', delta: 'x' }], [], ['bash-output']],
    ['a setting', [{ type: 'session-changed', changes: { name: 'n', thinkingLevel: 'high' } }], [], []],
    [
      'a compaction that nobody asked for',
      compaction('threshold', { summary: 'All.', tokensBefore: 9 }),
      [{ type: 'compaction', summary: 'All.', tokensBefore: 9, auto: true }],
      [],
    ],
    [
      'a compaction that somebody asked for, of an agent that does not count',
      compaction('manual', { summary: 'All.' }),
      [{ type: 'compaction', summary: 'All.', tokensBefore: 0 }],
      [],
    ],
    [
      'a compaction of a pi',
      compaction('manual', { summary: 'All.', extra: { pi: { timestamp: 'T', firstKeptEntryIndex: 3, details: {} } } }),
      [{ type: 'compaction', timestamp: 'T', summary: 'All.', firstKeptEntryIndex: 3, tokensBefore: 0 }],
      [],
    ],
    ['a compaction that found nothing', compaction('threshold', {}), [], []],
    [
      'a compaction that failed, which nobody asked for',
      compaction('threshold', failed),
      [{ type: 'error', error: 'Auto-compaction failed: overloaded' }],
      [],
    ],
    ['a compaction that failed: who asked is told by its answer', compaction('manual', failed), [], []],
    ['a message of an unknown role', [{ type: 'unknown', protocol: 'pi', payload: foreign }], [foreign], []],
    ['a line of a newer pi', [{ type: 'unknown', protocol: 'pi', payload: { type: 'novelty' } }], [], ['event of pi']],
    ['an event of another protocol', [{ type: 'unknown', protocol: 'eca', payload: {} }], [], ['event of eca']],
    [
      'a message of a role that 0.13.2 has not',
      [{ type: 'message-added', role: 'system', content: [{ type: 'text', text: 'x' }] }],
      [],
      ['message of role system'],
    ],
  ];
  test.each(cases)('%s', (_, events, lines, losses) => {
    expect(told(...events)).toEqual({ lines, losses });
  });
});

test.each(scenarioNames)('the judge is content with the scenario %s', (scenario) => {
  expect(
    faultsIn(
      'pi-legacy',
      scenarioLines(scenario, 'pi-legacy').map((line): unknown => JSON.parse(line)),
    ),
  ).toEqual([]);
});

describe('in a run', () => {
  const call = { kind: 'tool-call', id: 'c', name: 'look' } as const;
  const calling = answer(
    { type: 'block-start', index: 0, block: call },
    { type: 'block-end', index: 0, input: {} },
    { type: 'message-end', stop: { reason: 'tool-use' } },
    { type: 'tool-start', call: 'c', name: 'look', input: {} },
  );
  const toolEnd = (isError: boolean, rest: object = {}): Event => ({
    type: 'tool-end',
    call: 'c',
    name: 'look',
    content: [{ type: 'text', text: 'seen' }],
    isError,
    ...rest,
  });
  const endOf = (...events: Event[]) =>
    told(...run(...calling, ...events)).lines.find(({ type }) => type === 'tool_execution_end');

  test.each([
    ['well', false, { content: [{ type: 'text', text: 'seen' }] }],
    ['badly', true, 'seen'],
  ])('a tool that ended %s', (_, isError, result) => {
    expect(endOf(toolEnd(isError, { durationMs: 5, extra: { pi: { more: 1 } } }))).toEqual({
      type: 'tool_execution_end',
      toolCallId: 'c',
      toolName: 'look',
      result,
      isError,
    });
  });

  test('the output of a tool that still runs is lost', () => {
    const update: Event = { type: 'tool-update', call: 'c', mode: 'append', content: [{ type: 'text', text: 's' }] };
    const { lines, losses } = told(...run(...calling, update, toolEnd(false)));
    expect(losses).toEqual(['tool-update']);
    expect(faultsIn('pi-legacy', lines)).toEqual([]);
  });

  test('a retry is one more turn, not one more run', () => {
    const failure = { kind: 'provider', message: '529' } as const;
    const { lines, losses } = told(
      { type: 'run-start' },
      { type: 'turn-start' },
      ...answer({ type: 'message-end', stop: { reason: 'error' }, failure }),
      { type: 'turn-end' },
      { type: 'retry-start', attempt: 1, maxAttempts: 3, delayMs: 1, failure },
      { type: 'turn-start' },
      ...answer(end),
      { type: 'retry-end', attempt: 1, success: true },
      { type: 'turn-end' },
      { type: 'run-end', outcome: 'completed' },
    );
    expect(losses).toEqual(['retry-start', 'retry-end']);
    expect(faultsIn('pi-legacy', lines)).toEqual([]);
    expect(lines.map(({ type }) => type)).toEqual([
      'agent_start',
      ...['turn_start', 'message_start', 'message_end', 'turn_end'],
      ...['turn_start', 'message_start', 'message_end', 'turn_end'],
      'agent_end',
    ]);
  });

  test('a compaction at its end comes behind agent_end', () => {
    const events = [...run(...answer(end))];
    events.splice(-1, 0, ...compaction('threshold', { summary: 'All.', tokensBefore: 9 }));
    const { lines } = told(...events);
    expect(lines.map(({ type }) => type).slice(-2)).toEqual(['agent_end', 'compaction']);
    expect(faultsIn('pi-legacy', lines)).toEqual([]);
  });

  test('an agent that dies ends it as pi ends a run that failed', () => {
    const { lines } = told(
      { type: 'run-start' },
      { type: 'turn-start' },
      ...answer(
        { type: 'block-start', index: 0, block: { kind: 'text' } },
        { type: 'block-delta', index: 0, delta: 'I was' },
      ),
    );
    expect(faultsIn('pi-legacy', lines)).toEqual([]);
    expect(lines.at(-3)).toMatchObject({
      type: 'message_end',
      message: { stopReason: 'error', errorMessage: 'the agent went away', content: [{ type: 'text', text: 'I was' }] },
    });
  });
});
