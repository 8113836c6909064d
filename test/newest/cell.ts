// A test says what became of its cell of the table.
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';
import type { Cell } from './table.ts';

/** Where a cell stands. */
export type Place = Pick<Cell, 'table' | 'row' | 'column'>;

/**
 * What is declared of a cell that does not simply work, with the reason: `refused`, in these words (the test must throw them), or
 * `differs` (the test must find a difference that it then holds to be right).
 */
export type Declared =
  | { readonly is: 'refused'; readonly words: RegExp; readonly why: string }
  | { readonly is: 'differs'; readonly why: string };

function tell(cell: Cell): void {
  appendFileSync(join(inject('cells'), `${process.pid}.jsonl`), `${JSON.stringify(cell)}\n`);
}

/** Runs what a cell is about and writes down what became of it. Throws where it failed, or where a declared refusal is none. */
export async function cell(place: Place, run: () => unknown, declared?: Declared): Promise<void> {
  try {
    await run();
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    if (declared?.is === 'refused' && declared.words.test(message)) {
      tell({ ...place, is: 'refused', why: declared.why });
      return;
    }
    tell({ ...place, is: 'FAILED', why: message.split('\n')[0] ?? '' });
    throw thrown;
  }
  if (declared?.is === 'refused') {
    tell({ ...place, is: 'FAILED', why: 'declared as refused, and it works' });
    throw new Error(`${place.row}, ${place.column}: declared as refused (${declared.why}), and it works`);
  }
  tell({ ...place, is: declared?.is ?? 'works', why: declared?.why ?? '' });
}
