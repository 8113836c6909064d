// Reports count correctly, and all formats agree whatever the peers sent. Each format is read back by an independent
// reader.
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Verdict } from '../../src/conformance/check/check.ts';
import { renderHtml } from '../../src/conformance/report/html.ts';
import { renderJson } from '../../src/conformance/report/json.ts';
import { renderJunit } from '../../src/conformance/report/junit.ts';
import { renderMarkdown } from '../../src/conformance/report/markdown.ts';
import { makeReport, type Report, verdicts } from '../../src/conformance/report/report.ts';
import { totalsOf } from '../../src/conformance/report/report-texts.ts';
import { visible, widthOf } from '../../src/conformance/report/safe-text.ts';
import { jsonFormat } from '../../src/conformance/report/stored-report.ts';
import { renderTable } from '../../src/conformance/report/table.ts';
import { renderTap } from '../../src/conformance/report/tap.ts';
import { allOf, everyOf, type MarkupElement, readMarkup, skeletonOf, textIn } from './support/markup.ts';
import { hostile, reportOf, said, sampleSet } from './support/reports.ts';
import { readTap } from './support/tap-reader.ts';

const report = reportOf('{"type":"answer"}');
const page = (of: Report): MarkupElement =>
  readMarkup(renderHtml(of), { empty: new Set(['meta', 'input']), raw: new Set(['style']) });
const classOf = (verdict: string): string => (verdict === 'not-applicable' ? 'silent' : verdict);

test('counts results in the order of the set', () => {
  expect(report.results.map(({ id, known }) => [id, known])).toEqual([
    ['toy/passes', undefined],
    ['toy/fails', undefined],
    ['toy/known', true],
    ['toy/unclear', undefined],
    ['toy/silent', undefined],
  ]);
  expect(report.counts).toEqual({
    total: 5,
    known: 1,
    verdicts: { passed: 1, failed: 2, unclear: 1, 'not-applicable': 1 },
    levels: {
      MUST: { passed: 1, failed: 0, unclear: 1, 'not-applicable': 1 },
      SHOULD: { passed: 0, failed: 1, unclear: 0, 'not-applicable': 0 },
      MAY: { passed: 0, failed: 1, unclear: 0, 'not-applicable': 0 },
    },
  });
  expect(totalsOf(report.counts)).toBe('5 checks: 1 passed, 2 failed, 1 unclear, 1 not-applicable (1 known)');
});

test('rejects a result without a check in the set', () => {
  const results = [{ id: 'toy/stray', verdict: 'passed', ms: 0, conversations: [] } as const];
  const parts = { set: sampleSet, target: 'x', startedAt: new Date(0), ms: 0 };
  expect(() => makeReport({ ...parts, results })).toThrow("the set has no check 'toy/stray'");
  expect(makeReport({ ...parts, results: [] }).startedAt).toBe('1970-01-01T00:00:00.000Z');
});

/** The JUnit element for the outcome of a test. */
const outcomeOf = ({ children }: MarkupElement): MarkupElement | undefined =>
  children.flatMap((child) => (typeof child === 'string' || child.name === 'system-out' ? [] : [child]))[0];

