// Whatever an agent sends, what is logged is in legal order, and no text is lost without a reason that is written here.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { closeRun } from '../../../src/core/log/close-run.ts';
import { verify } from '../../../src/core/log/grammar.ts';
import type { Event, EventOf } from '../../../src/core/model/event.ts';
import { type Block, laneOf } from '../../../src/core/model/transcript.ts';
import { anyEvents, legalEvents } from '../../support/core/arbitraries.ts';
import { judge } from '../../support/core/judge.ts';
import { outline } from '../../support/core/outline.ts';
import { createRepairedLog, repaired } from '../../support/core/repaired.ts';

const run: Event = { type: 'run-start' };
const turn: Event = { type: 'turn-start' };
const message: EventOf<'message-start'> = { type: 'message-start', id: 'm' };
const inMessage = [run, turn, message];
const opened = ['run-start', 'turn-start', 'message-start m'];
const messageEnd: EventOf<'message-end'> = { type: 'message-end', stop: { reason: 'end' } };
const turnEnd: Event = { type: 'turn-end' };
const runEnd: Event = { type: 'run-end', outcome: 'completed' };
const text = (index = 0): EventOf<'block-start'> => ({ type: 'block-start', index, block: { kind: 'text' } });
const call = (index = 0): Event => ({
  type: 'block-start',
  index,
  block: { kind: 'tool-call', id: 'a', name: 'look' },
});
const delta = (said: string, index = 0): EventOf<'block-delta'> => ({ type: 'block-delta', index, delta: said });
const end = (index = 0, whole?: string): EventOf<'block-end'> => ({ type: 'block-end', index, text: whole });
const tool: Event = { type: 'tool-start', call: 'a', name: 'look', input: { path: 'notes' } };
const update: Event = { type: 'tool-update', call: 'a', mode: 'append', content: [] };
const toolEnd: Event = { type: 'tool-end', call: 'a', name: 'look', content: [], isError: false };
const asked: Event = { type: 'approval-request', id: 'x', call: 'a', name: 'look', input: {} };
const retry: Event = {
  type: 'retry-start',
  attempt: 1,
  maxAttempts: 2,
  delayMs: 5,
  failure: { kind: 'provider', message: 'away' },
};

