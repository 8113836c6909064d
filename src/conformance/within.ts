// Waiting for something that happens, never for time to pass: the one place where a test can run out of patience.

/** How long a wait may last before it fails, ms; generous, for a machine shared with others. */
const patience = 15_000;

/**
 * Resolves with the first value that `look` finds, now or after one of the calls that its owner makes to the
 * functions in `watchers`. Rejects with the label after `patienceMs`, or at once when `look` throws.
 */
export function within<Value>(
  label: string,
  watchers: Set<() => void>,
  look: () => Value | undefined,
  explain: () => string = () => '',
  patienceMs = patience,
): Promise<Value> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => finish(() => reject(new Error(`gave up waiting for ${label}${explain()}`))),
      patienceMs,
    );
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
