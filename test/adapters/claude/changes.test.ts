// What Claude Code's own tools change in files, by their arguments and results.
import { describe, expect, test } from 'vitest';
import { changeOf } from '../../../src/adapters/claude/backend/file-changes.ts';
import { claude } from '../../../src/adapters/claude/index.ts';
import { bench } from '../pi/harness.ts';
import { wire } from './backend-words.ts';

const head = { path: '/work/a.ts' };
const texts = { before: 'a\nb', after: 'a\nc' };
const edited = { ...head, ...texts, diff: '@@ -1,2 +1,2 @@\n a\n-b\n+c', linesAdded: 1, linesRemoved: 1 };
const added = { ...head, diff: '@@ -0,0 +1,2 @@\n+a\n+b', linesAdded: 2, linesRemoved: 0 };
const written = { ...added, after: 'a\nb\n' };
const file = { file_path: '/work/a.ts' };
const input = { ...file, old_string: 'a\nb', new_string: 'a\nc' };

describe('the arguments', () => {
  const both = { ...head, diff: '@@ -1,1 +1,1 @@\n-a\n+A\n@@ -2,1 +2,1 @@\n-b\n+B', linesAdded: 2, linesRemoved: 2 };
  const pieces = [
    { old_string: 'a', new_string: 'A' },
    { old_string: 'b', new_string: 'B', replace_all: true },
  ];
  const table: readonly [name: string, input: Record<string, unknown>, change: object | undefined][] = [
    ['Edit', input, edited],
    ['Edit', { ...input, replace_all: true }, edited],
    ['Edit', { ...file, old_string: '', new_string: 'a\nb\n' }, { ...written, before: '' }],
    ['Edit', { ...file, old_string: 'a' }, undefined],
    ['Edit', { ...input, file_path: null }, undefined],
    ['Edit', {}, undefined],
    ['MultiEdit', { ...file, edits: pieces }, both],
    ['MultiEdit', { ...file, edits: [] }, undefined],
    ['MultiEdit', { ...file, edits: [{}] }, undefined],
    ['Write', { ...file, content: 'a\nb\n' }, written],
    ['Write', { ...file, content: ['a'] }, undefined],
    ['NotebookEdit', { notebook_path: '/work/a.ipynb', new_source: 'x' }, undefined],
    ['Read', input, undefined],
    ['constructor', input, undefined],
  ];
  test.each(table)('%s %j', (name, args, change) => {
    expect(changeOf(name, args)).toEqual(change);
  });
});

const calls = (args: object, name = 'Edit') => [wire.copy('m1', [{ type: 'tool_use', id: 't1', name, input: args }])];

/** The changes that a run tells, with the types of their events. */
function told(frames: readonly object[]): [type: string, change: unknown][] {
  const agent = bench({}, claude);
  agent.feed(wire.init(), ...frames);
  return agent.events().flatMap((event) => ('change' in event ? [[event.type, event.change]] : []));
}

describe('a call', () => {
  test('tells its change when it starts and when it ends', () => {
    expect(told([...calls(input), wire.user([wire.answer('t1')])])).toEqual([
      ['tool-start', edited],
      ['tool-end', edited],
    ]);
  });

  test('the result tells the true lines', () => {
    const structuredPatch = [
      { oldStart: 41, oldLines: 2, newStart: 41, newLines: 2, lines: [' a', '-b', '+c'] },
      { oldStart: 90, oldLines: 1, newStart: 90, newLines: 1, lines: ['-b', '+c', '\\ No newline at end of file'] },
    ];
    const result = { tool_use_result: { filePath: '/work/a.ts', originalFile: 'long', structuredPatch } };
    expect(told([...calls(input), wire.user([wire.answer('t1')], result)])[1]).toEqual([
      'tool-end',
      {
        ...head,
        ...texts,
        diff: '@@ -41,2 +41,2 @@\n a\n-b\n+c\n@@ -90,1 +90,1 @@\n-b\n+c\n\\ No newline at end of file',
        linesAdded: 2,
        linesRemoved: 2,
      },
    ]);
  });

  test('the result tells what a file held before it was written anew', () => {
    const structuredPatch = [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 2, lines: ['-x', '+a', '+b'] }];
    const result = { tool_use_result: { type: 'update', originalFile: 'x\n', structuredPatch } };
    const end = told([...calls({ ...file, content: 'a\nb\n' }, 'Write'), wire.user([wire.answer('t1')], result)])[1];
    expect(end).toMatchObject(['tool-end', { before: 'x\n', after: 'a\nb\n', linesRemoved: 1 }]);
  });

  const hunk = { oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: ['-b', '+c'] };
  test.each([
    ['a new file', { type: 'create', structuredPatch: [], originalFile: null }],
    ['words', 'done'],
    ['counts that are not true', { structuredPatch: [{ ...hunk, oldLines: 7 }] }],
    ['lines without a mark', { structuredPatch: [{ ...hunk, lines: ['b', '+c'] }] }],
    ['a line that is two', { structuredPatch: [{ ...hunk, lines: ['-b', '+c\n+d'] }] }],
    ['places that are none', { structuredPatch: [{ ...hunk, oldStart: -4 }] }],
    ['no hunks', { structuredPatch: { 0: hunk } }],
  ])('a result with %s: what was asked for', (_, details) => {
    const result = wire.user([wire.answer('t1')], { tool_use_result: details });
    expect(told([...calls({ ...file, content: 'a\nb\n' }, 'Write'), result])).toEqual([
      ['tool-start', written],
      ['tool-end', written],
    ]);
  });

  test('of several results in one frame nobody knows whose that is', () => {
    const details = { structuredPatch: [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: ['-x', '+y'] }] };
    const frames = [
      wire.copy('m1', [
        { type: 'tool_use', id: 't1', name: 'Edit', input },
        { type: 'tool_use', id: 't2', name: 'Read', input: file },
      ]),
      wire.user([wire.answer('t1'), wire.answer('t2')], { tool_use_result: details }),
    ];
    expect(told(frames)).toEqual([
      ['tool-start', edited],
      ['tool-end', edited],
    ]);
  });

  test('one that failed has changed nothing', () => {
    expect(told([...calls(input), wire.user([wire.answer('t1', 'no', { is_error: true })])])).toEqual([
      ['tool-start', edited],
    ]);
  });
});

describe('a question about a call', () => {
  const asks = wire.permission('p1', { tool_name: 'Edit', input });

  test('tells its change', () => {
    expect(told([...calls(input), asks]).at(-1)).toEqual(['approval-request', edited]);
    expect(told([wire.permission('p1', { tool_name: 'Edit', input, tool_use_id: undefined })])).toEqual([
      ['approval-request', edited],
    ]);
  });

  test('other arguments in the answer make another change', () => {
    const agent = bench({}, claude);
    agent.feed(wire.init(), wire.start('m1'), asks, ...calls(input));
    agent.events();
    const other = { ...file, old_string: '', new_string: 'a\nb' };
    agent.command({ type: 'answer-approval', id: 'p1', decision: 'allow', input: other }, 'x');
    agent.feed(wire.user([wire.answer('t1')]));
    const changes = agent.events().flatMap((event) => ('change' in event ? [[event.type, event.change]] : []));
    expect(changes.at(-1)).toEqual(['tool-end', { ...added, before: '', after: 'a\nb' }]);
    expect(changes).not.toContainEqual(['tool-start', edited]);
  });
});
