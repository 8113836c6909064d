// How long a client waits before it connects again.

/** Times in ms. */
export interface BackoffOptions {
  /** The wait after the first cut; default 500. */
  readonly firstMs?: number;
  /** The longest wait; default 30,000. */
  readonly mostMs?: number;
}

/** Waits that double, each shortened by chance by up to a half: clients that were cut together come back apart. */
export interface Backoff {
  /** The next wait, ms. */
  next(): number;
  /** The connection works: the next wait is the first one again. */
  reset(): void;
}

export function createBackoff({ firstMs = 500, mostMs = 30_000 }: BackoffOptions = {}): Backoff {
  let count = 0;
  return {
    next() {
      const whole = Math.min(mostMs, firstMs * 2 ** count);
      count += 1;
      return whole * (0.5 + Math.random() / 2);
    },
    reset() {
      count = 0;
    },
  };
}
