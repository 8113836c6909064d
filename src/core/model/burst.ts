// Deltas of one block that have arrived together, as one object instead of an event for each (decision 0011).
import type { EventOf } from './event.ts';

/**
 * Consecutive deltas of an open block on the main thread. Means the same as the events that {@link deltasIn} returns, and
 * never changes.
 */
export interface Burst {
  readonly index: number;
  /** The extra fields of each delta. */
  readonly extra: EventOf<'block-delta'>['extra'];
  /** How many deltas; at least one. */
  readonly count: number;
  /** All deltas joined. */
  readonly text: string;
  /** The deltas behind one another as UTF-8, each as JSON.stringify writes it, without its quotes. */
  readonly bytes: Uint8Array;
  /** Where each delta ends in `bytes`. */
  readonly ends: Int32Array;
  /** All of `bytes` is ASCII. */
  readonly isAscii: boolean;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Where delta `place` begins in the bytes of its burst. */
export function startOf({ ends }: Burst, place: number): number {
  return place === 0 ? 0 : (ends[place - 1] ?? 0);
}

/** The deltas from place `from` to before place `to`, joined. */
export function textIn(burst: Burst, from: number, to: number): string {
  if (from === 0 && to === burst.count) return burst.text;
  const start = startOf(burst, from);
  const end = startOf(burst, to);
  // As many characters as bytes: there are no escapes, and each byte is one character.
  const isPlain = burst.text.length === burst.bytes.length;
  return isPlain ? burst.text.slice(start, end) : unescaped(utf8.decode(burst.bytes.subarray(start, end)));
}

/** The inside of a JSON string as text. Throws when it is none. */
export function unescaped(raw: string): string {
  return raw.includes('\\') ? JSON.parse(`"${raw}"`) : raw;
}

/** The burst as single events, for everybody who takes no bursts. */
export function* deltasIn(burst: Burst): Generator<EventOf<'block-delta'>> {
  const { index, extra, count } = burst;
  for (let place = 0; place < count; place += 1) {
    const delta = textIn(burst, place, place + 1);
    yield extra === undefined ? { type: 'block-delta', index, delta } : { type: 'block-delta', index, delta, extra };
  }
}