describe('what is missing is made up', () => {
  test.each<[string, Event[], string[]]>([
    ['a run, for a turn', [turn], ['+run-start', 'turn-start']],
    ['a run and a turn, for a message', [message], ['+run-start', '+turn-start', 'message-start m']],
    ['a run, for a tool', [tool], ['+run-start', 'tool-start a']],
    ['a run, for an approval', [asked], ['+run-start', 'approval-request x']],
    ['a run, for a retry', [retry], ['+run-start', 'retry-start 1']],
    ['no turn for a sub-agent', [run, { ...message, parent: 'a' }], ['run-start', 'a/message-start m']],
    [
      'a message, for a block',
      [run, text(), delta('t')],
      ['run-start', '+turn-start', '+message-start message-2', 'block-start 0 text', 'block-delta 0 t'],
    ],
    [
      'a message and a block, for a delta',
      [run, turn, delta('t', 2), delta('u', 2)],
      [
        'run-start',
        'turn-start',
        '+message-start message-3',
        '+block-start 2 text',
        'block-delta 2 t',
        'block-delta 2 u',
      ],
    ],
    ['a block, for a delta', [...inMessage, delta('t')], [...opened, '+block-start 0 text', 'block-delta 0 t']],
    [
      'the rest of a text that only the ending has',
      [...inMessage, text(), delta('ab'), end(0, 'abcd')],
      [...opened, 'block-start 0 text', 'block-delta 0 ab', '+block-delta 0 cd', 'block-end 0'],
    ],
    [
      'all of it',
      [...inMessage, text(), end(0, 'abcd')],
      [...opened, 'block-start 0 text', '+block-delta 0 abcd', 'block-end 0'],
    ],
    [
      'the end of blocks, for the end of their message',
      [...inMessage, text(), call(1), messageEnd],
      [
        ...opened,
        'block-start 0 text',
        'block-start 1 tool-call',
        '+block-end 0',
        '+block-end 1 cut',
        'message-end end',
      ],
    ],
    [
      'the end of a message, for the next',
      [...inMessage, text(), { ...message, id: 'n' }],
      [...opened, 'block-start 0 text', '+block-end 0 cut', '+message-end error', 'message-start n'],
    ],
    [
      'the end of a turn, for the next',
      [...inMessage, turn],
      [...opened, '+message-end error', '+turn-end', 'turn-start'],
    ],
    ['the start of a tool, for its output', [run, update], ['run-start', '+tool-start a', 'tool-update a']],
    ['the start of a tool, for its result', [run, toolEnd], ['run-start', '+tool-start a', 'tool-end a']],
    [
      'the result of a tool, for the end of the turn',
      [run, turn, tool, turnEnd],
      ['run-start', 'turn-start', 'tool-start a', '+tool-end a', 'turn-end'],
    ],
    [
      'the result of a tool that never ran',
      [...inMessage, call(), end(), messageEnd, turnEnd],
      [...opened, 'block-start 0 tool-call', 'block-end 0', 'message-end end', '+tool-end a aborted', 'turn-end'],
    ],
    [
      'the end of a question, for the result of its call',
      [run, tool, asked, toolEnd],
      ['run-start', 'tool-start a', 'approval-request x', '+approval-end x cancelled', 'tool-end a'],
    ],
    [
      'all endings, for the end of the run',
      [...inMessage, call(), asked, retry, runEnd],
      [
        ...opened,
        'block-start 0 tool-call',
        'approval-request x',
        'retry-start 1',
        '+block-end 0 cut',
        '+message-end error',
        '+approval-end x cancelled',
        '+tool-end a aborted',
        '+turn-end',
        '+retry-end 1 false',
        'run-end completed',
      ],
    ],
    [
      'the end of the run, for a new history',
      [run, turn, { type: 'history-reset', reason: 'new' }],
      ['run-start', 'turn-start', '+turn-end', '+run-end failed', 'history-reset'],
    ],
  ])('%s', (_name, events, expected) => {
    expect(outline(repaired(events).log)).toEqual(expected);
  });

  test('a tool that was announced starts under its own name and with its own arguments', () => {
    const input = { path: 'notes' };
    const { log } = repaired([...inMessage, call(), { type: 'block-end', index: 0, input }, update]);
    expect(log.at(-2)).toEqual({ type: 'tool-start', call: 'a', name: 'look', input, synthetic: true });
  });

  test('a run that says why it ended tells its parts', () => {
    const failure = { kind: 'limit' as const, message: 'too many turns' };
    const { log } = repaired([...inMessage, tool, { type: 'run-end', outcome: 'aborted', failure }]);
    const [ended] = log.filter((event): event is EventOf<'message-end'> => event.type === 'message-end');
    const [result] = log.filter((event): event is EventOf<'tool-end'> => event.type === 'tool-end');
    expect(ended).toMatchObject({ stop: { reason: 'aborted' }, failure });
    expect(result).toMatchObject({ isError: true, content: [{ type: 'text', text: 'interrupted: too many turns' }] });
  });
});

