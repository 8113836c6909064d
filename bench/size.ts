// How large the rows are.

/** A small size, to see that a row works: its figures are not comparable. */
export const isQuick = process.argv.includes('--quick');

/** The size of this run. */
export function sized<Size>(full: Size, quick: Size): Size {
  return isQuick ? quick : full;
}
