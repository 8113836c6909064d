// How a run ends that nobody ended: in which order, with which words, and only once (docs/faults.md 1).
import { describe, expect, test } from 'vitest';
import { closeRun } from '../../../src/core/log/close-run.ts';
import { verify } from '../../../src/core/log/grammar.ts';
import type { Event, EventOf, EventType } from '../../../src/core/model/event.ts';
import { outline } from '../../support/core/outline.ts';

const failure = { kind: 'agent' as const, message: 'agent exited (code 137)' };
const failed = { outcome: 'failed' as const, failure };
const aborted = { outcome: 'aborted' as const, failure: { kind: 'aborted' as const, message: 'stopped by the user' } };

const run: Event = { type: 'run-start' };
const turn: Event = { type: 'turn-start' };
const message = (parent?: string): Event => ({ type: 'message-start', parent, id: `m-${parent ?? 'main'}` });
const text = (index: number, parent?: string): Event => ({
  type: 'block-start',
  parent,
  index,
  block: { kind: 'text' },
});
const call = (index: number, id: string, parent?: string): Event => ({
  type: 'block-start',
  parent,
  index,
  block: { kind: 'tool-call', id, name: 'look' },
});
const delta = (index: number, said: string): Event => ({ type: 'block-delta', index, delta: said });
const end = (index: number, parent?: string): Event => ({ type: 'block-end', parent, index });
const messageEnd = (parent?: string): Event => ({ type: 'message-end', parent, stop: { reason: 'tool-use' } });
const tool = (id: string, parent?: string): Event => ({
  type: 'tool-start',
  parent,
  call: id,
  name: 'look',
  input: {},
});
const asked = (id: string, of?: string): Event => ({ type: 'approval-request', id, call: of, name: 'look', input: {} });
const dialog: Event = { type: 'dialog-request', id: 'd', kind: 'confirm', title: 'Sure?' };
const retry: Event = { type: 'retry-start', attempt: 2, maxAttempts: 3, delayMs: 5, failure };
const compaction: Event = { type: 'compaction-start', trigger: 'threshold' };

function closed(before: readonly Event[], cause: Parameters<typeof closeRun>[1] = failed): Event[] {
  const events = closeRun(verify(before).end, cause);
  const whole = verify([...before, ...events]);
  expect(whole.faults).toEqual([]);
  expect(closeRun(whole.end, cause)).toEqual([]);
  return events;
}