describe('what says nothing new is dropped', () => {
  test.each<[string, Event[], Event[]]>([
    ['a second start of a run', [run], [run]],
    ['a second end of a run (docs/faults.md F10)', [run, runEnd], [runEnd]],
    ['a turn that ends outside a run', [run, runEnd], [turnEnd]],
    ['the same message started again (docs/faults.md F10)', inMessage, [message]],
    ['a second end of a message', [...inMessage, messageEnd], [messageEnd]],
    ['the same block started again', [...inMessage, call()], [call()]],
    ['a delta after the end of its block', [...inMessage, text(), end()], [delta('late')]],
    ['a second end of a block', [...inMessage, text(), end()], [end()]],
    ['the end of a block that never started', inMessage, [end(4)]],
    ['blocks and deltas outside a run', [run, runEnd], [text(), delta('late'), end()]],
    ['a second start of a tool (docs/faults.md F10)', [run, tool], [tool]],
    ['a tool that starts after its result', [run, tool, toolEnd], [tool]],
    ['output after the result', [run, tool, toolEnd], [update]],
    ['a second result (docs/faults.md F10)', [run, tool, toolEnd], [toolEnd]],
    ['a result outside a run', [run, runEnd], [toolEnd, update]],
    ['a question under the id of an open one (docs/threats.md T22)', [run, asked], [{ ...asked, name: 'other' }]],
    [
      'the end of a question that is over',
      [run, asked, { type: 'approval-end', id: 'x', outcome: 'denied' }],
      [{ type: 'approval-end', id: 'x', outcome: 'allowed' }],
    ],
    [
      'a dialog under the id of an open one',
      [{ type: 'dialog-request', id: 'x', kind: 'input', title: 'a' }],
      [{ type: 'dialog-request', id: 'x', kind: 'input', title: 'b' }],
    ],
    ['the end of no dialog', [], [{ type: 'dialog-end', id: 'x', outcome: 'answered' }]],
    [
      'a compaction in a compaction',
      [{ type: 'compaction-start', trigger: 'manual' }],
      [{ type: 'compaction-start', trigger: 'manual' }],
    ],
    ['the end of no compaction', [], [{ type: 'compaction-end', outcome: 'completed' }]],
    ['the end of no retry', [run], [{ type: 'retry-end', attempt: 1, success: true }]],
  ])('%s', (_name, before, dropped) => {
    const rig = repaired(before);
    expect(rig.notes).toEqual([]);
    for (const event of dropped) expect(rig.admit(event)).toEqual([]);
    expect(rig.notes).toHaveLength(dropped.length);
  });

  test('a delta like the one before is not a duplicate (docs/faults.md F10)', () => {
    const { log, notes } = repaired([...inMessage, text(), delta('ha'), delta('ha')]);
    expect(outline(log).slice(-2)).toEqual(['block-delta 0 ha', 'block-delta 0 ha']);
    expect(notes).toEqual([]);
  });

  test('daily bread is a repair, a missing opener a violation', () => {
    const levelOf = (...events: Event[]) => repaired(events).notes.map((note) => note.split(' ')[0]);
    expect(levelOf(run, runEnd, runEnd)).toEqual(['repair']);
    expect(levelOf(run, run)).toEqual(['repair']);
    expect(levelOf(run, tool, tool)).toEqual(['repair']);
    expect(levelOf(run, delta('t'))).toEqual(['violation', 'violation', 'violation']);
  });

  test('a text that is not what its deltas said is a violation, and the ending counts', () => {
    const { log, notes, transcript } = repaired([...inMessage, text(), delta('abc'), end(0, 'xyz')]);
    expect(outline(log).slice(-2)).toEqual(['block-delta 0 abc', 'block-end 0']);
    expect(notes).toEqual(['violation block-end: its text is not what its deltas said (3 characters streamed)']);
    expect(transcript.open.get('')?.blocks[0]?.text).toBe('xyz');
  });
});

