// The table of order, fault by fault, and against a judge that shares no code with it.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Fault, verify } from '../../../src/core/log/grammar.ts';
import type { Event } from '../../../src/core/model/event.ts';
import { anyEvents, legalEvents } from '../../support/core/arbitraries.ts';
import { judge } from '../../support/core/judge.ts';
import { vocabulary } from '../../support/core/vocabulary.ts';
import { runs } from '../../support/full.ts';

const run: Event = { type: 'run-start' };
const turn: Event = { type: 'turn-start' };
const message: Event = { type: 'message-start', id: 'm' };
const inMessage = [run, turn, message];
const block = (index = 0, parent?: string): Event => ({ type: 'block-start', parent, index, block: { kind: 'text' } });
const blockEnd: Event = { type: 'block-end', index: 0 };
const messageEnd: Event = { type: 'message-end', stop: { reason: 'end' } };
const announced: Event = { type: 'block-start', index: 0, block: { kind: 'tool-call', id: 'a', name: 'look' } };
const tool: Event = { type: 'tool-start', call: 'a', name: 'look', input: {} };
const ofSubAgent: Event = { ...tool, call: 'b', parent: 'a' };
const update: Event = { type: 'tool-update', call: 'a', mode: 'append', content: [] };
const toolEnd: Event = { type: 'tool-end', call: 'a', name: 'look', content: [], isError: false };
const asked: Event = { type: 'approval-request', id: 'x', call: 'a', name: 'look', input: {} };
const approved: Event = { type: 'approval-end', id: 'x', outcome: 'allowed' };
const dialog: Event = { type: 'dialog-request', id: 'x', kind: 'confirm', title: 'Sure?' };
const dialogEnd: Event = { type: 'dialog-end', id: 'x', outcome: 'answered' };
const compaction: Event = { type: 'compaction-start', trigger: 'manual' };
const compactionEnd: Event = { type: 'compaction-end', outcome: 'completed' };
const failure = { kind: 'provider' as const, message: 'away' };
const retry: Event = { type: 'retry-start', attempt: 1, maxAttempts: 2, delayMs: 5, failure };
const retryEnd: Event = { type: 'retry-end', attempt: 1, success: true };
const turnEnd: Event = { type: 'turn-end' };
const runEnd: Event = { type: 'run-end', outcome: 'completed' };

test.each<[Fault, Event[]]>([
  ['run-open', [run, run]],
  ['no-run', [turn]],
  ['turn-open', [run, turn, turn]],
  ['no-run', [message]],
  ['no-turn', [run, message]],
  ['message-open', [...inMessage, { ...message, id: 'other' }]],
  ['no-message', [run, turn, block()]],
  ['no-message', [...inMessage, block(0, 'a')]],
  ['block-open', [...inMessage, block(), block()]],
  ['block-used', [...inMessage, block(), blockEnd, block()]],
  ['no-message', [{ type: 'block-delta', index: 0, delta: 'd' }]],
  ['no-block', [...inMessage, { type: 'block-delta', index: 0, delta: 'd' }]],
  ['block-used', [...inMessage, block(), blockEnd, { type: 'block-delta', index: 0, delta: 'd' }]],
  ['no-message', [blockEnd]],
  ['no-block', [...inMessage, blockEnd]],
  ['block-used', [...inMessage, block(), blockEnd, blockEnd]],
  ['no-message', [messageEnd]],
  ['block-open', [...inMessage, block(), messageEnd]],
  ['no-run', [tool]],
  ['tool-open', [run, tool, tool]],
  ['tool-done', [run, tool, toolEnd, tool]],
  ['no-run', [update]],
  ['no-tool', [run, update]],
  ['no-tool', [...inMessage, announced, update]],
  ['tool-done', [run, tool, toolEnd, update]],
  ['no-run', [toolEnd]],
  ['no-tool', [run, toolEnd]],
  ['tool-done', [run, tool, toolEnd, toolEnd]],
  ['approval-open', [run, tool, asked, toolEnd]],
  ['no-run', [asked]],
  ['approval-open', [run, asked, asked]],
  ['no-approval', [run, approved]],
  ['no-approval', [run, asked, approved, approved]],
  ['no-run', [retry]],
  ['no-retry', [run, retryEnd]],
  ['no-turn', [run, turnEnd]],
  ['message-open', [...inMessage, turnEnd]],
  ['tool-open', [run, turn, tool, turnEnd]],
  ['tool-open', [...inMessage, announced, blockEnd, messageEnd, turnEnd]],
  ['no-run', [runEnd]],
  ['message-open', [run, { ...message, parent: 'a' }, runEnd]],
  ['tool-open', [run, ofSubAgent, runEnd]],
  ['approval-open', [run, asked, runEnd]],
  ['turn-open', [run, turn, runEnd]],
  ['retry-open', [run, retry, runEnd]],
  ['dialog-open', [dialog, dialog]],
  ['no-dialog', [dialogEnd]],
  ['compaction-open', [compaction, compaction]],
  ['no-compaction', [compactionEnd]],
  ['run-open', [run, { type: 'history-reset', reason: 'new' }]],
])('%s: %j', (fault, events) => {
  const last = events.length - 1;
  expect(verify(events).faults).toEqual([{ at: last, type: events[last]?.type, fault }]);
});

