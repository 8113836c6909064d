// Recordings: every accepted form, what is skipped, what is rejected, and how they are judged.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { Rule, Trace } from '../../src/conformance/check/rule.ts';
import type { AgentSet, ClientSet } from '../../src/conformance/check/sets.ts';
import { renderJson } from '../../src/conformance/report/json.ts';
import { makeReport } from '../../src/conformance/report/report.ts';
import { judgeTrace, readTraceFile, type TraceFileOptions } from '../../src/conformance/trace/trace-file.ts';

const rows = (...all: readonly unknown[]): string => all.map((row) => `${JSON.stringify(row)}\n`).join('');
const gist = (text: string, options?: TraceFileOptions) =>
  readTraceFile(text, options).map(({ name, frames }) => [
    name,
    ...frames.map(({ by, text: said, json }) => `${by} ${said}${json === undefined ? ' (no JSON)' : ''}`),
  ]);

const forms: readonly (readonly [string, string, readonly (readonly string[])[]])[] = [
  ['lines', rows({ dir: 'in', line: '{"a":1}' }, { dir: 'out', line: '[2]' }), [['', 'client {"a":1}', 'agent [2]']]],
  ['messages', rows({ dir: 'in', msg: { a: 1 } }, { dir: 'out', msg: null }), [['', 'client {"a":1}', 'agent null']]],
  ['lines that are no JSON', rows({ dir: 'out', line: 'Warning: x' }), [['', 'agent Warning: x (no JSON)']]],
  [
    'rows that were not on the wire',
    rows({ dir: 'argv', line: '[]' }, { dir: 'note', msg: 'x' }, { dir: 'mark', msg: 'y' }, { dir: 'in', line: '1' }),
    [['', 'client 1']],
  ],
  [
    'several connections',
    rows(
      { dir: 'out', line: '1', conn: 'a' },
      { dir: 'in', line: '2', conn: 'b' },
      { dir: 'in', line: '3', conn: 'a' },
    ),
    [
      ['a', 'agent 1', 'client 3'],
      ['b', 'client 2'],
    ],
  ],
  ['connections by number', rows({ dir: 'out', line: '1', conn: 2 }), [['2', 'agent 1']]],
  [
    'bytes with their header',
    rows(
      { dir: 'in-raw', msg: 'Content-Length: 7\r\nContent-Type: x\r\n\r\n{"a":1}' },
      { dir: 'out-raw', msg: 'X: 1\r\n\r\n{' },
    ),
    [['', 'client {"a":1}', 'agent { (no JSON)']],
  ],
  [
    'line ends of Windows, empty lines, a mark at the beginning',
    '\ufeff{"dir":"in","line":"1"}\r\n\r\n\n',
    [['', 'client 1']],
  ],
  ['a last row that is cut off', `${rows({ dir: 'in', line: '1' })}{"dir":"out","li`, [['', 'client 1']]],
  [
    'names that mean something to objects',
    rows({ dir: 'in', line: '1', conn: '__proto__' }),
    [['__proto__', 'client 1']],
  ],
];

test.each(forms)('%s', (_name, text, expected) => {
  expect(gist(text)).toEqual(expected);
});

test('bare lines of one side, when the side is given', () => {
  expect(gist('{"type":"a"}\nno JSON\n', { by: 'agent' })).toEqual([
    ['', 'agent {"type":"a"}', 'agent no JSON (no JSON)'],
  ]);
  expect(gist('{"dir":"in","line":"x"}\n', { by: 'client' })).toEqual([['', 'client {"dir":"in","line":"x"}']]);
});

test('keeps times; bytes without a message become a fault', () => {
  const [trace] = readTraceFile(rows({ dir: 'in', line: '1', at: 12.5 }, { dir: 'in-raw', msg: 'garbage' }));
  expect(trace?.frames).toEqual([
    { at: 12.5, by: 'client', text: '1', json: 1 },
    { at: 0, by: 'client', text: 'garbage', isFault: true },
  ]);
});

