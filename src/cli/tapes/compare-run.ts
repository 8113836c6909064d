// Carries out `patchbay compare`. compare.ts declares the options, and loads this file when the command runs.
import { tapeIn } from '../../gateway/tapes/tape-input.ts';
import { compareTapes, type Difference } from '../../tape/comparison.ts';
import { printable } from '../../transports/printable.ts';

/** The parsed options. */
export interface CompareOptions {
  readonly json?: boolean;
  readonly conn?: string;
}

const words = {
  'gone-kind': '- frame',
  'new-kind': '+ frame',
  'gone-field': '- field',
  'new-field': '+ field',
  type: '~ type',
  order: '~ order',
  count: '~ count',
} as const satisfies Record<Difference['change'], string>;

const arrows = { in: '>', out: '<' } as const;
/** A longer cell is cut, characters. */
const longestCell = 70;

/** Prints what changed. The exit code is 1 if anything did. Throws `invalid` for a file that is no tape. */
export async function compare(a: string, b: string, { json = false, conn }: CompareOptions): Promise<void> {
  const differences = compareTapes(tapeIn(a, { conn }).frames, tapeIn(b, { conn }).frames);
  process.stdout.on('error', () => process.exit(differences.length > 0 ? 1 : 0));
  const text = json ? differences.map((one) => `${JSON.stringify(one)}\n`).join('') : tableOf(differences);
  await new Promise((resolve) => process.stdout.write(text, resolve));
  if (differences.length > 0) process.exitCode = 1;
}

/** A line for each change, in columns. */
function tableOf(differences: readonly Difference[]): string {
  if (differences.length === 0) return 'nothing changed on the wire\n';
  const head = ['change', 'frame', 'field', 'a', 'b', 'lines'];
  const rows = differences.map(({ change, dir, kind, path, a, b, lines }) => [
    words[change],
    `${arrows[dir]} ${kind}`,
    path,
    a,
    b,
    `${lines.a ?? '-'}, ${lines.b ?? '-'}`,
  ]);
  const cells = [head, ...rows].map((row) => row.map((cell) => printable(cell.slice(0, longestCell))));
  const widths = head.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const lines = cells.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
  return `${lines.map((line) => line.trimEnd()).join('\n')}\n${differences.length} changes\n`;
}
