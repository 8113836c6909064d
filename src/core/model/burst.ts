// Deltas of one block that have arrived together, as one object instead of an event for each (decision 0011).
import type { Dictionary } from './content.ts';
import type { EventOf } from './event.ts';

/**
 * Consecutive deltas of an open block on the main thread. Means the same as the events that {@link eventsIn} returns, and
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
  /** How many bytes more than UTF-16 units there are up to the end of each delta; null: all of `bytes` is ASCII. */
  readonly surplus: Int32Array | null;
  /** Events between the deltas: one right before each. Absent: there are none. */
  readonly asides?: Asides | undefined;
}

/** Events of type `unknown`, whose payloads are equal but for the values of some fields. */
export interface Asides {
  readonly protocol: string;
  /** A payload like theirs. Of bursts with the same object, only the values differ. */
  readonly payload: Dictionary;
  /** The fields with values of their own, in the order of the payload. */
  readonly fields: readonly string[];
  /** These values as JSON.stringify writes them, behind one another: those of the first event, then of the second. */
  readonly bytes: Uint8Array;
  /** Where each value ends in `bytes`. */
  readonly ends: Int32Array;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** How many events the burst means. */
export function eventCount({ count, asides }: Burst): number {
  return asides === undefined ? count : 2 * count;
}

/** How many of the first `events` events are deltas. */
export function deltasAmong({ asides }: Burst, events: number): number {
  return asides === undefined ? events : events >> 1;
}

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

/** The event before that delta. */
function asideOf({ protocol, payload, fields, bytes, ends }: Asides, place: number): EventOf<'unknown'> {
  const first = place * fields.length;
  const values = fields.map((field, at): [string, unknown] => {
    const value = bytes.subarray(ends[first + at - 1] ?? 0, ends[first + at]);
    return [field, JSON.parse(utf8.decode(value))];
  });
  return { type: 'unknown', protocol, payload: { ...payload, ...Object.fromEntries(values) } };
}

/** The burst as single events, for everybody who takes no bursts. */
export function* eventsIn(burst: Burst): Generator<EventOf<'block-delta' | 'unknown'>> {
  const { index, extra, count, asides } = burst;
  for (let place = 0; place < count; place += 1) {
    if (asides !== undefined) yield asideOf(asides, place);
    const delta = textIn(burst, place, place + 1);
    yield extra === undefined ? { type: 'block-delta', index, delta } : { type: 'block-delta', index, delta, extra };
  }
}
