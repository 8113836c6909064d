// A report as a page of documentation: the totals, each failure with its explanation, and what did not come up, folded. Pure; it
// knows explanations only as a table that is given.
import type { Verdict } from '../check.ts';
import { excerptsOf } from './excerpt.ts';
import { levels, type Report, type ReportEntry, type Tally, verdicts } from './report.ts';
import { factsOf, meanings, placeOf, titleOf, totalsOf } from './summary.ts';
import { cut, oneLine, visible } from './words.ts';

/** How the page is made. */
export interface MarkdownOptions {
  /** Default: who was judged. */
  readonly title?: string;
  /** Ours; it stands under the title as it is. */
  readonly introduction?: string;
  /** Why a check did not pass, by its id: whose fault, and what follows from it. Ours; it stands as it is. */
  readonly explanations?: ReadonlyMap<string, string>;
  /** Time and duration are left out, so that the page changes only with what it says. */
  readonly isTimeless?: boolean;
}

const mostOfReason = 600;
const mostOfMessage = 600;

/** Whatever Markdown or HTML would read as its own is escaped. */
const plain = (text: string): string =>
  oneLine(text)
    .replace(/[\\`*_{}[\]|#~$:@]/gu, (mark) => `\\${mark}`)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');

/** Ends with a line end. */
export function renderMarkdown(report: Report, options: MarkdownOptions = {}): string {
  const { title = titleOf(report), introduction, isTimeless = false } = options;
  const { results, counts, protocol, side, version } = report;
  const of = (wanted: Verdict) => results.filter(({ verdict }) => verdict === wanted);
  const facts = isTimeless ? `checks of ${protocol} ${side}s, version ${version}` : factsOf(report);
  const parts = [
    `# ${plain(title)}`,
    ...(introduction === undefined ? [] : [introduction]),
    `${plain(facts)}.`,
    `**${totalsOf(counts)}**`,
    [
      `| level | ${verdicts.join(' | ')} |`,
      '|---|--:|--:|--:|--:|',
      ...levels.map((level) => tallyRow(level, counts.levels[level])),
      tallyRow('all', counts.verdicts),
    ].join('\n'),
    ...troubleParts('failed', of('failed'), options),
    ...troubleParts('unclear', of('unclear'), options),
    ...silentParts(of('not-applicable')),
  ];
  return `${parts.join('\n\n')}\n`;
}

const tallyRow = (name: string, tally: Tally): string =>
  `| ${name} | ${verdicts.map((verdict) => tally[verdict]).join(' | ')} |`;

function troubleParts(
  verdict: 'failed' | 'unclear',
  entries: readonly ReportEntry[],
  { explanations = new Map() }: MarkdownOptions,
): string[] {
  if (entries.length === 0) return [];
  const rows = entries.map((entry) => {
    const why =
      explanations.get(entry.id)?.replaceAll('|', '\\|') ?? (entry.known === true ? 'known' : 'not explained');
    return `| \`${entry.id}\` | ${plain(placeOf(entry))} | ${plain(entry.sentence)} | ${plain(cut(entry.reason ?? '', mostOfReason))} | ${why} |`;
  });
  const details = entries.flatMap((entry) => {
    const frames = framesOf(entry);
    if (frames.length === 0) return [];
    const fence = fenceFor(frames);
    return [
      `<details><summary><code>${entry.id}</code></summary>\n\n${fence}text\n${frames.join('\n')}\n${fence}\n\n</details>`,
    ];
  });
  return [
    `## ${verdict}: ${meanings[verdict]} (${entries.length})`,
    ['| check | where | what is to be so | what came | explanation |', '|---|---|---|---|---|', ...rows].join('\n'),
    ...details,
  ];
}

function framesOf(entry: ReportEntry): string[] {
  const { excerpts } = excerptsOf(entry, { around: 1, most: 6, conversations: 1 });
  return excerpts.flatMap(({ connection, scenario, messages }) => [
    `${scenario === undefined ? '' : `scenario ${scenario}, `}${oneLine(cut(connection, 100))}`,
    ...messages.flatMap(({ exchange: { by, text }, wrong, skipped }) => [
      ...(skipped === 0 ? [] : [`  … ${skipped} left out`]),
      `${wrong.length > 0 ? '►' : ' '} ${by === 'us' ? 'we  ' : 'peer'}  ${oneLine(cut(text, mostOfMessage))}`,
      ...wrong.slice(0, 3).map((says) => `          ▲ ${oneLine(cut(says, mostOfReason))}`),
    ]),
  ]);
}

/** Longer than any run of backticks inside. */
function fenceFor(lines: readonly string[]): string {
  const longest = Math.max(0, ...lines.flatMap((line) => (line.match(/`+/gu) ?? []).map((run) => run.length)));
  return '`'.repeat(Math.max(3, longest + 1));
}

function silentParts(entries: readonly ReportEntry[]): string[] {
  if (entries.length === 0) return [];
  const rows = entries.map(({ id, reason = '' }) => `- \`${id}\`: ${plain(visible(cut(reason, mostOfReason)))}`);
  const summary = `not-applicable: ${meanings['not-applicable']} (${entries.length})`;
  return [`<details><summary>${summary}</summary>\n\n${rows.join('\n')}\n\n</details>`];
}
