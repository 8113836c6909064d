// Renders a report for a terminal of 100 columns: counts by section, then what is not applicable, unclear and failed,
// then the totals.
import type { Verdict } from '../check/check.ts';
import { excerptsOf, type ShownMessage } from './excerpt.ts';
import { countsOf, levels, type Report, type ReportEntry, type Tally, verdicts } from './report.ts';
import {
  byReason,
  bySection,
  factsOf,
  hasRoot,
  meanings,
  placeOf,
  reasonOf,
  type Speakers,
  speakersOf,
  titleOf,
  totalsOf,
  untriedWords,
} from './report-texts.ts';
import { cut, cutAround, durationOf, oneLine, padded, shortened, visible, wrapped } from './safe-text.ts';

/** Options of the table. */
export interface TableOptions {
  /** Default false. */
  readonly colour?: boolean;
  /** Gives every check a line; default: only those that did not pass. */
  readonly showsAllChecks?: boolean;
}

const columns = 100;
const numberColumns = 8;
const mostOfReason = 1200;
/** Longest shown message, characters: about three lines, or six for a violation. */
const mostOfMessage = 240;
const mostOfWrong = 500;

type Paint = (word: string, style: 'good' | 'bad' | 'doubtful' | 'faint' | 'strong') => string;

const codes = { good: 32, bad: 31, doubtful: 33, faint: 2, strong: 1 } as const;
const symbols: Readonly<Record<Verdict, string>> = { passed: '✓', failed: '✗', unclear: '?', 'not-applicable': '–' };
const styles = { passed: 'good', failed: 'bad', unclear: 'doubtful', 'not-applicable': 'faint' } as const;

/** Ends with a newline. */
export function renderTable(report: Report, { colour = false, showsAllChecks = false }: TableOptions = {}): string {
  const paint: Paint = (word, style) => (colour ? `\u001b[${codes[style]}m${word}\u001b[0m` : word);
  const { results, counts } = report;
  const speakers = speakersOf(report);
  const show: Show = { paint, speakers, hidden: [] };
  const of = (wanted: Verdict) => results.filter(({ verdict }) => verdict === wanted);
  const parts = [
    [...wrapped(titleOf(report), columns).map((line) => paint(line, 'strong')), paint(factsOf(report), 'faint')],
    report.guess === undefined ? [] : wrapped(report.guess, columns).map((line) => paint(line, 'doubtful')),
    sectionLines(results, showsAllChecks, paint),
    silentLines(of('not-applicable'), paint),
    troubleLines('unclear', [...byReason(of('unclear').filter((entry) => !hasRoot(entry, results))).values()], show),
    troubleLines(
      'failed',
      of('failed').map((entry) => [entry]),
      { ...show, hidden: of('unclear').filter((entry) => hasRoot(entry, results)) },
    ),
    [
      tallyHead('level', paint),
      ...levels.map((level) => tallyLine(level, counts.levels[level], paint)),
      tallyLine('all', counts.verdicts, paint),
    ],
    [paint(totalsOf(counts), counts.verdicts.failed > 0 ? 'bad' : counts.verdicts.unclear > 0 ? 'doubtful' : 'good')],
  ];
  return `${parts
    .filter((part) => part.length > 0)
    .map((part) => part.join('\n'))
    .join('\n\n')}\n`;
}

const firstColumns = columns - numberColumns * 3 - 16;

function tallyHead(name: string, paint: Paint): string {
  const numbers = verdicts.map((verdict) => padded(verdict, widthFor(verdict), 'right')).join('');
  return paint(padded(name, firstColumns) + numbers, 'faint');
}

function tallyLine(name: string, tally: Tally, paint: Paint): string {
  const numbers = verdicts.map((verdict) => {
    const count = tally[verdict];
    const word = padded(count === 0 ? '·' : String(count), widthFor(verdict), 'right');
    return count === 0 ? paint(word, 'faint') : verdict === 'passed' ? word : paint(word, styles[verdict]);
  });
  return `${padded(name, firstColumns)}${numbers.join('')}`;
}

const widthFor = (verdict: Verdict): number => (verdict === 'not-applicable' ? 16 : numberColumns);

function sectionLines(results: readonly ReportEntry[], showsAllChecks: boolean, paint: Paint): string[] {
  const lines = [...bySection(results)].flatMap(([section, entries]) => [
    tallyLine(shortened(oneLine(section), firstColumns - 2), countsOf(entries).verdicts, paint),
    ...(showsAllChecks ? entries.flatMap((entry) => checkLines(entry, paint)) : []),
  ]);
  return [tallyHead('section', paint), ...lines];
}

function checkLines({ verdict, id, level, sentence, ms }: ReportEntry, paint: Paint): string[] {
  const head = `  ${paint(symbols[verdict], styles[verdict])} ${id} ${paint(`${level}, ${durationOf(ms)}`, 'faint')}`;
  return [head, ...indented(sentence, 4)];
}

