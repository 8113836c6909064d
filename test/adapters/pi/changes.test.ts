// What pi's own tools change in files, by the arguments and results of all its versions.
import { describe, expect, test } from 'vitest';
import { changeOf } from '../../../src/adapters/pi/backend/file-changes.ts';
import { pi } from '../../../src/adapters/pi/index.ts';
import { piLegacy } from '../../../src/adapters/pi-legacy/index.ts';
import type { Adapter } from '../../../src/core/contract/adapter/adapter.ts';
import { bench, wire } from './harness.ts';

const head = { path: 'src/a.ts' };
const texts = { before: 'a\nb', after: 'a\nc' };
const edited = { ...head, ...texts, diff: '@@ -1,2 +1,2 @@\n a\n-b\n+c', linesAdded: 1, linesRemoved: 1 };
const added = { ...head, diff: '@@ -0,0 +1,2 @@\n+a\n+b', linesAdded: 2, linesRemoved: 0 };
const written = { ...added, before: '', after: 'a\nb' };
const input = { ...head, oldText: 'a\nb', newText: 'a\nc' };

describe('the arguments', () => {
  const both = { ...head, diff: '@@ -1,1 +1,1 @@\n-a\n+A\n@@ -2,1 +2,1 @@\n-b\n+B', linesAdded: 2, linesRemoved: 2 };
  const table: readonly [name: string, input: Record<string, unknown>, change: object | undefined][] = [
    ['edit', input, edited],
    ['edit', { ...head, edits: [{ oldText: 'a\nb', newText: 'a\nc' }] }, edited],
    ['edit', { ...head, edits: [{ oldText: 'a', newText: 'A' }], oldText: 'b', newText: 'B' }, both],
    ['edit', { ...head, edits: [] }, undefined],
    ['edit', { ...head, edits: 'all of them' }, undefined],
    ['edit', { ...head, edits: [{ oldText: 1, newText: 'A' }] }, undefined],
    ['edit', { ...head, oldText: 'a' }, undefined],
    ['edit', { oldText: 'a', newText: 'b' }, undefined],
    ['edit', { path: 1, oldText: 'a', newText: 'b' }, undefined],
    ['edit', {}, undefined],
    ['write', { ...head, content: 'a\nb\n' }, { ...added, after: 'a\nb\n' }],
    ['write', { ...head, content: '' }, { ...head, diff: '', linesAdded: 0, linesRemoved: 0, after: '' }],
    ['write', { ...head, content: null }, undefined],
    ['write', { content: 'a' }, undefined],
    ['read', input, undefined],
    ['constructor', input, undefined],
    ['Edit', input, undefined],
  ];
  test.each(table)('%s %j', (name, args, change) => {
    expect(changeOf(name, args)).toEqual(change);
  });
});

const starts = (args: unknown = input, call = 'c1') => ({
  type: 'tool_execution_start',
  toolCallId: call,
  toolName: 'edit',
  args,
});
const ends = (details?: unknown, isError = false, call = 'c1') => ({
  type: 'tool_execution_end',
  toolCallId: call,
  toolName: 'edit',
  result: { content: [], details },
  isError,
});

/** The changes that a run tells, with the types of their events. */
function told(lines: readonly object[], adapter: Adapter = pi): [type: string, change: unknown][] {
  const agent = bench({}, adapter);
  agent.feed(wire.agentStart, wire.turnStart, ...lines);
  return agent.events().flatMap((event) => ('change' in event ? [[event.type, event.change]] : []));
}

describe('a call', () => {
  test.each([
    ['pi', pi],
    ['pi-legacy', piLegacy],
  ])('of %s tells its change when it starts and when it ends', (_, adapter) => {
    expect(told([starts(), ends({ diff: '-  2 b\n+  2 c' })], adapter)).toEqual([
      ['tool-start', edited],
      ['tool-end', edited],
    ]);
  });

  test('the patch of newer versions is the true one', () => {
    const patch = '--- src/a.ts\n+++ src/a.ts\n@@ -41,2 +41,2 @@\n a\n-b\n+c\n';
    expect(told([starts(), ends({ diff: 'x', patch, firstChangedLine: 42 })])).toEqual([
      ['tool-start', edited],
      ['tool-end', { ...edited, diff: '@@ -41,2 +41,2 @@\n a\n-b\n+c' }],
    ]);
  });

  test.each([['no patch'], ['@@ -1,9 +1,1 @@\n-a\n'], [1], [null]])('a patch that is none: %j', (patch) => {
    expect(told([starts(), ends({ patch })])[1]).toEqual(['tool-end', edited]);
  });

  test('one that failed has changed nothing', () => {
    expect(told([starts(), ends(undefined, true)])).toEqual([['tool-start', edited]]);
  });

  test.each([[null], ['text'], [[input]], [{}]])('arguments that are none: %j', (args) => {
    expect(told([starts(args), ends({ patch: '@@ -1,1 +1,1 @@\n-a\n+b\n' })])).toEqual([]);
  });

  test('a call of the same name in a later run is another one', () => {
    const again = [wire.turnEnd, wire.agentEnd, wire.settled, wire.agentStart, wire.turnStart];
    expect(told([starts(), ...again, starts({ ...head, oldText: '', newText: 'a\nb' }), ends()])).toEqual([
      ['tool-start', edited],
      ['tool-start', written],
      ['tool-end', written],
    ]);
  });
});

describe('a question about a call', () => {
  const asks = {
    type: 'extension_ui_request',
    id: 'a1',
    method: 'select',
    title: `Allow edit?\n${JSON.stringify({ approval: 1, call: 'c1', name: 'edit', input })}`,
    options: ['Allow', 'Deny', 'Deny and say why'],
  };

  test('tells its change, also where it comes before the call', () => {
    expect(told([starts(), asks, ends()]).map(([type]) => type)).toEqual([
      'tool-start',
      'approval-request',
      'tool-end',
    ]);
    expect(told([asks, starts()])).toEqual([
      ['approval-request', edited],
      ['tool-start', edited],
    ]);
  });

  test('other arguments in the answer make another change', () => {
    const agent = bench();
    agent.feed(wire.agentStart, wire.turnStart, starts(), asks);
    agent.command(
      { type: 'answer-approval', id: 'a1', decision: 'allow', input: { ...head, oldText: '', newText: 'a\nb' } },
      'x',
    );
    agent.feed(ends());
    expect(agent.events().at(-1)).toMatchObject({ type: 'tool-end', change: written });
  });
});