test('a recording is incomplete unless declared complete', () => {
  const text = rows({ dir: 'in', line: '1' });
  expect(readTraceFile(text)[0]?.isComplete).toBe(false);
  expect(readTraceFile(text, { isComplete: true })[0]?.isComplete).toBe(true);
});

test('skipped rows are reported with their line', () => {
  const text = `${rows({ dir: 'in', line: '1' }, { dir: 'sideways', line: '2' }, { dir: 7 })}{"dir":`;
  expect(readTraceFile(text)[0]?.remarks).toEqual([
    'line 2: passed over, for its dir is "sideways"',
    'line 3: passed over, for its dir is 7',
    'line 4: the last row is cut off',
  ]);
});

const wrong: readonly (readonly [string, string, string])[] = [
  [
    'a row that is no JSON',
    `${rows({ dir: 'in', line: '1' })}nonsense\n`,
    'line 2 is no row: expected {"dir":"in"|"out","line":"…"}, found nonsense',
  ],
  ['a row that is no object', '[1]\n', 'line 1 is no row'],
  [
    'a row without a direction',
    '{"type":"prompt"}\n',
    'line 1 has no dir; are these the bare lines of one side? Then say whose',
  ],
  ['a row with nothing said', rows({ dir: 'in' }), 'line 1 has neither a line nor a msg'],
  ['nothing at all', '', 'nothing was said in it'],
  ['notes only', rows({ dir: 'note', line: 'x' }, { dir: 'odd' }), 'nothing was said in it; line 2: passed over'],
  ['half a report', '{"format":"patchbay-conformance-report/1",', 'the report is no JSON'],
  [
    'a report without conversations',
    '{"format":"patchbay-conformance-report/1","side":"agent"}',
    'the report cannot be read',
  ],
];

test.each(wrong)('%s is refused', (_name, text, message) => {
  expect(() => readTraceFile(text)).toThrow(message);
});

/** Rejects each message `bad` of that side, and a missing `end` in a complete trace. */
function rule(side: 'agent' | 'client'): Rule<Trace> {
  return {
    id: `toy/${side}`,
    section: '1',
    level: 'MUST',
    basis: 'specification',
    sentence: 'Nothing is bad.',
    scenarios: ['talk'],
    *judge({ frames, isComplete }) {
      for (const [frame, { by, json }] of frames.entries())
        if (by === side) yield { frame, wrong: json === 'bad' ? 'it is bad' : null };
      if (isComplete && frames.at(-1)?.json !== 'end') yield { frame: frames.length - 1, wrong: 'it has no end' };
    },
  };
}
const common = { protocol: 'toy', version: '1' };
const agents: AgentSet = { ...common, side: 'agent', checks: [], scenarios: [], usual: {}, rules: [rule('agent')] };
const clients: ClientSet = {
  ...common,
  side: 'client',
  behaviours: [],
  rules: [rule('client')],
  serve: () => Promise.resolve({ isComplete: false }),
};

test('judges both sides, each by its own rules', () => {
  const text = rows({ dir: 'in', line: '"good"', conn: 'x' }, { dir: 'out', line: '"bad"', conn: 'x' });
  const judged = judgeTrace([agents, clients], readTraceFile(text));
  expect(judged.map(({ set, results }) => [set.side, results.map(({ verdict }) => verdict)])).toEqual([
    ['agent', ['failed']],
    ['client', ['passed']],
  ]);
  const [failed] = judged[0]?.results ?? [];
  expect(failed).toMatchObject({ reason: 'it is bad', breaches: [{ conversation: 0, message: 1, says: 'it is bad' }] });
  expect(failed?.conversations.map(({ connection, log }) => [connection, log.map(({ by }) => by)])).toEqual([
    ['x', ['us', 'peer']],
  ]);
});

