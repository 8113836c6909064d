// `patchbay compare`: what changed on the wire, as a table of one change each, and on recordings of real versions of pi.
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, test } from 'vitest';
import { compareTapes } from '../../src/tape/comparison.ts';
import { readTape, type TapeFrame } from '../../src/tape/reader.ts';

type Said = readonly ['in' | 'out' | 'err', object];

function tape(...said: readonly Said[]): readonly TapeFrame[] {
  return readTape(said.map(([dir, message]) => JSON.stringify({ dir, line: JSON.stringify(message) })).join('\n'))
    .frames;
}

function changes(a: readonly Said[], b: readonly Said[]): string[] {
  return compareTapes(tape(...a), tape(...b)).map(
    ({ change, dir, kind, path, a: was, b: is }) => `${change} ${dir} ${kind} ${path}: ${was} > ${is}`,
  );
}

const start: Said = ['out', { type: 'start', id: 'a', cwd: '/a', startedAt: 1, n: 1 }];
const end: Said = ['out', { type: 'end' }];

test.each<[string, readonly Said[], readonly Said[], readonly string[]]>([
  [
    'ids, times, places and contents',
    [start],
    [['out', { type: 'start', id: 'b', cwd: '/b', startedAt: 2, n: 2 }]],
    [],
  ],
  ['stderr', [start], [start, ['err', { type: 'x' }]], []],
  ['a new frame', [start], [start, end], ['new-kind out end :  > 1 ×']],
  ['a frame that is gone', [start, end, end], [start], ['gone-kind out end : 2 × > ']],
  [
    'the same frame in the other direction',
    [end],
    [['in', { type: 'end' }]],
    ['gone-kind out end : 1 × > ', 'new-kind in end :  > 1 ×'],
  ],
  ['a new field', [end], [['out', { type: 'end', why: { a: [1] } }]], ['new-field out end why:  > object']],
  [
    'a field that is gone',
    [['out', { type: 'end', list: [{ a: 1 }] }]],
    [['out', { type: 'end', list: [{}] }]],
    ['gone-field out end list[].a: number > '],
  ],
  [
    'another type',
    [['out', { type: 'end', n: 1 }]],
    [['out', { type: 'end', n: '1' }]],
    ['type out end n: number > string'],
  ],
  [
    'null beside a value',
    [
      ['out', { type: 'end', n: 1 }],
      ['out', { type: 'end', n: null }],
    ],
    [['out', { type: 'end', n: 1 }]],
    ['type out end n: null or number > number'],
  ],
  [
    'an id of another type',
    [['out', { type: 'end', id: 1 }]],
    [['out', { type: 'end', id: '1' }]],
    ['type out end id: number > string'],
  ],
  ['another order', [start, end], [end, start], ['order out start : line 1 > line 2']],
  ['more of the same in a row', [start, start, end], [start, end], []],
  [
    'a group that comes more often',
    [start, end],
    [start, end, start, end],
    ['count out start : 1 × > 2 ×', 'count out end : 1 × > 2 ×'],
  ],
  [
    'answers of JSON-RPC, whose ids differ',
    [['out', { jsonrpc: '2.0', id: 1, result: {} }]],
    [['out', { jsonrpc: '2.0', id: 7, result: {} }]],
    [],
  ],
  [
    'answers to control requests',
    [['out', { type: 'control_response', response: { request_id: 'x' } }]],
    [['out', { type: 'control_response', response: { request_id: 'y' } }]],
    [],
  ],
])('%s', (_, a, b, expected) => {
  const found = changes(a, b);
  if (expected.length === 1 && expected[0]?.startsWith('order')) {
    // Which of the two has moved is a matter of view.
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(/^order out (?:start|end)/u);
  } else expect(found).toEqual(expected);
});

const corpus = process.env.PATCHBAY_CORPUS ?? '../shared/corpus';
const isAbsent = !existsSync(join(corpus, 'pi'));
const file = (version: string, name: string) => join(corpus, 'pi', version, `${name}.jsonl`);
const frames = (path: string) => readTape(readFileSync(path, 'utf8')).frames;

test.skipIf(isAbsent)('every recording of pi equals itself (skipped without the corpus)', () => {
  const versions = readdirSync(join(corpus, 'pi'));
  for (const version of versions) {
    for (const name of readdirSync(join(corpus, 'pi', version)).filter((one) => one.endsWith('.jsonl'))) {
      const all = frames(join(corpus, 'pi', version, name));
      expect(compareTapes(all, all), `${version}/${name}`).toEqual([]);
    }
  }
});

test.skipIf(isAbsent)('pi 0.73 and pi 0.87: deltas without snapshots (skipped without the corpus)', () => {
  const list = compareTapes(frames(file('0.73.1', 'text')), frames(file('0.87.1', 'text')));
  const says = (change: string, kind: string, path: string) =>
    list.some((one) => one.change === change && one.kind === kind && one.path === path);
  expect(says('new-kind', 'agent_settled', '')).toBe(true);
  expect(says('gone-field', 'message_update text_delta', 'message')).toBe(true);
  expect(says('gone-field', 'message_update text_delta', 'message.role')).toBe(false);
  expect(says('type', 'message_start', 'message.content')).toBe(true);
  expect(list.filter(({ change }) => change === 'gone-kind')).toEqual([]);
});

it('reads files whole', () => {
  const folder = mkdtempSync(join(tmpdir(), 'patchbay-compare-'));
  writeFileSync(join(folder, 'a'), '{"dir":"out","line":"no json"}\n');
  expect(compareTapes(frames(join(folder, 'a')), tape(end)).map(({ change, kind }) => [change, kind])).toEqual([
    ['gone-kind', 'text'],
    ['new-kind', 'end'],
  ]);
});
