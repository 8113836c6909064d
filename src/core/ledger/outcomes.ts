// Keeps the outcomes of ended commands for repetitions and dependents (docs/protocols/common.md 2.5, 4, 6.1). Bounded
// in number, bytes and time.

import type { Receipt } from '../contract/ticket.ts';
import type { Outcome } from '../model/errors.ts';

/** The outcome of an ended command. */
export interface KeptOutcome {
  readonly type: string;
  readonly fingerprint: string;
  /** The session whose end drops the outcome; absent if no session does. */
  readonly session?: string | undefined;
  readonly outcome: Outcome;
  /** The receipt of the first answer. */
  readonly receipt: Receipt;
  /** Bytes. */
  readonly weight: number;
  /** Session clock, ms: when the command ended. */
  readonly at: number;
}

/** Outcomes by id, or by key. */
export interface OutcomeStore {
  get(name: string): KeptOutcome | undefined;
  /** Adds an outcome of that age, ms. Drops the oldest ones beyond the limits. */
  put(name: string, kept: KeptOutcome, age?: number): void;
  /** All outcomes by name, oldest first. */
  entries(): Iterable<readonly [name: string, kept: KeptOutcome]>;
  /** Drops the outcomes of a session. */
  forget(session: string): void;
  readonly size: number;
}

/** How much one store keeps. */
export interface OutcomeStoreLimits {
  /** Most outcomes. */
  readonly count: number;
  /**
   * Most bytes of all outcomes. The newest outcome is always kept, because it is the most likely to be asked for again.
   */
  readonly bytes: number;
  /** Lifetime of an outcome, ms; absent: unlimited. */
  readonly ttlMs?: number;
}

/** Creates an empty store. */
export function createOutcomeStore(limits: OutcomeStoreLimits, now: () => number): OutcomeStore {
  const ttlMs = limits.ttlMs ?? Number.POSITIVE_INFINITY;
  // A Map keeps the order of insertion, so the first entry is the oldest and the first to expire.
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
    put(name, kept, age = 0) {
      drop(name);
      all.set(name, { kept, until: now() + ttlMs - age });
      bytes += kept.weight;
      dropOld();
    },
    *entries() {
      dropOld();
      for (const [name, { kept }] of all) yield [name, kept] as const;
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
