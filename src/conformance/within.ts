// Waits for an event instead of a duration. Every timeout of such a wait is here.

/** Default timeout, ms; generous, because the machine may be loaded. */
const patience = 15_000;

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
    const timer = setTimeout(() => finish(() => reject(late())), patienceMs);
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