/** Checks that were not applicable, grouped by reason. */
function silentLines(entries: readonly ReportEntry[], paint: Paint): string[] {
  if (entries.length === 0) return [];
  const lines = [...byReason(entries)].flatMap(([reason, those]) => [
    ...indented(visible(cut(reason, mostOfReason)), 2),
    ...idLines(those, paint),
  ]);
  return [heading('not-applicable', entries.length, paint), ...lines];
}

function idLines(entries: readonly ReportEntry[], paint: Paint): string[] {
  return indented(entries.map(({ id }) => id).join(' '), 4).map((line) => paint(line, 'faint'));
}

function heading(verdict: Verdict, count: number, paint: Paint): string {
  return paint(`${verdict}: ${meanings[verdict]} (${count})`, styles[verdict]);
}

interface Show {
  readonly paint: Paint;
  readonly speakers: Speakers;
  /** Checks that could not be tried because another one failed. */
  readonly hidden: readonly ReportEntry[];
}

/** Checks of one group share a reason, which is printed once. */
function troubleLines(
  verdict: 'failed' | 'unclear',
  groups: readonly (readonly ReportEntry[])[],
  { paint, speakers, hidden }: Show,
): string[] {
  const blocks = groups.flatMap((entries) => {
    const shown = entries.find(({ conversations }) => conversations.length > 0) ?? entries[0];
    if (shown === undefined) return [];
    const { id, known, sentence } = shown;
    const isOne = entries.length === 1;
    const name = isOne ? id : `${entries.length} checks`;
    const facts = isOne ? `  ${paint(placeOf(shown), 'faint')}${known === true ? '  known' : ''}` : '';
    return [
      '',
      `${paint(symbols[verdict], styles[verdict])} ${paint(name, 'strong')}${facts}`,
      ...(isOne ? indented(sentence, 2) : []),
      ...indented(visible(cut(reasonOf(shown), mostOfReason)), 2).map((line) => paint(line, styles[verdict])),
      ...excerptLines(shown, { paint, speakers, hidden }),
      ...hiddenLines(
        hidden.filter(({ because }) => because === id),
        paint,
      ),
      ...(isOne ? [] : idLines(entries, paint)),
    ];
  });
  return groups.length === 0 ? [] : [heading(verdict, groups.flat().length, paint), ...blocks];
}

function hiddenLines(entries: readonly ReportEntry[], paint: Paint): string[] {
  if (entries.length === 0) return [];
  return [paint(`  ${untriedWords(entries.length)}`, 'doubtful'), ...idLines(entries, paint)];
}

function excerptLines(entry: ReportEntry, show: Show): string[] {
  const { paint } = show;
  const { excerpts, skipped } = excerptsOf(entry, { around: 1, most: 4, conversations: 1 });
  const lines = excerpts.flatMap(({ connection, scenario, messages, skipped: after }) => [
    ...indented(
      `${scenario === undefined ? '' : `scenario ${scenario}, `}${oneLine(shortened(connection, 60))}:`,
      4,
    ).map((line) => paint(line, 'faint')),
    ...messages.flatMap((message) => messageLines(message, show)),
    ...leftOut(after, 'message', paint),
  ]);
  return [...lines, ...leftOut(skipped, 'conversation', paint)];
}

function leftOut(count: number, what: string, paint: Paint): string[] {
  return count === 0 ? [] : [paint(`    … ${count} ${what}${count === 1 ? '' : 's'} left out`, 'faint')];
}

function messageLines({ exchange, wrong, skipped, focus }: ShownMessage, { paint, speakers }: Show): string[] {
  const { at, by, text, isFault } = exchange;
  const isWrong = wrong.length > 0;
  const head = `  ${isWrong ? '►' : ' '} ${padded(`${Math.round(at)} ms`, 9, 'right')}  ${padded(speakers[by], speakerColumns(speakers))}  `;
  const part = cutAround(text, isWrong ? mostOfWrong : mostOfMessage, focus);
  const words = oneLine(`${isFault === true ? '(no frame) ' : ''}${part}`);
  const lines = wrapped(words, columns - head.length).map((line, index) =>
    index === 0 ? head + line : ' '.repeat(head.length) + line,
  );
  const says = wrong
    .slice(0, 3)
    .flatMap((one) => indented(`▲ ${oneLine(cut(one, mostOfReason))}`, head.length).map((line) => paint(line, 'bad')));
  return [
    ...leftOut(skipped, 'message', paint),
    ...lines.map((line) => (isWrong ? line : paint(line, 'faint'))),
    ...says,
  ];
}

const speakerColumns = ({ us, peer }: Speakers): number => Math.max(us.length, peer.length);

function indented(text: string, by: number): string[] {
  return wrapped(text.replaceAll('\t', ' '), columns - by).map((line) => ' '.repeat(by) + line);
}
