// A report as TAP 14, with YAML diagnostics under what failed or is unclear. What is known is a TODO, what is not applicable a
// SKIP. Pure.
import { excerptsOf } from './excerpt.ts';
import { isBad, type Report, type ReportEntry, verdicts } from './report.ts';
import { factsOf, titleOf, totalsOf } from './summary.ts';
import { cut, oneLine, visible } from './words.ts';

const mostOfReason = 4000;
const mostOfMessage = 1000;

/** `#` begins a directive, unless it is escaped. */
const plain = (text: string): string => oneLine(text).replace(/[\\#]/gu, (mark) => `\\${mark}`);
/** Each JSON string is one of YAML as well, once nothing in it is invisible. */
const quoted = (text: string): string => JSON.stringify(visible(text));

/** Ends with the totals, as a comment. */
export function renderTap(report: Report): string {
  const { results, counts } = report;
  const lines = [
    'TAP version 14',
    `# ${titleOf(report)}`,
    `# ${factsOf(report)}`,
    `1..${results.length}`,
    ...results.flatMap((entry, index) => pointOf(entry, index + 1)),
    `# ${totalsOf(counts)}`,
    ...verdicts.map((verdict) => `# ${verdict} ${counts.verdicts[verdict]}`),
  ];
  return `${lines.join('\n')}\n`;
}

function pointOf(entry: ReportEntry, number: number): string[] {
  const { id, sentence, verdict, reason = '', known } = entry;
  const told = plain(cut(reason, 300));
  const directive =
    verdict === 'not-applicable' ? ` # SKIP ${told}` : known === true ? ` # TODO known to be ${verdict}` : '';
  const point = `${isBad(entry) ? 'not ok' : 'ok'} ${number} - ${plain(`${id}: ${sentence}`)}${directive}`;
  return isBad(entry) ? [point, ...diagnostic(entry)] : [point];
}

function diagnostic(entry: ReportEntry): string[] {
  const { verdict, level, section, basis, reason = '' } = entry;
  const { excerpts } = excerptsOf(entry, { around: 2, most: 8, conversations: 2 });
  const messages = excerpts.flatMap(({ connection, scenario, messages: shown }) =>
    shown.flatMap(({ exchange: { at, by, text }, wrong }) => [
      `    - connection: ${quoted(cut(connection, 200))}`,
      ...(scenario === undefined ? [] : [`      scenario: ${quoted(scenario)}`]),
      `      ms: ${Math.round(at)}`,
      `      by: ${by}`,
      `      text: ${quoted(cut(text, mostOfMessage))}`,
      ...(wrong.length === 0 ? [] : [`      wrong: ${quoted(cut(wrong.join('; '), mostOfMessage))}`]),
    ]),
  );
  return [
    '  ---',
    `  verdict: ${verdict}`,
    `  level: ${level}`,
    `  section: ${quoted(section)}`,
    `  basis: ${basis}`,
    `  reason: ${quoted(cut(reason, mostOfReason))}`,
    ...(messages.length === 0 ? [] : ['  messages:', ...messages]),
    '  ...',
  ];
}