test('a missing end counts only in a complete recording', () => {
  const text = rows({ dir: 'out', line: '"good"' });
  const verdict = (options?: TraceFileOptions) =>
    judgeTrace([agents], readTraceFile(text, options))[0]?.results[0]?.verdict;
  expect(verdict()).toBe('passed');
  expect(verdict({ isComplete: true })).toBe('failed');
});

test('a recording of one side says nothing of the other, nor of rules that compare both', () => {
  const paired: AgentSet = {
    ...agents,
    rules: [...agents.rules, { ...rule('agent'), id: 'toy/paired', reads: 'both' }],
  };
  const verdicts = (text: string, options?: TraceFileOptions) =>
    judgeTrace([paired, clients], readTraceFile(text, options)).map(({ results }) =>
      results.map(({ verdict }) => verdict),
    );
  const both = rows({ dir: 'in', line: '"good"' }, { dir: 'out', line: '"bad"' });
  expect(verdicts(both)).toEqual([['failed', 'failed'], ['passed']]);
  expect(verdicts('"bad"\n', { by: 'agent', isComplete: true })).toEqual([
    ['failed', 'not-applicable'],
    ['not-applicable'],
  ]);
  expect(verdicts('"bad"\n', { by: 'client', isComplete: true })).toEqual([
    ['not-applicable', 'not-applicable'],
    ['failed'],
  ]);
});

test('a report can be judged again with the same verdicts', () => {
  const text = rows({ dir: 'in', line: '"hello"' }, { dir: 'out', line: '"bad"' }, { dir: 'out', line: 'no JSON' });
  for (const set of [agents, clients]) {
    const [first] = judgeTrace(
      [set],
      readTraceFile(text.replace('"\\"hello\\""', set.side === 'client' ? '"\\"bad\\""' : '"1"')),
    );
    const results = (first?.results ?? []).map((result) => ({
      ...result,
      // Messages of a client belong to no scenario.
      conversations: result.conversations.map((one) => (set.side === 'agent' ? { ...one, scenario: 'talk' } : one)),
    }));
    const report = renderJson(makeReport({ set, results, target: 'x', startedAt: new Date(0), ms: 1 }));
    const [again] = judgeTrace([set], readTraceFile(report));
    expect(again?.results.map(({ verdict, reason }) => [verdict, reason])).toEqual([['failed', 'it is bad']]);
    expect(readTraceFile(report).map(({ name, frames }) => [name, frames.map(({ by }) => by)])).toEqual([
      [set.side === 'agent' ? 'talk, recorded' : 'recorded', ['client', 'agent', 'agent']],
    ]);
  }
});

test('from an agent report, only conversations that rules have read are judged again', () => {
  const conversations = [{ connection: 'a', log: [{ at: 0, by: 'peer' as const, text: '1' }] }];
  const results = [{ id: 'toy/agent', verdict: 'failed' as const, ms: 1, conversations }];
  const report = renderJson(makeReport({ set: agents, results, target: 'x', startedAt: new Date(0), ms: 1 }));
  expect(() => readTraceFile(report)).toThrow('the report holds no conversation that rules have read');
});

const corpus = process.env.PATCHBAY_CORPUS ?? '../shared/corpus';
if (!existsSync(corpus)) console.log('the recordings of real programs are not at hand (PATCHBAY_CORPUS): not read');

test.skipIf(!existsSync(corpus))('reads every recording of a real program completely', () => {
  const files = readdirSync(corpus, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.jsonl'));
  expect(files.length).toBeGreaterThan(50);
  for (const file of files) {
    const text = readFileSync(path.join(corpus, file), 'utf8');
    const traces = readTraceFile(text);
    const spoken = text.split('\n').filter((line) => /^\{\s*"dir":\s*"(?:in|out)/u.test(line)).length;
    expect(
      traces.reduce((sum, { frames }) => sum + frames.length, 0),
      file,
    ).toBe(spoken);
    expect(
      traces.flatMap(({ remarks }) => remarks),
      file,
    ).toEqual([]);
  }
});