describe('indexes', () => {
  test.each<[string, Event[], string[]]>([
    [
      'a taken index: the next free one',
      [text(), delta('a'), end(), text(), delta('b'), end()],
      ['block-start 0 text', 'block-delta 0 a', 'block-end 0', 'block-start 1 text', 'block-delta 1 b', 'block-end 1'],
    ],
    [
      'and again, and beside a true 1',
      [text(), end(), call(), end(), text(1), delta('c', 1), end(1), text(), delta('d')],
      [
        'block-start 0 text',
        'block-end 0',
        'block-start 1 tool-call',
        'block-end 1',
        'block-start 2 text',
        'block-delta 2 c',
        'block-end 2',
        'block-start 3 text',
        'block-delta 3 d',
      ],
    ],
    [
      'a true 1 while the moved one is open',
      [text(), end(), text(), text(1), delta('zero'), delta('one', 1)],
      [
        'block-start 0 text',
        'block-end 0',
        'block-start 1 text',
        'block-start 2 text',
        'block-delta 1 zero',
        'block-delta 2 one',
      ],
    ],
    [
      'the end of a true 1 that never started does not end the moved one',
      [text(), end(), text(), end(1), delta('b')],
      ['block-start 0 text', 'block-end 0', 'block-start 1 text', 'block-delta 1 b'],
    ],
    [
      'another block of an index that is still open: the first one is over',
      [text(), delta('said'), call(), delta('{}'), end()],
      [
        'block-start 0 text',
        'block-delta 0 said',
        '+block-end 0',
        'block-start 1 tool-call',
        'block-delta 1 {}',
        'block-end 1',
      ],
    ],
    [
      'a new message counts anew',
      [text(), end(), text(), end(), messageEnd, { ...message, id: 'n' }, text(), delta('a')],
      [
        'block-start 0 text',
        'block-end 0',
        'block-start 1 text',
        'block-end 1',
        'message-end end',
        'message-start n',
        'block-start 0 text',
        'block-delta 0 a',
      ],
    ],
    [
      'also a message that had to be made up',
      [text(), end(), text(), end(), messageEnd, text(), delta('a')],
      [
        'block-start 0 text',
        'block-end 0',
        'block-start 1 text',
        'block-end 1',
        'message-end end',
        '+message-start message-9',
        'block-start 0 text',
        'block-delta 0 a',
      ],
    ],
  ])('%s', (_name, events, expected) => {
    expect(outline(repaired([...inMessage, ...events]).log).slice(3)).toEqual(expected);
  });

  test('lanes do not share them', () => {
    const lanes = ['a', 'a 0'];
    const events = lanes.flatMap((parent): Event[] => [
      { ...message, parent },
      { ...text(), parent },
      { ...end(), parent },
      { ...text(), parent },
    ]);
    const again: Event[] = [
      { ...messageEnd, parent: 'a' },
      { ...message, parent: 'a' },
      { ...delta('b'), parent: 'a 0' },
    ];
    const { log } = repaired([run, ...events, ...again]);
    expect(outline(log).at(-1)).toBe('a 0/block-delta 1 b');
  });
});

describe('for any sequence of events', () => {
  test('what is logged is legal, by the grammar and by the judge', () => {
    fc.assert(
      fc.property(anyEvents, (events) => {
        const { log } = repaired(events);
        expect(verify(log).faults).toEqual([]);
        expect(judge(log).complaints).toEqual([]);
      }),
      { numRuns: 600 },
    );
  });

  test('nothing is dropped or made up without a note', () => {
    fc.assert(
      fc.property(anyEvents, (events) => {
        const rig = createRepairedLog();
        for (const event of events) {
          const before = rig.notes.length;
          const logged = rig.admit(event);
          const isOwn = (one: Event) => one.synthetic === true && one.type !== 'block-delta';
          if (logged.length === 0 || logged.some(isOwn)) expect(rig.notes.length).toBeGreaterThan(before);
        }
      }),
      { numRuns: 300 },
    );
  });

  test('closing the run afterwards leaves nothing open, and closing it again says nothing', () => {
    const cause = { outcome: 'failed' as const, failure: { kind: 'agent' as const, message: 'gone' } };
    fc.assert(
      fc.property(fc.oneof(anyEvents, legalEvents), (events) => {
        const rig = repaired(events);
        for (const event of closeRun(rig.transcript, cause)) rig.append(event);
        expect(verify(rig.log).faults).toEqual([]);
        expect(judge(rig.log)).toEqual({ complaints: [], open: [] });
        expect(closeRun(rig.transcript, cause)).toEqual([]);
      }),
      { numRuns: 600 },
    );
  });

  test('a legal sequence passes unchanged and unremarked', () => {
    fc.assert(
      fc.property(legalEvents, (events) => {
        const { log, notes } = repaired(events);
        expect(log).toEqual(events);
        expect(notes).toEqual([]);
      }),
      { numRuns: 600 },
    );
  });

  test('a delta is lost only outside a run and after the end of its block', () => {
    let lost = 0;
    let kept = 0;
    const watch = (events: Event[]) => {
      const watching = watchBlocks();
      for (const event of events) {
        const verdict = watching.admit(event);
        if (verdict === 'lost') lost += 1;
        if (verdict === 'kept') kept += 1;
      }
      watching.finish();
    };
    fc.assert(fc.property(anyEvents, watch), { numRuns: 600 });
    fc.assert(fc.property(legalEvents, watch), { numRuns: 200 });
    expect(lost).toBeGreaterThan(100);
    expect(kept).toBeGreaterThan(100);
  });
});

