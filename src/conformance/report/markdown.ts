// Renders a report as a Markdown page: the totals, each failure with its explanation, and a folded list of what was not
// applicable.
import type { Verdict } from '../check/check.ts';
import { excerptsOf } from './excerpt.ts';
import { levels, type Report, type ReportEntry, type Tally, verdicts } from './report.ts';
import {
  byReason,
  factsOf,
  meanings,
  placeOf,
  reasonOf,
  type Speakers,
  speakersOf,
  staleTitle,
  titleOf,
  totalsOf,
} from './report-texts.ts';
import { cut, cutAround, oneLine, padded, visible } from './safe-text.ts';

/** Options of the page. */
export interface MarkdownOptions {
  /** Default: the target of the report. */
  readonly title?: string;
  /** Trusted Markdown, placed under the title unescaped. */
  readonly introduction?: string;
  /** Explanations by check id. Trusted Markdown, not escaped. */
  readonly explanations?: ReadonlyMap<string, string>;
  /** Leaves out time and duration, so that the page changes only with the results. */
  readonly isTimeless?: boolean;
}

const mostOfReason = 600;
const mostOfMessage = 600;

/** Escapes everything that Markdown or HTML would interpret; a colon only in an address or before an emoji name. */
const plain = (text: string): string =>
  oneLine(text)
    .replace(/[\\`*_{}[\]|#~$@]|:(?=\/\/|[\w+-]+:)/gu, (mark) => `\\${mark}`)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');

/** Ends with a newline. */
export function renderMarkdown(report: Report, options: MarkdownOptions = {}): string {
  const { title = titleOf(report), introduction, isTimeless = false } = options;
  const { results, counts, protocol, side, version, stale } = report;
  const speakers = speakersOf(report);
  const of = (wanted: Verdict) => results.filter(({ verdict }) => verdict === wanted);
  const facts = isTimeless ? `checks of ${protocol} ${side}s, version ${version}` : factsOf(report);
  const parts = [
    `# ${plain(title)}`,
    ...(introduction === undefined ? [] : [introduction]),
    `${oneLine(facts)}.`,
    `**${totalsOf(counts)}**`,
    [
      `| level | ${verdicts.join(' | ')} |`,
      '|---|--:|--:|--:|--:|',
      ...levels.map((level) => tallyRow(level, counts.levels[level])),
      tallyRow('all', counts.verdicts),
    ].join('\n'),
    ...staleParts(stale),
    ...troubleParts('failed', of('failed'), { ...options, speakers }),
    ...troubleParts('unclear', of('unclear'), { ...options, speakers }),
    ...silentParts(of('not-applicable')),
  ];
  return `${parts.join('\n\n')}\n`;
}

const tallyRow = (name: string, tally: Tally): string =>
  `| ${name} | ${verdicts.map((verdict) => tally[verdict]).join(' | ')} |`;

function staleParts(stale: readonly string[]): string[] {
  if (stale.length === 0) return [];
  const rows = stale.map((line) => `- ${plain(cut(line, mostOfReason))}`);
  return [`## failed: ${staleTitle} (${stale.length})`, rows.join('\n')];
}

function troubleParts(
  verdict: 'failed' | 'unclear',
  entries: readonly ReportEntry[],
  { explanations = new Map(), speakers }: MarkdownOptions & { readonly speakers: Speakers },
): string[] {
  if (entries.length === 0) return [];
  /** Of several failures with one cause, the first shows the explanation. */
  const firsts = new Map<ReportEntry, string>();
  if (verdict === 'unclear')
    for (const [first, ...others] of byReason(entries).values())
      for (const other of others) firsts.set(other, first?.id ?? '');
  const rows = entries.map((entry) => {
    const first = firsts.get(entry);
    const came = first === undefined ? plain(cut(reasonOf(entry), mostOfReason)) : `as \`${first}\``;
    const why =
      explanations.get(entry.id)?.replaceAll('|', '\\|') ?? (entry.known === true ? 'known' : 'not explained');
    return `| \`${entry.id}\` | ${plain(placeOf(entry))} | ${plain(entry.sentence)} | ${came} | ${why} |`;
  });
  const details = entries.flatMap((entry) => {
    if (firsts.has(entry)) return [];
    const frames = framesOf(entry, speakers);
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

function framesOf(entry: ReportEntry, speakers: Speakers): string[] {
  const width = Math.max(speakers.us.length, speakers.peer.length);
  const { excerpts } = excerptsOf(entry, { around: 1, most: 6, conversations: 1 });
  return excerpts.flatMap(({ connection, scenario, messages }) => [
    `${scenario === undefined ? '' : `scenario ${scenario}, `}${oneLine(cut(connection, 100))}`,
    ...messages.flatMap(({ exchange: { by, text }, wrong, skipped, focus }) => [
      ...(skipped === 0 ? [] : [`  … ${skipped} left out`]),
      `${wrong.length > 0 ? '►' : ' '} ${padded(speakers[by], width)}  ${oneLine(cutAround(text, mostOfMessage, focus))}`,
      ...wrong.slice(0, 3).map((says) => `          ▲ ${oneLine(cut(says, mostOfReason))}`),
    ]),
  ]);
}

/** A fence longer than any run of backticks inside. */
function fenceFor(lines: readonly string[]): string {
  const longest = Math.max(0, ...lines.flatMap((line) => (line.match(/`+/gu) ?? []).map((run) => run.length)));
  return '`'.repeat(Math.max(3, longest + 1));
}

function silentParts(entries: readonly ReportEntry[]): string[] {
  if (entries.length === 0) return [];
  const rows = entries.map((entry) => `- \`${entry.id}\`: ${plain(visible(cut(reasonOf(entry), mostOfReason)))}`);
  const summary = `not-applicable: ${meanings['not-applicable']} (${entries.length})`;
  return [`<details><summary>${summary}</summary>\n\n${rows.join('\n')}\n\n</details>`];
}
