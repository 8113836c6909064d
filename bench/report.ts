// What a row reports and how it is printed: each figure beside the two columns that it is held against.

/** A bound: the figure reaches it from below or from above. */
export interface Bound {
  readonly at: 'least' | 'most';
  readonly value: number;
}

/** A bound that was set before the work began. */
export interface Goal extends Bound {
  /** Why the figure does not reach it, in one sentence that stays true when the row is measured again. */
  readonly why: string;
}

/** A place in the plots of the document: what one thing costs there. */
export interface Point {
  readonly plot: 'length' | 'readers';
  readonly line: 'patchbay' | 'peer' | 'floor';
  /** KB of the message, or number of readers. */
  readonly x: number;
  /** us for each delta. */
  readonly y: number;
}

/** One figure of a row. */
export interface Figure {
  /** The row of the table in the performance notes, e.g. `P1`. */
  readonly row: string;
  readonly what: string;
  /** Null where it cannot be measured yet; `detail` says why. */
  readonly value: number | null;
  readonly unit: '' | 'x' | 'us' | 'ms' | 'KB' | 'MB' | 'lines';
  readonly goal?: Goal;
  readonly moonshot?: Bound;
  /** True when the figure itself says that a result was wrong: the run fails. */
  readonly wrong?: boolean;
  /** What the figure is made of. */
  readonly detail?: string;
  readonly points?: readonly Point[];
}

/** Work that gave a wrong result: however fast it was, the whole run fails. */
export class WrongResult extends Error {}

/** A family of rows that are measured together. */
export interface Family {
  readonly rows: readonly string[];
  /** It runs only when it is asked for by name, because it takes many minutes; a quick run has it too. */
  readonly isByName?: boolean;
  /** One sentence for the document: what runs and what is compared. */
  readonly how: string;
  /** Gives each figure as soon as it is known. */
  run(progress: (text: string) => void): AsyncIterable<Figure>;
}

export function atLeast(value: number): Bound;
export function atLeast(value: number, why: string): Goal;
export function atLeast(value: number, why?: string): Bound {
  return { at: 'least', value, ...(why !== undefined && { why }) };
}

export function atMost(value: number): Bound;
export function atMost(value: number, why: string): Goal;
export function atMost(value: number, why?: string): Bound {
  return { at: 'most', value, ...(why !== undefined && { why }) };
}

/** The goal of a figure that counts faults. */
export const none = atMost(0, 'this is a fault of the gateway.');

/** Two or three digits that mean something. */
export function short(value: number): string {
  const size = Math.abs(value);
  if (Number.isInteger(value) || size >= 100) return String(Math.round(value));
  return value.toFixed(size >= 10 ? 1 : 2);
}

function bound(held: Bound | undefined): string {
  return held === undefined ? '–' : `${held.at === 'least' ? '≥' : '≤'} ${short(held.value)}`;
}

function met({ value }: Figure, held: Bound | undefined): string {
  if (held === undefined || value === null) return '–';
  return (held.at === 'least' ? value >= held.value : value <= held.value) ? 'yes' : 'no';
}

/** Why figures miss their goals, those with the same reason together. */
export function reasons(figures: readonly Figure[]): string[] {
  const missed = figures.filter((figure) => met(figure, figure.goal) === 'no');
  const whys = new Map<string, string[]>();
  for (const { row, what, goal } of missed) {
    if (goal !== undefined) whys.set(goal.why, [...(whys.get(goal.why) ?? []), `${row}, ${what}`]);
  }
  return [...whys].map(([why, names]) => `**${names.join('; ')}**: ${why}`);
}

/** One figure as a line, with its verdict. */
export function lineOf(figure: Figure): string {
  const { row, what, value, goal, detail } = figure;
  const word = met(figure, goal) === 'yes' ? 'met' : 'MISSED';
  const verdict = goal === undefined || value === null ? '' : `, goal ${bound(goal)}: ${word}`;
  return `${row}  ${what}: ${shown(figure)}${verdict}${detail === undefined ? '' : ` (${detail})`}`;
}

function shown({ value, unit }: Figure): string {
  return value === null ? 'not measured' : `${short(value)} ${unit}`.trim();
}

/** A Markdown table, its columns of one width so that it reads in a terminal too. */
export function table(figures: readonly Figure[]): string {
  const head = ['row', 'what', 'figure', 'goal', 'met', 'moonshot', 'met', 'made of'];
  const rows = figures.map((figure) => [
    figure.row,
    figure.what,
    shown(figure),
    bound(figure.goal),
    met(figure, figure.goal),
    bound(figure.moonshot),
    met(figure, figure.moonshot),
    figure.detail ?? '',
  ]);
  const widths = head.map((title, column) =>
    Math.max(...[head, ...rows].map((row) => row[column]?.length ?? title.length)),
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  return [line(head), `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`, ...rows.map(line), ''].join('\n');
}
