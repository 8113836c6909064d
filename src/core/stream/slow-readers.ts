// The readers of one stream that lag behind, and for how long the agent waits for each of them.
import type { Clock } from '../contract/clock.ts';

/** A reader that may lag. */
export interface LaggingReader {
  /** The agent waits for this reader without a limit. */
  readonly isHolding: boolean;
}

/**
 * How long the agent waits for a reader that is not its owner's, ms (docs/limits.md 6.5). A reader that takes nothing
 * for `stillMs`, or that does not catch up within `lagMs`, is left behind until it has caught up.
 */
export const patience = { stillMs: 2000, lagMs: 10_000 };

interface Lag {
  readonly since: number;
  tookAt: number;
  isLeftBehind: boolean;
}

/** A class: each stream has one. */
export class SlowReaders {
  readonly #clock: Clock | undefined;
  readonly #changed: () => void;
  /** Created with the first reader that lags. */
  #lags: Map<LaggingReader, Lag> | null = null;
  #cancelTimer: (() => void) | null = null;

  /** `changed`: the agent may have to wait for nobody any more. Without a clock the agent waits for its owner alone. */
  constructor(clock: Clock | undefined, changed: () => void) {
    this.#clock = clock;
    this.#changed = changed;
  }

  /** Whether the agent has to wait. */
  get mustWait(): boolean {
    if (this.#lags === null) return false;
    for (const [reader, lag] of this.#lags) if (reader.isHolding || !lag.isLeftBehind) return true;
    return false;
  }

  has(reader: LaggingReader): boolean {
    return this.#lags?.has(reader) === true;
  }

  /** The reader has fallen behind. */
  add(reader: LaggingReader): void {
    if (this.has(reader) || (!reader.isHolding && this.#clock === undefined)) return;
    const now = this.#clock?.now() ?? 0;
    this.#lags ??= new Map();
    this.#lags.set(reader, { since: now, tookAt: now, isLeftBehind: false });
    if (!reader.isHolding) this.#watch();
  }

  /** The reader has taken something, and is still behind. */
  took(reader: LaggingReader): void {
    const lag = this.#lags?.get(reader);
    if (lag !== undefined && this.#clock !== undefined) lag.tookAt = this.#clock.now();
  }

  /** The reader has caught up or left. Returns false if it was not behind. */
  remove(reader: LaggingReader): boolean {
    if (this.#lags?.delete(reader) !== true) return false;
    if (this.#lags.size > 0) return true;
    this.#cancelTimer?.();
    this.#cancelTimer = null;
    return true;
  }

  #watch(): void {
    if (this.#cancelTimer !== null || this.#clock === undefined) return;
    this.#cancelTimer = this.#clock.after(patience.stillMs / 2, () => {
      this.#cancelTimer = null;
      this.#judge();
    });
  }

  #judge(): void {
    const now = this.#clock?.now() ?? 0;
    let isAnyWaitedFor = false;
    for (const [reader, lag] of this.#lags ?? []) {
      if (now - lag.tookAt >= patience.stillMs || now - lag.since >= patience.lagMs) lag.isLeftBehind = true;
      if (!reader.isHolding && !lag.isLeftBehind) isAnyWaitedFor = true;
    }
    if (isAnyWaitedFor) this.#watch();
    this.#changed();
  }
}
