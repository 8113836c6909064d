// Waits until a condition holds, and gives up after a timeout. No wait here lasts a fixed time.

/** Default timeout of a wait, ms; generous, because the machine may be loaded. */
const patience = 60_000;

/**
 * Patience is counted in slices, each with its own timer. A process that got no CPU for a while then finds one due
 * timer, and reads what has arrived before it counts the next slice.
 */
const slices = 20;
/** The length of one slice, ms. One turn of the event loop uses up at most one slice of the patience. */
export const sliceOf = (patienceMs: number): number => patienceMs / slices;

/**
 * Resolves with the first value that `look` finds. `look` runs at once and whenever the owner calls the functions in
 * `watchers`. Rejects with `late()` after `patienceMs`, or at once when `look` throws.
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

/** Like {@link firstFound}, with the default timeout and a label for the error message. */
export function within<Value>(
  label: string,
  watchers: Set<() => void>,
  look: () => Value | undefined,
  explain: () => string = () => '',
  patienceMs = patience,
): Promise<Value> {
  return firstFound(watchers, look, patienceMs, () => new Error(`gave up waiting for ${label}${explain()}`));
}
