// How much of a large space of cases a run tries: a cover in `npm test`, all of the space in `npm run test:full`.
import { test } from 'vitest';

/** Whether this is `npm run test:full`. */
export const isFull = process.env.PATCHBAY_FULL === '1';

/** How many runs a property gets; `whole`: in `npm run test:full`. */
export const runs = (whole: number): number => (isFull ? whole : Math.min(whole, 200));

/**
 * The part of the rows that one of `columns` gets, where each row needs one column only: every column gets its share, and
 * `npm run test:full` gives every row to every column.
 */
export function shareOf<Row>(rows: readonly Row[], column: number, columns: number): Row[] {
  return rows.filter((_, at) => isFull || at % columns === column % columns);
}

/** A test that starts a real program to see what tests with the demo agent see too: part of `npm run test:full` alone. */
export const testInFull = test.runIf(isFull);

/** These where one stands for all of them, and all of them in `npm run test:full`. */
export const oneOf = <One>(all: readonly One[]): readonly One[] => (isFull ? all : all.slice(-1));
