// conformance-report.schema.json, which programs validate reports by, and the badge.
import { expect, test } from 'vitest';
import { z } from 'zod';
import { renderBadge } from '../../src/conformance/report/badge.ts';
import { renderJson } from '../../src/conformance/report/json.ts';
import type { Report } from '../../src/conformance/report/report.ts';
import { reportSchema } from '../../src/conformance/report/stored-report.ts';
import { readMarkup, textIn } from './support/markup.ts';
import { hostile, reportOf } from './support/reports.ts';

test('the schema is published as it is made (npx vitest run test/conformance/report-schema -u makes it anew)', async () => {
  await expect(`${JSON.stringify(reportSchema(), null, 2)}\n`).toMatchFileSnapshot(
    '../../conformance-report.schema.json',
  );
});

const schema = z.fromJSONSchema(JSON.parse(JSON.stringify(reportSchema())));
const stored = (report: Report) => JSON.parse(renderJson(report));

test('every report fits the schema, whatever the peers sent', () => {
  for (const [name, word] of [['plain', 'text'] as const, ...hostile])
    expect(schema.safeParse(stored(reportOf(word))).error, name).toBeUndefined();
});

test.each<[string, (report: ReturnType<typeof stored>) => void]>([
  ['another format', (report) => (report.format = 'patchbay-conformance-report/2')],
  ['a verdict that nobody knows', (report) => (report.results[0].verdict = 'maybe')],
  ['a check without its sentence', (report) => delete report.results[0].sentence],
  ['a conversation in words', (report) => (report.results[1].conversations = ['the first'])],
  ['no counts', (report) => delete report.counts],
])('%s does not fit', (_name, spoil) => {
  const report = stored(reportOf('x'));
  spoil(report);
  expect(schema.safeParse(report).success).toBe(false);
});

test('the badge says how many checks passed, and its colour whether the run is green', () => {
  const failed = reportOf('x');
  const without = (...verdicts: string[]): Report => {
    const results = failed.results.filter(({ verdict }) => !verdicts.includes(verdict));
    return { ...failed, results };
  };
  const badge = readMarkup(renderBadge(failed));
  expect(textIn(badge)).toBe('toy agent1 of 4 checks');
  const colourOf = (report: Report) => /fill="(#[0-9a-f]{6})"\/><g/u.exec(renderBadge(report))?.[1];
  expect([failed, without('failed'), without('failed', 'unclear')].map(colourOf)).toEqual([
    '#b3261e',
    '#8a6100',
    '#2c7a39',
  ]);
});