test.each<[string, Event[], string[]]>([
  ['nothing', [], []],
  ['a run', [run], ['+run-end failed']],
  [
    '1: blocks, in order',
    [run, turn, message(), text(0), text(3), call(1, 'a')],
    [
      '+block-end 0 cut',
      '+block-end 3 cut',
      '+block-end 1 cut',
      '+message-end error',
      '+tool-end a aborted',
      '+turn-end',
      '+run-end failed',
    ],
  ],
  [
    '1: not those that ended',
    [run, turn, message(), text(0), end(0), text(1)],
    ['+block-end 1 cut', '+message-end error', '+turn-end', '+run-end failed'],
  ],
  ['2: the message', [run, turn, message()], ['+message-end error', '+turn-end', '+run-end failed']],
  ['4: a tool that runs', [run, turn, tool('a')], ['+tool-end a', '+turn-end', '+run-end failed']],
  [
    '5: a tool that never ran',
    [run, turn, message(), call(0, 'a'), end(0), messageEnd()],
    ['+tool-end a aborted', '+turn-end', '+run-end failed'],
  ],
  [
    '5: its question first',
    [run, turn, message(), call(0, 'a'), end(0), messageEnd(), asked('x', 'a')],
    ['+approval-end x cancelled', '+tool-end a aborted', '+turn-end', '+run-end failed'],
  ],
  [
    '4 before 5',
    [run, turn, message(), call(0, 'a'), end(0), call(1, 'b'), end(1), messageEnd(), tool('b')],
    ['+tool-end b', '+tool-end a aborted', '+turn-end', '+run-end failed'],
  ],
  [
    '6: brackets',
    [run, turn, compaction, retry],
    ['+retry-end 2 false', '+compaction-end aborted', '+turn-end', '+run-end failed'],
  ],
  ['a dialog', [run, dialog], ['+dialog-end d cancelled', '+run-end failed']],
  [
    'a dialog and a compaction outside a run',
    [dialog, compaction],
    ['+dialog-end d cancelled', '+compaction-end aborted'],
  ],
  [
    'sub-agents before the call that they live in, the innermost first',
    [
      run,
      turn,
      tool('a'),
      message('a'),
      call(0, 'b', 'a'),
      end(0, 'a'),
      messageEnd('a'),
      tool('b', 'a'),
      message('a'),
      text(0, 'a'),
      message('b'),
      call(0, 'c', 'b'),
      asked('x', 'c'),
    ],
    [
      '+b/block-end 0 cut',
      '+b/message-end error',
      '+a/block-end 0 cut',
      '+a/message-end error',
      '+approval-end x cancelled',
      '+b/tool-end c aborted',
      '+a/tool-end b',
      '+tool-end a',
      '+turn-end',
      '+run-end failed',
    ],
  ],
  [
    'calls that live in each other',
    [run, tool('a', 'b'), tool('b', 'a')],
    ['+b/tool-end a', '+a/tool-end b', '+run-end failed'],
  ],
  [
    'all at once',
    [run, turn, message(), text(0), call(1, 'a'), tool('b'), asked('x', 'a'), asked('y'), dialog, retry, compaction],
    [
      '+block-end 0 cut',
      '+block-end 1 cut',
      '+message-end error',
      '+approval-end x cancelled',
      '+approval-end y cancelled',
      '+tool-end b',
      '+tool-end a aborted',
      '+dialog-end d cancelled',
      '+retry-end 2 false',
      '+compaction-end aborted',
      '+turn-end',
      '+run-end failed',
    ],
  ],
])('%s', (_name, before, expected) => expect(outline(closed(before))).toEqual(expected));

describe('what it says', () => {
  const everything = [run, turn, message(), call(0, 'a'), tool('b'), asked('x', 'a'), retry, compaction];
  const of = <Type extends EventType>(events: Event[], type: Type) =>
    events.filter((event): event is EventOf<Type> => event.type === type);

  test.each([
    [failed, 'error'],
    [aborted, 'aborted'],
  ] as const)('%j', (cause, reason) => {
    const events = closed(everything, cause);
    expect(of(events, 'message-end')).toMatchObject([{ stop: { reason }, failure: cause.failure }]);
    expect(of(events, 'run-end')).toMatchObject([{ outcome: cause.outcome, failure: cause.failure }]);
    expect(of(events, 'retry-end')).toMatchObject([{ success: false, failure: cause.failure }]);
    expect(of(events, 'compaction-end')).toMatchObject([{ outcome: 'aborted', failure: cause.failure }]);
    expect(of(events, 'approval-end')).toMatchObject([{ reason: cause.failure.message }]);
    const result = { isError: true, content: [{ type: 'text', text: `interrupted: ${cause.failure.message}` }] };
    expect(of(events, 'tool-end')).toMatchObject([result, result]);
    expect(events.every((event) => event.synthetic === true)).toBe(true);
  });

  test.each<[string, string, object]>([
    ['arguments that are whole', '{"path":"notes"}', { input: { path: 'notes' } }],
    ['arguments that are cut', '{"path":"no', { incomplete: true }],
    ['no arguments yet', '', { incomplete: true }],
    ['no object', '[1]', { incomplete: true }],
  ])('%s', (_name, said, expected) => {
    const events = closed([run, turn, message(), call(0, 'a'), ...(said === '' ? [] : [delta(0, said)])]);
    const [ending] = of(events, 'block-end');
    expect(ending).toEqual({ type: 'block-end', index: 0, synthetic: true, ...expected });
  });
});
