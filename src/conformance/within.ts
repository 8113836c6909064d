// Waiting for something that happens, never for time to pass: the one place where patience can run out.

/** How long a wait may last before it fails, ms; generous, for a machine shared with others. */
const patience = 60_000;

/**
 * Patience is counted in so many slices, each a timer of its own. A process that had no processor for a while comes back with
 * one timer that is due, and hears what has arrived before the next slice is counted.
 */
const slices = 20;
/** The most of `patienceMs`, ms, that the time between two turns of a process can use up. */
export const sliceOf = (patienceMs: number): number => patienceMs / slices;

/**
 * Resolves with the first value that `look` finds, now or after one of the calls that its owner makes to the
 * functions in `watchers`. Rejects with what `late` makes after `patienceMs`, or at once when `look` throws.
 */
export function firstFound<Value>(
  watchers: Set<() => void>,
  look: () => Value | undefined,
  patienceMs: number,
  late: () => Error,
): Promise<Value> {
  return new Promise((resolve, reject) => {
    let timer = wait(slices);
    function wait(left: number): NodeJS.Timeout {
      return setTimeout(() => {
        if (left > 1) timer = wait(left - 1);
        else finish(() => reject(late()));
      }, sliceOf(patienceMs));
    }
    function finish(settle: () => void): void {
      clearTimeout(timer);
      watchers.delete(check);
      settle();
    }
    function check(): void {
      try {
        const value = look();
        if (value !== undefined) finish(() => resolve(value));
      } catch (thrown) {
        finish(() => reject(thrown));
      }
    }
    watchers.add(check);
    check();
  });
}

/** The same, with a label for what is waited for. */
export function within<Value>(
  label: string,
  watchers: Set<() => void>,
  look: () => Value | undefined,
  explain: () => string = () => '',
  patienceMs = patience,
): Promise<Value> {
  return firstFound(watchers, look, patienceMs, () => new Error(`gave up waiting for ${label}${explain()}`));
}
