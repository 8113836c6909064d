// A test says what became of its cell of the table.
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';
import type { Cell } from './table.ts';

/** Where a cell stands. */
export type Place = Pick<Cell, 'table' | 'row' | 'column'>;

/** What is declared of a cell that does not simply work: the test must throw these words. */
export interface Declared {
  readonly is: 'refused' | 'differs';
  readonly words: RegExp;
  readonly why: string;
}

function tell(cell: Cell): void {
  appendFileSync(join(inject('cells'), `${process.pid}.jsonl`), `${JSON.stringify(cell)}\n`);
}

/** Runs what a cell is about and writes down what became of it. Throws where it failed, or where a declaration is not needed. */
export async function cell(place: Place, run: () => unknown, declared?: Declared): Promise<void> {
  try {
    await run();
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    if (declared?.words.test(message)) {
      tell({ ...place, is: declared.is, why: declared.why });
      return;
    }
    tell({ ...place, is: 'FAILED', why: message.split('\n').slice(0, 3).join(' | ').slice(0, 600) });
    throw thrown;
  }
  if (declared !== undefined) {
    const why = `declared as ${declared.is}, and it works`;
    tell({ ...place, is: 'FAILED', why });
    throw new Error(`${place.row}, ${place.column}: ${why} (${declared.why})`);
  }
  tell({ ...place, is: 'works', why: '' });
}
