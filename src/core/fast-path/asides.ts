// Lines that come before the deltas of a burst: each is alike but for some values, and is one event of type `unknown`.
import type { Action } from '../contract/adapter/action.ts';
import type { BurstProjection } from '../contract/adapter/projection.ts';
import type { Asides, Burst } from '../model/burst.ts';
import type { Event, EventOf } from '../model/event.ts';
import { isLiteralAt, isPlainAt, isSameLiteral, type Literal } from './literal.ts';

const QUOTE = 0x22;
const ZERO = 0x30;
const LF = 0x0a;

/** A line with this many digits in a row is parsed: a longer number may be written in another way. */
const mostDigits = 15;
/** Most lines in one burst, as in delta-collector.ts. */
const mostLines = 256;
/** Most values in one line. */
const mostHoles = 4;
/** Most bytes of values in one burst. */
const mostBytes = 64 * 1024;

/** The bytes that all such lines share. */
export interface AsideTemplate {
  readonly protocol: string;
  /** The payload of the line that taught the template. */
  readonly payload: Asides['payload'];
  /** The bytes before the first value. */
  readonly head: Literal;
  /** At least one and at most {@link mostHoles}. */
  readonly holes: readonly AsideHole[];
}

/** A value that differs from line to line. */
export interface AsideHole {
  readonly field: string;
  /** `number`: a whole number. Else a string of so many bytes, with its quotes: printable ASCII without an escape. */
  readonly value: 'number' | number;
  /** The bytes behind the value, up to the next one or to the end of the line. */
  readonly after: Literal;
}

/** The template of lines that give such an event and nothing else; null when there is none. */
export type LearnAside = (event: EventOf<'unknown'>) => AsideTemplate | null;

/** The bytes that are read. */
export interface Bytes {
  readonly bytes: Uint8Array;
  readonly view: DataView;
}

/** Collects the values of consecutive lines. A class with one instance for all agents, like the collector of deltas. */
class ValueCollector {
  readonly #bytes = new Uint8Array(mostBytes);
  readonly #ends = new Int32Array(mostLines * mostHoles);
  #count = 0;
  #added = 0;

  clear(): void {
    this.#count = 0;
    this.#added = 0;
  }

  /** False: there is no room. */
  add(bytes: Uint8Array, from: number, to: number): boolean {
    const end = this.#added + to - from;
    if (end > mostBytes || this.#count === this.#ends.length) return false;
    for (let at = from; at < to; at += 1) this.#bytes[this.#added + at - from] = bytes[at] ?? 0;
    this.#added = end;
    this.#ends[this.#count] = end;
    this.#count += 1;
    return true;
  }

  /** The values so far, of which the first `count` belong to the burst. */
  take(count: number): Pick<Asides, 'bytes' | 'ends'> {
    return { bytes: this.#bytes.slice(0, this.#ends[count - 1] ?? 0), ends: this.#ends.slice(0, count) };
  }
}

const values = new ValueCollector();

/** Recognises the lines before the deltas of one agent. A class: its methods run for each line. */
export class AsideReader {
  readonly #learn: LearnAside;
  #template: AsideTemplate | null = null;

  constructor(learn: LearnAside) {
    this.#learn = learn;
  }

  /** Learns from what a line was decoded to, if they are one such event and nothing else. */
  learn(actions: readonly Action<Event>[]): void {
    const [only] = actions;
    if (only?.do !== 'deliver' || actions.length > 1 || only.message.type !== 'unknown') return;
    const template = this.#learn(only.message);
    // Who knows the payload of the present template has prepared frames for it.
    if (template !== null && !isSame(template, this.#template)) this.#template = template;
  }

  clear(): void {
    values.clear();
  }

  /** Adds the values of the line at `start`. Returns where its LF is, or -1 when the line is not alike. */
  add({ bytes, view }: Bytes, start: number, end: number): number {
    const template = this.#template;
    if (template === null || start + template.head.length >= end) return -1;
    if (!isLiteralAt(view, start, template.head)) return -1;
    let at = start + template.head.length;
    for (const { value, after } of template.holes) {
      const next = value === 'number' ? passNumber(bytes, at) : passString(bytes, at, value, end);
      if (next < 0 || next + after.length >= end || !isLiteralAt(view, next, after)) return -1;
      if (!values.add(bytes, at, next)) return -1;
      at = next + after.length;
    }
    return bytes[at] === LF ? at : -1;
  }

  /** The events of the first `count` lines. */
  take(count: number): Asides | undefined {
    if (this.#template === null) return undefined;
    const { protocol, payload, holes } = this.#template;
    const fields = holes.map(({ field }) => field);
    return { protocol, payload, fields, ...values.take(count * fields.length) };
  }
}

function isSame(one: AsideTemplate, other: AsideTemplate | null): boolean {
  if (other === null || !isSameLiteral(one.head, other.head) || one.holes.length !== other.holes.length) return false;
  return one.holes.every(({ value, after }, place) => {
    const hole = other.holes[place];
    return hole !== undefined && hole.value === value && isSameLiteral(hole.after, after);
  });
}

/** Where the number at this offset ends; -1 when JSON.stringify would write it in another way. */
function passNumber(bytes: Uint8Array, from: number): number {
  let at = from;
  while (isDigit(bytes[at])) at += 1;
  const digits = at - from;
  const isSpelledSo = digits === 1 || (digits > 1 && digits <= mostDigits && bytes[from] !== ZERO);
  return isSpelledSo ? at : -1;
}

const isDigit = (byte: number | undefined) => byte !== undefined && byte >= ZERO && byte < ZERO + 10;

/** Where the string of so many bytes ends; -1 when another one stands there. */
function passString(bytes: Uint8Array, from: number, length: number, end: number): number {
  const to = from + length;
  if (to > end || bytes[from] !== QUOTE || bytes[to - 1] !== QUOTE) return -1;
  return isPlainAt(bytes, from + 1, length - 2) ? to : -1;
}

/** Whether the projection writes that burst at once. */
export function takesBurst(bursts: BurstProjection, burst: Burst): boolean {
  return (burst.asides === undefined || bursts.takesAsides === true) && bursts.takes(burst);
}
