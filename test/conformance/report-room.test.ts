// The HTML page of a report is small whatever the run holds, and shows the message that is wrong of every check that has
// one (docs/conformance/README.md, "Reading a report").
import { expect, test } from 'vitest';
import type { Breach, Result } from '../../src/conformance/check/check.ts';
import { type CheckSet, descriptionsOf } from '../../src/conformance/check/sets.ts';
import { sets } from '../../src/conformance/index.ts';
import { renderHtml } from '../../src/conformance/report/html.ts';
import { makeReport } from '../../src/conformance/report/report.ts';
import { allOf, type MarkupElement, readMarkup, textIn } from './support/markup.ts';
import { said } from './support/reports.ts';

const most = 1_000_000;

interface Run {
  readonly set: CheckSet;
  readonly verdict: Result['verdict'];
  readonly reason: string;
  /** The texts of each of five conversations. */
  readonly texts: readonly string[];
  /** The messages of each conversation that are wrong. */
  readonly wrong: readonly number[];
}

/** The page of a run in which every check of the set ends alike. */
function pageOf({ set, verdict, reason, texts, wrong }: Run): string {
  const conversations = Array.from({ length: 5 }, () => ({ connection: reason, log: said(...texts) }));
  const breaches = conversations.flatMap((_one, conversation): Breach[] =>
    wrong.map((message) => ({ conversation, message, says: reason })),
  );
  const results = descriptionsOf(set).map(
    ({ id }): Result => ({ id, verdict, reason, ms: 0, conversations, ...(breaches.length === 0 ? {} : { breaches }) }),
  );
  const stale = results.map(() => reason);
  return renderHtml(makeReport({ set, results, target: reason, startedAt: new Date(0), ms: 0, stale }));
}

const largest =
  sets.toSorted((a, b) => descriptionsOf(b).length - descriptionsOf(a).length)[0] ?? expect.fail('no sets');

test.each(
  (['failed', 'unclear', 'not-applicable'] as const).flatMap((verdict) =>
    // Characters that take the most bytes: escaped, made visible, in UTF-8.
    ['&', '\u202e', '漢'].map((one) => [verdict, one] as const),
  ),
)('no page exceeds 1 MB: all %s, of %j', (verdict, one) => {
  const long = one.repeat(5000);
  const wrong = verdict === 'failed' ? [1, 9, 17, 25] : [];
  const texts = Array.from({ length: 40 }, () => long);
  expect(Buffer.byteLength(pageOf({ set: largest, verdict, reason: long, texts, wrong }))).toBeLessThanOrEqual(most);
});

const rows = (check: MarkupElement): MarkupElement[] =>
  allOf(check, 'li').filter((row) => row.attributes.get('class')?.includes('breach') === true);

test.each(sets.map((set) => [`${set.protocol} ${set.side}`, set] as const))(
  '%s: where everything fails, each check shows what is wrong',
  (_name, set) => {
    const filler = 'x'.repeat(3000);
    const texts = Array.from({ length: 60 }, () => JSON.stringify({ type: 'kind', filler }));
    texts[41] = JSON.stringify({ type: 'kind', filler, data: { model: 7 }, more: filler });
    const page = pageOf({ set, verdict: 'failed', reason: 'data.model must be an object', texts, wrong: [41] });
    const checks = allOf(readMarkup(page, { empty: new Set(['meta', 'input']), raw: new Set(['style']) }), 'details');
    expect(checks).toHaveLength(descriptionsOf(set).length);
    for (const check of checks) {
      const shown = rows(check).map((row) => [row.attributes.get('value'), textIn(row)]);
      expect(shown[0]).toEqual(['42', expect.stringMatching(/"model":7[\s\S]*▲ data\.model must be an object$/u)]);
    }
  },
);
