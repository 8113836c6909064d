// Limits how often one source may write a line to the log: so many a minute, then a count (docs/limits.md 5.1).

/** Most lines of one source in a minute. */
export const mostLines = 20;
/** Most sources whose lines are counted at once. */
const mostSources = 4096;
const minuteMs = 60_000;

/** The limit for all sources. */
export interface LineLimit {
  /** Whether the source may write one more line. `summed` is called first for what an earlier minute has left out. */
  allows(source: string): boolean;
  /** The source writes nothing more. */
  forget(source: string): void;
}

interface Minute {
  readonly since: number;
  lines: number;
}

/** `summed` writes the count of the lines that were left out. No timer runs: the count comes with the next line. */
export function createLineLimit(now: () => number, summed: (source: string, count: number) => void): LineLimit {
  const minutes = new Map<string, Minute>();

  function forget(source: string): void {
    const leftOut = (minutes.get(source)?.lines ?? 0) - mostLines;
    minutes.delete(source);
    if (leftOut > 0) summed(source, leftOut);
  }

  return {
    allows(source) {
      const known = minutes.get(source);
      if (known === undefined || now() - known.since >= minuteMs) {
        forget(source);
        const [oldest] = minutes.keys();
        if (minutes.size >= mostSources && oldest !== undefined) forget(oldest);
        minutes.set(source, { since: now(), lines: 1 });
        return true;
      }
      known.lines += 1;
      return known.lines <= mostLines;
    },
    forget,
  };
}
