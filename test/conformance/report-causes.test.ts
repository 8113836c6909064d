// What a report says once and beside its checks: a common cause of many failures, a stale list, and the names of the
// sides.
import { expect, test } from 'vitest';
import type { Result } from '../../src/conformance/check/check.ts';
import { renderHtml } from '../../src/conformance/report/html.ts';
import { renderJson } from '../../src/conformance/report/json.ts';
import { renderJunit } from '../../src/conformance/report/junit.ts';
import { renderMarkdown } from '../../src/conformance/report/markdown.ts';
import { makeReport, type Report, type ReportParts } from '../../src/conformance/report/report.ts';
import { renderTable } from '../../src/conformance/report/table.ts';
import { renderTap } from '../../src/conformance/report/tap.ts';
import { allOf, readMarkup, textIn } from './support/markup.ts';
import { said, sampleSet } from './support/reports.ts';
import { readTap } from './support/tap-reader.ts';

const made = (results: readonly Result[], more: Partial<ReportParts> = {}): Report =>
  makeReport({ set: sampleSet, results, target: 'node x.js: a', startedAt: '2026-01-02T03:04:05Z', ms: 0, ...more });
const ids = ['toy/passes', 'toy/fails', 'toy/known'];
const unclear = (id: string, reason: string): Result => ({ id, verdict: 'unclear', reason, ms: 0, conversations: [] });
const count = (text: string, part: string): number => text.split(part).length - 1;

test('checks that are unclear for one cause form one entry', () => {
  const cause = 'state broke off: the check itself failed: Error: odd\n    at somewhere';
  const report = made([...ids.map((id) => unclear(id, cause)), unclear('toy/silent', 'another')]);
  const table = renderTable(report);
  expect(table).toContain(
    [
      'unclear: the check could not tell (4)',
      '',
      '? 3 checks',
      '  state broke off: the check itself failed: Error: odd',
      '      at somewhere',
      '    toy/passes toy/fails toy/known',
      '',
      '? toy/silent  MUST · get_state',
    ].join('\n'),
  );
  expect(count(table, 'at somewhere')).toBe(1);
  const markdown = renderMarkdown(report);
  expect(count(markdown, 'at somewhere')).toBe(1);
  expect(count(markdown, '| as `toy/passes` |')).toBe(2);
  const page = readMarkup(renderHtml(report), { empty: new Set(['meta', 'input']), raw: new Set(['style']) });
  const troubles = allOf(page, 'li').map((item) => textIn(item).split(' ').slice(0, 4));
  expect(troubles).toEqual([
    [...ids, 'unclear:'],
    ['toy/silent', 'unclear:', 'another'],
  ]);
});

test('a failed check stands above those that could not be tried because of it', () => {
  const report = made([
    { id: 'toy/fails', verdict: 'failed', reason: 'no answer', ms: 0, conversations: [] },
    { ...unclear('toy/silent', 'no answer came'), because: 'toy/fails' },
    { ...unclear('toy/unclear', 'no answer came'), because: 'toy/fails' },
    { ...unclear('toy/known', 'something else'), because: 'toy/passes' },
    { id: 'toy/passes', verdict: 'passed', ms: 0, conversations: [] },
  ]);
  const words = '2 checks could not be tried because of it:';
  expect(renderTable(report)).toContain(`no answer\n  ${words}\n    toy/unclear toy/silent`);
  const page = readMarkup(renderHtml(report), { empty: new Set(['meta', 'input']), raw: new Set(['style']) });
  expect(allOf(page, 'li').map((item) => textIn(item).replaceAll(/\s+/gu, ' ').trim())).toEqual([
    `toy/fails failed: no answer${words} toy/unclear toy/silent`,
    'toy/known unclear: something else',
  ]);
  const chosen = allOf(page, 'input').filter(({ attributes }) => attributes.has('checked'));
  expect(chosen.map(({ attributes }) => attributes.get('id'))).toEqual(['show-bad']);
});