/**
 * Follows each block under the name that the agent gives it: lane and index, from its start (or its first delta) to its
 * end or the end of its message. Expects every delta to arrive in that block and in no other.
 */
function watchBlocks(): { admit(event: Event): 'kept' | 'lost' | undefined; finish(): void } {
  const rig = createRepairedLog();
  /** The block that each name means now; 'over' after its end. Cleared with the message. */
  const named = new Map<string, Map<number, Block | 'over'>>();
  const expected = new Map<Block, string>();

  const blocksOf = (event: { parent?: string | undefined }) => rig.transcript.open.get(laneOf(event))?.blocks ?? [];

  function forgetEnded(logged: readonly Event[]): void {
    for (const event of logged) {
      if (event.type === 'message-start' || event.type === 'message-end') named.set(laneOf(event), new Map());
    }
  }

  function admitDelta(event: EventOf<'block-delta'>): 'kept' | 'lost' {
    const before = named.get(laneOf(event))?.get(event.index);
    const isLost = rig.transcript.run === null || before === 'over';
    const logged = rig.admit(event);
    if (isLost) {
      expect(logged).toEqual([]);
      return 'lost';
    }
    forgetEnded(logged);
    const [told] = logged.filter((one): one is EventOf<'block-delta'> => one.type === 'block-delta');
    expect(told).toMatchObject({ delta: event.delta, parent: event.parent });
    const block = blocksOf(event).findLast(({ index }) => index === told?.index);
    if (block === undefined) throw new Error('the delta is in no block');
    if (before !== undefined) expect(block).toBe(before);
    named.get(laneOf(event))?.set(event.index, block);
    expected.set(block, `${expected.get(block) ?? ''}${event.delta}`);
    return 'kept';
  }

  function admitEnd(event: EventOf<'block-end'>): void {
    const block = named.get(laneOf(event))?.get(event.index);
    const logged = rig.admit(event);
    if (block === undefined || block === 'over') {
      expect(logged).toEqual([]);
      return;
    }
    named.get(laneOf(event))?.set(event.index, 'over');
    expect(block.end).toMatchObject(JSON.parse(JSON.stringify({ ...event, index: block.index })));
    if (event.text !== undefined && block.head.kind !== 'tool-call') expected.set(block, event.text);
  }

  return {
    admit(event) {
      if (event.type === 'block-delta') return admitDelta(event);
      if (event.type === 'block-end') {
        admitEnd(event);
        return undefined;
      }
      const logged = rig.admit(event);
      forgetEnded(logged);
      const started = logged.findLast((one) => one.type === 'block-start');
      if (event.type !== 'block-start' || started === undefined) return undefined;
      const block = blocksOf(event).findLast(({ index }) => index === started.index);
      if (block === undefined) throw new Error('the block did not start');
      // A call may have got another id, if its own was taken.
      const { block: head } = event;
      expect(block.head).toMatchObject(head.kind === 'tool-call' ? { kind: head.kind, name: head.name } : head);
      named.get(laneOf(event))?.set(event.index, block);
      return undefined;
    },
    finish() {
      for (const [block, said] of expected) expect(block.text).toBe(said);
    },
  };
}