describe('in order', () => {
  test.each<[string, Event[]]>([
    ['an empty run', [run, runEnd]],
    ['a message', [...inMessage, block(), blockEnd, block(1), { ...blockEnd, index: 1 }, messageEnd, turnEnd, runEnd]],
    ['two open blocks', [...inMessage, block(1), block(0), blockEnd]],
    ['a tool that nobody announced', [run, tool, update, toolEnd, runEnd]],
    ['a tool that never ran', [...inMessage, announced, blockEnd, messageEnd, toolEnd, turnEnd, runEnd]],
    ['a call again in the next run', [run, tool, toolEnd, runEnd, run, tool]],
    ['a call announced again after its result', [...inMessage, tool, toolEnd, announced, tool]],
    ['a sub-agent outside turns', [run, tool, { ...message, parent: 'a' }, ofSubAgent]],
    ['a sub-agent that outlives a turn', [run, turn, ofSubAgent, turnEnd]],
    ['the same index in two lanes', [...inMessage, { ...message, parent: 'a' }, block(), block(0, 'a')]],
    ['the same index in the next message', [...inMessage, block(), blockEnd, messageEnd, message, block()]],
    ['an approval of a tool that runs', [run, tool, asked, approved, toolEnd]],
    ['a retry after the other', [run, retry, { ...retry, attempt: 2 }, retryEnd, runEnd]],
    ['questions and compactions outside runs', [dialog, compaction, run, runEnd, compactionEnd, dialogEnd]],
    ['a new history between runs', [run, runEnd, { type: 'history-reset', reason: 'new' }]],
  ])('%s', (_name, events) => expect(verify(events).faults).toEqual([]));

  test('what is not about order may come anywhere', () => {
    const ordered =
      /^(?:run|turn|message|block|tool|approval|dialog|compaction|retry)-(?:start|delta|update|end|request)$/u;
    const free = vocabulary.filter(({ type }) => !ordered.test(type) && type !== 'history-reset');
    expect(free.length).toBeGreaterThan(10);
    expect(verify(free).faults).toEqual([]);
    expect(verify([run, turn, message, ...free, block(), ...free]).faults).toEqual([]);
  });
});

describe('against the judge', () => {
  test('they agree which sequences are legal, and on what is left open', () => {
    let illegal = 0;
    const agree = (events: Event[]) => {
      const { faults, end } = verify(events);
      const { complaints, open } = judge(events);
      const [first] = faults;
      if (first !== undefined) {
        illegal += 1;
        expect(complaints[0], JSON.stringify(events)).toMatch(new RegExp(`^${first.at}:`, 'u'));
        return;
      }
      expect(complaints, JSON.stringify(events)).toEqual([]);
      const tools = [...end.tools.values()].filter(({ state }) => state !== 'done').length;
      const blocks = [...end.open.values()].flatMap((told) =>
        told.blocks.filter((one) => one.end === undefined),
      ).length;
      const singles = [end.run, end.turn || null, end.compaction, end.retry].filter((one) => one !== null).length;
      const { size } = end.open;
      expect(open).toHaveLength(singles + size + blocks + tools + end.approvals.size + end.dialogs.size);
    };
    fc.assert(
      fc.property(legalEvents, fc.array(fc.constantFrom(...vocabulary), { maxLength: 1 }), (events, more) =>
        agree([...events, ...more]),
      ),
      { numRuns: runs(1500) },
    );
    fc.assert(fc.property(anyEvents, agree), { numRuns: 300 });
    expect(illegal).toBeGreaterThan(300);
  });

  test('the walk through the grammar reaches every event', () => {
    const reached = new Set<string>();
    fc.assert(
      fc.property(legalEvents, (events) => {
        for (const { type } of events) reached.add(type);
      }),
      { numRuns: 300 },
    );
    expect([...new Set(vocabulary.map(({ type }) => type))].filter((type) => !reached.has(type))).toEqual([]);
  });
});

test('the verifier never throws, counts all events and names every fault with its place', () => {
  fc.assert(
    fc.property(anyEvents, (events) => {
      expect(verify(events).end.lastSeq).toBe(events.length);
      for (const { at, type } of verify(events).faults) expect(events[at]?.type).toBe(type);
    }),
  );
});
