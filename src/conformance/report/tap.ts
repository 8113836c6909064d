// Renders a report as TAP 14, with YAML diagnostics for failed and unclear checks. A known failure is a TODO, a check
// that is not applicable a SKIP; a stale list of known failures is a test point of its own.
import { excerptsOf } from './excerpt.ts';
import { isBad, type Report, type ReportEntry, verdicts } from './report.ts';
import { factsOf, reasonOf, type Speakers, speakersOf, staleTitle, titleOf, totalsOf } from './report-texts.ts';
import { cut, cutAround, oneLine, visible } from './safe-text.ts';

const mostOfReason = 4000;
const mostOfMessage = 1000;

/** `#` begins a directive unless it is escaped. */
const plain = (text: string): string => oneLine(text).replace(/[\\#]/gu, (mark) => `\\${mark}`);
/** A JSON string is a valid YAML string once it holds no invisible characters. */
const quoted = (text: string): string => JSON.stringify(visible(text));

/** Ends with the totals, as a comment. */
export function renderTap(report: Report): string {
  const { results, counts, stale } = report;
  const speakers = speakersOf(report);
  const lines = [
    'TAP version 14',
    `# ${titleOf(report)}`,
    `# ${factsOf(report)}`,
    `1..${results.length + (stale.length === 0 ? 0 : 1)}`,
    ...results.flatMap((entry, index) => pointOf(entry, index + 1, speakers)),
    ...(stale.length === 0 ? [] : stalePoint(stale, results.length + 1)),
    `# ${totalsOf(counts)}`,
    ...verdicts.map((verdict) => `# ${verdict} ${counts.verdicts[verdict]}`),
  ];
  return `${lines.join('\n')}\n`;
}

function stalePoint(stale: readonly string[], number: number): string[] {
  return [
    `not ok ${number} - known-failing: ${staleTitle}`,
    '  ---',
    '  verdict: stale',
    `  reason: ${quoted(cut(stale.join('\n'), mostOfReason))}`,
    '  ...',
  ];
}

function pointOf(entry: ReportEntry, number: number, speakers: Speakers): string[] {
  const { id, sentence, verdict, known } = entry;
  const reason = plain(cut(reasonOf(entry), 300));
  const directive =
    verdict === 'not-applicable' ? ` # SKIP ${reason}` : known === true ? ` # TODO known to be ${verdict}` : '';
  const point = `${isBad(entry) ? 'not ok' : 'ok'} ${number} - ${plain(`${id}: ${sentence}`)}${directive}`;
  return isBad(entry) ? [point, ...diagnostic(entry, speakers)] : [point];
}

function diagnostic(entry: ReportEntry, speakers: Speakers): string[] {
  const { verdict, level, section, basis } = entry;
  const { excerpts } = excerptsOf(entry, { around: 2, most: 8, conversations: 2 });
  const messages = excerpts.flatMap(({ connection, scenario, messages: shown }) =>
    shown.flatMap(({ exchange: { at, by, text }, wrong, focus }) => [
      `    - connection: ${quoted(cut(connection, 200))}`,
      ...(scenario === undefined ? [] : [`      scenario: ${quoted(scenario)}`]),
      `      ms: ${Math.round(at)}`,
      `      by: ${speakers[by]}`,
      `      text: ${quoted(cutAround(text, mostOfMessage, focus))}`,
      ...(wrong.length === 0 ? [] : [`      wrong: ${quoted(cut(wrong.join('; '), mostOfMessage))}`]),
    ]),
  );
  return [
    '  ---',
    `  verdict: ${verdict}`,
    `  level: ${level}`,
    `  section: ${quoted(section)}`,
    `  basis: ${basis}`,
    `  reason: ${quoted(cut(reasonOf(entry), mostOfReason))}`,
    ...(messages.length === 0 ? [] : ['  messages:', ...messages]),
    '  ...',
  ];
}