test('a run that was stopped: not run', () => {
  const report = made([
    unclear('toy/passes', 'the run was stopped'),
    unclear('toy/fails', 'text broke off: it was not tried: the run was stopped'),
    unclear('toy/known', 'state broke off: the run was stopped'),
    unclear('toy/silent', 'text broke off: it was not tried: nothing was heard of the peer: why'),
    unclear('toy/unclear', 'text broke off: something else'),
  ]);
  const table = renderTable(report);
  expect(table).toContain('? 3 checks\n  not run: the run was stopped\n    toy/passes toy/fails toy/known\n');
  expect(table).toContain('  not run: nothing was heard of the peer: why\n');
  expect(table).toContain('  text broke off: something else\n');
});

test('a stale list is a failure of its own', () => {
  const stale = ['line 1: toy/passes passes', 'line 2: there is no check <toy/nope*>'];
  const passed: Result = { id: 'toy/passes', verdict: 'passed', ms: 0, conversations: [] };
  const [report, clean] = [made([passed], { stale }), made([passed])];
  const junit = readMarkup(renderJunit(report));
  expect([junit.attributes.get('tests'), junit.attributes.get('failures')]).toEqual(['2', '1']);
  const failures = allOf(junit, 'failure').map((failure) => textIn(failure));
  expect(failures).toEqual([stale.join('\n')]);
  expect(allOf(junit, 'testcase').map((one) => one.attributes.get('name'))).toEqual(['toy/passes', 'known-failing']);
  const tap = readTap(renderTap(report));
  expect([tap.plan, tap.points.map(({ ok }) => ok)]).toEqual([2, [true, false]]);
  expect(tap.points[1]?.fields.get('reason')).toBe(stale.join('\n'));
  expect(renderMarkdown(report)).toContain(
    '## failed: the list of known failures is stale (2)\n\n- line 1: toy/passes passes\n',
  );
  const page = readMarkup(renderHtml(report), { empty: new Set(['meta', 'input']), raw: new Set(['style']) });
  expect(allOf(page, 'li').map(textIn)).toEqual(stale);
  expect(JSON.parse(renderJson(report))).toMatchObject({ stale });
  for (const render of [renderTap, renderMarkdown, renderJunit, renderHtml])
    expect(render(clean), render.name).not.toContain('stale (');
  expect(readTap(renderTap(clean)).plan).toBe(1);
  expect(allOf(readMarkup(renderJunit(clean)), 'testcase').length).toBe(1);
});

test.each([
  [false, 'agent', ['we', 'peer']],
  [true, 'agent', ['client', 'agent']],
  [true, 'client', ['agent', 'client']],
] as const)('names of the sides: recorded %s, of the %s', (isRecorded, side, [first, second]) => {
  const conversations = [{ connection: 'c', log: said('one', 'two') }];
  const failed: Result = { id: 'toy/fails', verdict: 'failed', reason: 'odd', ms: 0, conversations };
  const report: Report = { ...made([failed], { isRecorded }), side };
  expect(renderTable(report)).toMatch(new RegExp(` ${first} +one\\n.* ${second} +two\\n`, 'u'));
  expect(renderMarkdown(report)).toMatch(new RegExp(` ${first} +one\\n +${second} +two\\n`, 'u'));
  expect(renderJunit(report)).toMatch(new RegExp(` ${first}: one\\n.* ${second}: two`, 'u'));
  expect(readTap(renderTap(report)).points[0]?.messages.map((one) => one.get('by'))).toEqual([first, second]);
  expect(renderHtml(report)).toMatch(new RegExp(`>${first} →<.*>← ${second}<`, 'su'));
});

test('names and titles: the id alone, and no backslash where none is needed', () => {
  const passed: Result = { id: 'toy/passes', verdict: 'passed', ms: 0, conversations: [] };
  const [testcase] = allOf(readMarkup(renderJunit(made([passed]))), 'testcase');
  expect(testcase?.attributes.get('name')).toBe('toy/passes');
  expect(testcase === undefined ? '' : textIn(testcase)).toContain('It is so (toy/passes).');
  expect(renderMarkdown(made([passed]))).toMatch(/^# toy agent: node x\.js: a\n/u);
  const target = 'https://x :smile: @name';
  expect(renderMarkdown(made([passed], { target }))).toMatch(/^# toy agent: https\\:\/\/x \\:smile: \\@name\n/u);
});
