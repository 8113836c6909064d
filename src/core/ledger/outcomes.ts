// What came of commands that are over, kept for their repetitions and for those that depend on them (docs/protocols/common.md 2.5, 4, 6.1). Bounded in number, bytes and time. Pure.
import type { Outcome } from '../model/errors.ts';
import type { Receipt } from '../contract/ticket.ts';

/** A command that is over. */
export interface KeptOutcome {
  readonly type: string;
  readonly fingerprint: string;
  /** What was kept for it by key goes with that session; absent: with none. */
  readonly session?: string | undefined;
  readonly outcome: Outcome;
  /** As it was given with the first answer. */
  readonly receipt: Receipt;
  /** Bytes. */
  readonly weight: number;
}

/** Commands that are over, by a name. */
export interface OutcomeStore {
  get(name: string): KeptOutcome | undefined;
  /** Now the newest; the oldest give way. */
  put(name: string, kept: KeptOutcome): void;
  /** Those of that session are gone. */
  forget(session: string): void;
  readonly size: number;
}

/** Bounds of a shelf. */
export interface OutcomeStoreLimits {
  readonly count: number;
  /** The newest is kept even where it alone is more: the one that is most likely asked for again. */
  readonly bytes: number;
  /** How long one is kept; absent: until it gives way. */
  readonly ttlMs?: number;
}

/** An empty shelf; `now` is asked where there is a `ttlMs`. */
export function createOutcomeStore(limits: OutcomeStoreLimits, now: () => number): OutcomeStore {
  const ttlMs = limits.ttlMs ?? Number.POSITIVE_INFINITY;
  // A map keeps the order in which names were set, so the first is the oldest, and the first to expire.
  const all = new Map<string, { readonly kept: KeptOutcome; readonly until: number }>();
  let bytes = 0;

  function drop(name: string): void {
    bytes -= all.get(name)?.kept.weight ?? 0;
    all.delete(name);
  }

  function dropOld(): void {
    for (const [name, { until }] of all) {
      const isTooMuch = all.size > limits.count || (bytes > limits.bytes && all.size > 1);
      if (!isTooMuch && until > now()) return;
      drop(name);
    }
  }

  return {
    get(name) {
      dropOld();
      return all.get(name)?.kept;
    },
    put(name, kept) {
      drop(name);
      all.set(name, { kept, until: now() + ttlMs });
      bytes += kept.weight;
      dropOld();
    },
    forget(session) {
      for (const [name, { kept }] of all) if (kept.session === session) drop(name);
    },
    get size() {
      dropOld();
      return all.size;
    },
  };
}
