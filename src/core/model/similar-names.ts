// Suggests the name that was probably meant by an unknown name.

/** Longer names are not compared: they are not typing errors, and comparing takes long. */
const longest = 64;

/** The end of a "there is no …" sentence: the name that was probably meant, or else all known names. */
export function didYouMean(name: string, known: readonly string[]): string {
  const meant = similarTo(name, known);
  if (meant !== undefined) return `did you mean ${JSON.stringify(meant)}?`;
  const [only, ...others] = known;
  if (only === undefined) return 'there are none';
  return others.length === 0 ? `there is only ${only}` : `there are ${known.join(', ')}`;
}

/** The most similar known name, if any is similar. */
export function similarTo(name: string, known: readonly string[]): string | undefined {
  if (name.length > longest) return undefined;
  const lower = name.toLowerCase();
  const ranked = known
    .map((candidate) => ({ candidate, distance: distanceOf(lower, candidate.toLowerCase()) }))
    .filter(({ distance }) => distance !== null)
    .sort((one, other) => Number(one.distance) - Number(other.distance));
  return ranked[0]?.candidate;
}

/** The distance between two names. Null: too far for a typing error. A prefix counts as an abbreviation. */
function distanceOf(name: string, candidate: string): number | null {
  const distance = editDistance(name, candidate.slice(0, longest));
  const isShort = Math.min(name.length, candidate.length) < 3;
  const isBeginning = !isShort && (candidate.startsWith(name) || name.startsWith(candidate));
  const allowed = Math.floor(Math.max(name.length, candidate.length) / 3);
  return distance <= allowed || isBeginning ? distance : null;
}

/** Letters to add, drop, replace or swap with their neighbour. */
function editDistance(one: string, other: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one[row - 1] === other[column - 1];
      const isSwapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      current.push(
        Math.min(
          (last[column] ?? 0) + 1,
          (current[column - 1] ?? 0) + 1,
          (last[column - 1] ?? 0) + (isSame ? 0 : 1),
          isSwapped && row > 1 && column > 1 ? (beforeLast[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    beforeLast = last;
    last = current;
  }
  return last[other.length] ?? 0;
}
