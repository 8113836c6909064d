// The table of the suite, method x client x agent: printed when the suite is over.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

/** What became of one method with one client and one agent. */
export const Cell = z.object({
  table: z.string(),
  row: z.string(),
  column: z.string(),
  is: z.enum(['works', 'refused', 'differs', 'FAILED']),
  /** Why a cell is no plain `works`. */
  why: z.string(),
});
export type Cell = z.infer<typeof Cell>;

function cellsIn(folder: string): Cell[] {
  const lines = readdirSync(folder).flatMap((name) => readFileSync(join(folder, name), 'utf8').trim().split('\n'));
  return lines.map((line) => Cell.parse(JSON.parse(line)));
}

const distinct = <Value>(values: readonly Value[]): Value[] => [...new Set(values)];

/** One table as lines of text: a row for each method, a column for each client and agent, and the notes below. */
export function tableOf(cells: readonly Cell[]): string[] {
  const columns = distinct(cells.map(({ column }) => column)).sort();
  const rows = distinct(cells.map(({ row }) => row));
  const notes = distinct(cells.map(({ why }) => why).filter((why) => why !== ''));
  const at = new Map(cells.map((one) => [`${one.row}\n${one.column}`, one]));
  const shown = (row: string, column: string): string => {
    const one = at.get(`${row}\n${column}`);
    if (one === undefined) return '-';
    return one.why === '' ? one.is : `${one.is} (${notes.indexOf(one.why) + 1})`;
  };
  const head = ['', ...columns.map((_, index) => String.fromCharCode(65 + index))];
  const body = rows.map((row) => [row, ...columns.map((column) => shown(row, column))]);
  const widths = head.map((_, index) => Math.max(...[head, ...body].map((line) => line[index]?.length ?? 0)));
  const line = (words: readonly string[]) => words.map((word, index) => word.padEnd(widths[index] ?? 0)).join('  ');
  return [
    ...columns.map((column, index) => `${String.fromCharCode(65 + index)}: ${column}`),
    line(head).trimEnd(),
    ...body.map((words) => line(words).trimEnd()),
    ...notes.map((note, index) => `(${index + 1}) ${note}`),
  ];
}

/** Prints all tables whose cells lie in that folder, and how many cells are of each kind. */
export function printTables(folder: string): void {
  const cells = cellsIn(folder);
  for (const table of distinct(cells.map((one) => one.table)).sort()) {
    process.stdout.write(`\n== ${table} ==\n${tableOf(cells.filter((one) => one.table === table)).join('\n')}\n`);
  }
  const counts = Cell.shape.is.options.map((is) => `${cells.filter((one) => one.is === is).length} ${is}`);
  process.stdout.write(`\n${cells.length} cells: ${counts.join(', ')}\n`);
}
