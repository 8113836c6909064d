// Renders a report as JUnit XML for build servers, one suite for each section. `failed` becomes a failure and `unclear`
// an error; not applicable and known failures are skipped. A stale list of known failures is a failure of its own.
import { excerptsOf } from './excerpt.ts';
import { type Counts, countsOf, type Report, type ReportEntry, verdicts } from './report.ts';
import {
  bySection,
  factsOf,
  meanings,
  placeOf,
  reasonOf,
  type Speakers,
  speakersOf,
  staleTitle,
  titleOf,
} from './report-texts.ts';
import { cut, cutAround, oneLine, visible } from './safe-text.ts';

const mostOfReason = 4000;
const mostOfMessage = 1000;

const entities: ReadonlyMap<string, string> = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
  ['\n', '&#10;'],
  ['\t', '&#9;'],
]);

/** XML 1.0 allows neither control characters nor lone surrogates, not even as character references. */
const attribute = (text: string): string => visible(text).replace(/[&<>"\n\t]/gu, (mark) => entities.get(mark) ?? mark);
const content = (text: string): string => visible(text).replace(/[&<>]/gu, (mark) => entities.get(mark) ?? mark);

/** Uses no CDATA, because text may contain the end marker. */
export function renderJunit(report: Report): string {
  const { protocol, side, startedAt, ms, results, counts, stale } = report;
  const speakers = speakersOf(report);
  const began = attribute(startedAt.replace(/\.\d+Z$/u, 'Z'));
  const suites = [...bySection(results)].flatMap(([section, entries]) => {
    const name = `${protocol} ${side} ${section}`;
    return [
      `  <testsuite name="${attribute(name)}" ${totals(entries)} time="${seconds(sum(entries))}" timestamp="${began}">`,
      ...properties(countsOf(entries), '    '),
      ...entries.map((entry) => testcase(entry, `${protocol}.${side}.${section.replaceAll('.', '_')}`, speakers)),
      '  </testsuite>',
    ];
  });
  return `${[
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<!-- ${content(factsOf(report)).replaceAll('--', '- -')} -->`,
    `<testsuites name="${attribute(titleOf(report))}" ${totals(results, stale.length === 0 ? 0 : 1)} time="${seconds(ms)}">`,
    ...properties(counts, '  '),
    ...suites,
    ...(stale.length === 0 ? [] : staleSuite(report, began)),
    '</testsuites>',
  ].join('\n')}\n`;
}

const seconds = (ms: number): string => (ms / 1000).toFixed(3);
const sum = (entries: readonly ReportEntry[]): number => entries.reduce((total, { ms }) => total + ms, 0);

/** The JUnit element for a verdict; null for a passed check. */
function kindOf({ verdict, known }: ReportEntry): 'failure' | 'error' | 'skipped' | null {
  if (verdict === 'not-applicable' || known === true) return 'skipped';
  return verdict === 'failed' ? 'failure' : verdict === 'unclear' ? 'error' : null;
}

function staleSuite({ protocol, side, stale }: Report, began: string): string[] {
  const why = attribute(`${staleTitle}: ${cut(stale.join('; '), mostOfReason)}`);
  return [
    `  <testsuite name="${attribute(`${protocol} ${side} known-failing`)}" ${totals([], 1)} time="0.000" timestamp="${began}">`,
    `    <testcase classname="${attribute(`${protocol}.${side}`)}" name="known-failing" time="0.000">`,
    `      <failure message="${why}" type="stale">${content(cut(stale.join('\n'), mostOfReason))}</failure>`,
    '    </testcase>',
    '  </testsuite>',
  ];
}

/** `more`: failures that are no check. */
function totals(entries: readonly ReportEntry[], more = 0): string {
  const of = (kind: string) => entries.filter((entry) => kindOf(entry) === kind).length;
  return `tests="${entries.length + more}" failures="${of('failure') + more}" errors="${of('error')}" skipped="${of('skipped')}"`;
}

/** The counts as properties, because JUnit has no attribute for some of them. */
function properties({ verdicts: tally, known }: Counts, indent: string): string[] {
  const all = [...verdicts.map((verdict) => [verdict, tally[verdict]] as const), ['known', known] as const];
  return [
    `${indent}<properties>`,
    ...all.map(([name, value]) => `${indent}  <property name="${name}" value="${value}"/>`),
    `${indent}</properties>`,
  ];
}

function testcase(entry: ReportEntry, classname: string, speakers: Speakers): string {
  const { id, sentence, verdict, known, ms } = entry;
  const head = `    <testcase classname="${attribute(classname)}" name="${attribute(id)}" time="${seconds(ms)}"`;
  const kind = kindOf(entry);
  // The sentence stays out of the name: a build server would take a reworded sentence for a new test.
  const about = `    <system-out>${content(`${sentence}\n${placeOf(entry)}`)}</system-out>\n    </testcase>`;
  if (kind === null) return `${head}>\n  ${about}`;
  const reason = oneLine(cut(reasonOf(entry), mostOfReason));
  const message = known === true ? `known to be ${verdict}: ${reason}` : reason;
  const open = `      <${kind} message="${attribute(message)}"`;
  const inner =
    verdict === 'not-applicable'
      ? `${open}/>`
      : `${open}${kind === 'skipped' ? '' : ` type="${verdict}"`}>${content(detailsOf(entry, speakers))}</${kind}>`;
  return `${head}>\n${inner}\n  ${about}`;
}

function detailsOf(entry: ReportEntry, speakers: Speakers): string {
  const { verdict, sentence } = entry;
  const { excerpts } = excerptsOf(entry, { around: 2, most: 8, conversations: 2 });
  const lines = excerpts.flatMap(({ connection, scenario, messages }) => [
    `${scenario === undefined ? '' : `scenario ${scenario}, `}${oneLine(cut(connection, 200))}:`,
    ...messages.flatMap(({ exchange: { at, by, text }, wrong, skipped, focus }) => [
      ...(skipped === 0 ? [] : [`  … ${skipped} left out`]),
      `${wrong.length > 0 ? '>' : ' '} ${Math.round(at)} ms ${speakers[by]}: ${oneLine(cutAround(text, mostOfMessage, focus))}`,
      ...wrong.map((says) => `    ^ ${oneLine(cut(says, mostOfMessage))}`),
    ]),
  ]);
  return [
    `${verdict} (${meanings[verdict]})`,
    sentence,
    placeOf(entry),
    cut(reasonOf(entry), mostOfReason),
    ...lines,
  ].join('\n');
}