/** The verdict of each check in each format. */
const told: readonly (readonly [string, (of: Report) => readonly (readonly [string, string])[]])[] = [
  [
    'JSON',
    (of) => {
      const { results } = JSON.parse(renderJson(of)) as { results: { id: string; verdict: string }[] };
      return results.map(({ id, verdict }) => [id, verdict]);
    },
  ],
  [
    'JUnit',
    (of) =>
      allOf(readMarkup(renderJunit(of)), 'testcase').map((testcase) => {
        const inner = outcomeOf(testcase);
        const said = inner === undefined ? '' : (/^(failed|unclear) \(/u.exec(textIn(inner))?.[1] ?? 'not-applicable');
        return [testcase.attributes.get('name') ?? '', inner === undefined ? 'passed' : said];
      }),
  ],
  [
    'TAP',
    (of) =>
      readTap(renderTap(of)).points.map(({ ok, directive, description, fields }) => [
        description.split(':')[0] ?? '',
        fields.get('verdict') ?? (directive === 'SKIP' ? 'not-applicable' : ok ? 'passed' : ''),
      ]),
  ],
  [
    'HTML',
    (of) =>
      allOf(page(of), 'details').map((check) => {
        const [badge] = allOf(check, 'span');
        const verdict = badge === undefined ? '' : (textIn(badge).split(' ')[1] ?? '');
        expect(check.attributes.get('class')).toBe(`check ${classOf(verdict)}`);
        return [check.attributes.get('id') ?? '', verdict];
      }),
  ],
];

test.each(told)('%s has the verdict of every check', (_name, verdictsIn) => {
  const expected = report.results.map(({ id, verdict }) => [id, verdict]);
  expect(verdictsIn(report)).toEqual(expected);
  for (const [, word] of hostile) expect(verdictsIn(reportOf(word))).toEqual(expected);
});

/** The count of a verdict in each format. */
const counted: readonly (readonly [string, (of: Report, verdict: Verdict) => unknown])[] = [
  ['the table', (of, verdict) => new RegExp(`(\\d+) ${verdict}[ ,(]`, 'u').exec(`${lastLine(renderTable(of))} `)?.[1]],
  [
    'TAP',
    (of, verdict) =>
      readTap(renderTap(of))
        .comments.find((one) => one.startsWith(`${verdict} `))
        ?.split(' ')[1],
  ],
  ['HTML', (of, verdict) => cells(page(of)).at(-1)?.[1 + verdicts.indexOf(verdict)]],
  [
    'the filter',
    (of, verdict) =>
      filterOf(page(of))
        .find((one) => one.startsWith(`${verdict} `))
        ?.split(' ')[1],
  ],
  ['Markdown', (of, verdict) => new RegExp(`(\\d+) ${verdict}`, 'u').exec(renderMarkdown(of))?.[1]],
  [
    'JUnit',
    (of, verdict) =>
      allOf(readMarkup(renderJunit(of)), 'property')
        .find((one) => one.attributes.get('name') === verdict)
        ?.attributes.get('value'),
  ],
  [
    'JSON',
    (of, verdict) => {
      const { counts } = JSON.parse(renderJson(of)) as { counts: { verdicts: Record<string, number> } };
      return String(counts.verdicts[verdict]);
    },
  ],
];

const lastLine = (text: string): string => text.trimEnd().split('\n').at(-1) ?? '';
const cells = (root: MarkupElement): string[][] =>
  allOf(root, 'tr').map((row) => row.children.flatMap((child) => (typeof child === 'string' ? [] : [textIn(child)])));
const filterOf = (root: MarkupElement): string[] => allOf(root, 'label').map((label) => textIn(label).trim());

test.each(counted)('%s counts like all other formats', (_name, count) => {
  for (const verdict of verdicts) expect(count(report, verdict), verdict).toBe(String(report.counts.verdicts[verdict]));
});

test.each(hostile)('no format is broken by %s', (_name, word) => {
  const one = reportOf(word);
  expect(skeletonOf(page(one))).toBe(skeletonOf(page(report)));
  expect(skeletonOf(readMarkup(renderJunit(one)))).toBe(skeletonOf(readMarkup(renderJunit(report))));
  const tap = readTap(renderTap(one));
  expect([tap.plan, tap.points.length, tap.comments.length]).toEqual([5, 5, 7]);
  for (const text of [renderTable(one), renderTap(one), renderMarkdown(one), renderJunit(one)])
    expect(text).not.toMatch(/[^\P{Cc}\n\t]|\p{Cs}|\p{Bidi_Control}|\u2028/u);
  expect(renderTable(one)).not.toContain('\t');
  for (const line of renderTable(one).split('\n')) expect(widthOf(line), line).toBeLessThanOrEqual(100);
});

test.each(hostile)('shows the text of a peer: %s', (_name, word) => {
  const one = reportOf(word);
  const messages = allOf(page(one), 'pre').map(textIn);
  expect(messages).toContain(visible(word));
  const said = readTap(renderTap(one)).points.find(({ fields }) => fields.get('verdict') === 'failed')?.messages ?? [];
  expect(said.map((message) => message.get('text'))).toContain(visible(word));
  const { conversations } = JSON.parse(renderJson(one)) as { conversations: { log: { text: string }[] }[] };
  expect(conversations.map(({ log }) => log.map(({ text }) => text))).toEqual([
    ['{"type":"get"}', word, word, '{"type":"last"}'],
  ]);
});

test('cuts a huge message with a note; JSON keeps it', () => {
  const one = reportOf(`<${'x'.repeat(5_000_000)}>`);
  for (const render of [renderTable, renderTap, renderMarkdown, renderJunit, renderHtml]) {
    const text = render(one);
    expect(text.length, render.name).toBeLessThan(100_000);
    expect(text, render.name).toContain('5,000,002 characters');
  }
  expect(renderJson(one).length).toBeGreaterThan(5_000_000);
});

test('a long conversation is shown around its violations, with the number of omitted messages', () => {
  const log = said(...Array.from({ length: 1000 }, (_none, index) => `message ${index}`));
  const [conversation, breach] = [
    { connection: 'c', log },
    { conversation: 0, says: 'wrong here' },
  ];
  const breaches = [300, 700].map((message) => ({ ...breach, message }));
  const results = [{ id: 'toy/fails', verdict: 'failed', ms: 0, conversations: [conversation], breaches } as const];
  const long = makeReport({ set: sampleSet, results, target: 'x', startedAt: '', ms: 0 });
  const rows = allOf(page(long), 'li').filter((row) => row.attributes.get('class') !== undefined);
  const outline = rows.map((row) => [row.attributes.get('class'), row.attributes.get('value') ?? textIn(row)]);
  expect(outline.filter(([kind]) => kind?.includes('breach') || kind === 'skipped')).toEqual([
    ['skipped', '… 296 messages left out …'],
    ['message us breach', '301'],
    ['skipped', '… 391 messages left out …'],
    ['message us breach', '701'],
    ['skipped', '… 295 messages left out …'],
  ]);
  expect(outline.length).toBe(3 + 2 * 9);
  for (const render of [renderTable, renderTap, renderMarkdown, renderJunit, renderHtml])
    expect(render(long), render.name).toMatch(/message 300\b[\s\S]*wrong here/u);
});

test('the page is self-contained: no script, no handler, no address, and one style sheet that its policy names', () => {
  const root = page(reportOf('x'));
  const names = new Set(everyOf(root).map(({ name }) => name));
  for (const name of ['script', 'link', 'img', 'iframe', 'object', 'form', 'base']) expect(names).not.toContain(name);
  for (const { attributes } of everyOf(root))
    for (const [name, value] of attributes) {
      expect(name).not.toMatch(/^(?:on|src|style$)/u);
      if (name === 'href') expect(value).toMatch(/^#/u);
    }
  const [style] = allOf(root, 'style');
  const hash = createHash('sha256')
    .update(style === undefined ? '' : textIn(style))
    .digest('base64');
  const policy = allOf(root, 'meta').find((meta) => meta.attributes.get('http-equiv') === 'content-security-policy');
  expect(policy?.attributes.get('content')).toBe(
    `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`,
  );
  expect(style === undefined ? '' : textIn(style)).not.toMatch(/url\(|@import/u);
});

test('every link leads to a check, and every filter is in the style sheet', () => {
  const root = page(report);
  const ids = everyOf(root).flatMap(({ attributes }) => attributes.get('id') ?? []);
  expect(new Set(ids).size).toBe(ids.length);
  const links = allOf(root, 'a').map((link) => link.attributes.get('href')?.slice(1));
  expect(links).toEqual(['checks', 'toy/fails', 'toy/known', 'toy/unclear']);
  expect(links.filter((link) => !ids.includes(link ?? ''))).toEqual([]);
  const sheet = allOf(root, 'style').map(textIn).join('');
  for (const verdict of verdicts) expect(sheet).toContain(`#show-${classOf(verdict)}:checked`);
  for (const verdict of verdicts) expect(ids).toContain(`show-${classOf(verdict)}`);
});

test('JUnit: failed is a failure, unclear an error, known and not applicable are skipped', () => {
  const root = readMarkup(renderJunit(report));
  const outcome = allOf(root, 'testcase').map((one) => {
    const inner = outcomeOf(one);
    return inner?.name ?? 'passed';
  });
  expect(outcome).toEqual(['passed', 'failure', 'skipped', 'error', 'skipped']);
  expect(['tests', 'failures', 'errors', 'skipped'].map((name) => root.attributes.get(name))).toEqual([
    '5',
    '1',
    '1',
    '2',
  ]);
  expect(allOf(root, 'testsuite').map((suite) => suite.attributes.get('name'))).toEqual([
    'toy agent 7.4',
    'toy agent get_state',
  ]);
});

test('TAP: known is a TODO, not applicable a SKIP', () => {
  const { points } = readTap(renderTap(report));
  expect(points.map(({ ok, directive }) => [ok, directive])).toEqual([
    [true, null],
    [false, null],
    [false, 'TODO'],
    [false, null],
    [true, 'SKIP'],
  ]);
  expect(points.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5]);
  expect(points[2]?.description).toBe('toy/known: It is so \\ # TODO (toy/known).');
});

test('JSON says what it is, and keeps a conversation that several checks name once', () => {
  const read = JSON.parse(renderJson(report)) as {
    format: string;
    conversations: unknown[];
    results: { conversations: number[] }[];
  };
  expect(read.format).toBe(jsonFormat);
  expect(read.conversations.length).toBe(1);
  expect(read.results.map(({ conversations }) => conversations)).toEqual([[], [0], [0], [0], []]);
});

test('the Markdown page explains failures with our explanations', () => {
  const explanations = new Map([['toy/fails', 'theirs: *no* such | field']]);
  const text = renderMarkdown(report, { explanations, title: 'A page', introduction: 'Before.', isTimeless: true });
  expect(text).toMatch(/^# A page\n\nBefore\.\n\nchecks of toy agents, version 3\.\n/u);
  expect(text).toContain('| theirs: *no* such \\| field |');
  expect(text.match(/\| (?:known|not explained) \|/gu)).toEqual(['| known |', '| not explained |']);
  expect(text).not.toContain('2026-01-02');
  expect(text).toContain('<details><summary>not-applicable: there was nothing to check (1)</summary>');
});

test('the table: sections, not applicable, unclear, failed, totals', () => {
  expect(renderTable(reportOf('no'))).toMatchInlineSnapshot(`
    "toy agent: no
    checks of toy agents, version 3 · 2026-01-02T03:04:05.678Z · 1.2 s

    section                                                       passed  failed unclear  not-applicable
    7.4                                                                1       2       ·               ·
    get_state                                                          ·       ·       1               1

    not-applicable: there was nothing to check (1)
      no
        toy/silent

    unclear: the check could not tell (1)

    ? toy/unclear  MUST · get_state
      It is so (toy/unclear).
      no
        scenario text, no:
             0 ms  we    {"type":"get"}
            10 ms  peer  no
            20 ms  we    no
            30 ms  peer  {"type":"last"}

    failed: the peer is wrong (2)

    ✗ toy/fails  SHOULD · 7.4
      It is so (toy/fails).
      no
        scenario text, no:
             0 ms  we    {"type":"get"}
      ►     10 ms  peer  no
                         ▲ no
            20 ms  we    no
            30 ms  peer  {"type":"last"}

    ✗ toy/known  MAY · 7.4 · measured  known
      It is so \\ # TODO (toy/known).
      no
        scenario text, no:
             0 ms  we    {"type":"get"}
      ►     10 ms  peer  no
                         ▲ no
            20 ms  we    no
            30 ms  peer  {"type":"last"}

    level                                                         passed  failed unclear  not-applicable
    MUST                                                               1       ·       1               1
    SHOULD                                                             ·       1       ·               ·
    MAY                                                                ·       1       ·               ·
    all                                                                1       2       1               1

    5 checks: 1 passed, 2 failed, 1 unclear, 1 not-applicable (1 known)
    "
  `);
  const coloured = renderTable(reportOf('no'), { colour: true });
  expect(coloured.split(/\p{Cc}\[\d+m/u).join('')).toBe(renderTable(reportOf('no')));
  expect(coloured).toContain('\u001b[31m✗\u001b[0m');
  expect(renderTable(report, { showsAllChecks: true })).toMatch(
    /✓ toy\/passes MUST, 1 ms\n {4}It is so \(toy\/passes\)\./u,
  );
});
