// Waiting for something that happens, never for time to pass: the one place where patience can run out.

/** How long a wait may last before it fails, ms; generous, for a machine shared with others. */
const patience = 15_000;

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
