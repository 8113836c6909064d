// The hot path of JSON lines: lines that begin alike byte for byte, and what stands around their delta. Learns from
// lines that were parsed; an adapter says what such a line teaches (decision 0011). Knows no protocol.
import type { Action, RecognisedEvent } from '../contract/adapter.ts';
import type { Frame, Peek, Splice } from '../contract/channel.ts';
import type { Event, EventOf } from '../model/event.ts';

type Delta = EventOf<'block-delta'>;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
const DELETE = 0x7f;
const LF = 0x0a;
const isLittleEndian = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;

/** Blocks that may stream in turn without being learned again. */
const memory = 4;

/**
 * Bytes that are compared often. Printable ASCII only: then eight of them are neither a zero nor a NaN when read as a
 * float, and equal floats are equal bytes.
 */
export interface Literal {
  readonly length: number;
  readonly words: Float64Array;
  readonly rest: Uint8Array;
}

/** What lines of one kind have in common. */
export interface Template {
  /** The first bytes, up to and with the opening quote of the delta. */
  readonly head: Literal;
  /** What follows the delta, from its closing quote on: a few bytes. */
  readonly behind: Uint8Array;
  /** What then follows and is read to its end; null when nothing does, or not all of it is read. */
  readonly trail: Trail | null;
  /** What then follows and is skipped; null when nothing does. */
  readonly rest: Rest | null;
  /** What the line means, but for its delta. */
  readonly event: Delta;
}

/** Bytes that are the same in each line, but for some in their middle that say nothing. */
export interface Trail {
  readonly before: Literal;
  /** So many bytes that differ from line to line: printable ASCII that closes no string. */
  readonly hole: number;
  readonly after: Literal;
}

/** The end of a line of which most is skipped. */
export interface Rest {
  /** Its last bytes. */
  readonly ending: Uint8Array;
  /** What stands between its halves, and how many bytes behind the second: the first begins one byte before the rest. */
  readonly splice: Omit<Splice, 'from'> | null;
}

/** What a glancer must know of the message that streams. */
export interface Streaming {
  /** The open block of that index on the main thread, if a delta of it would be nothing but a delta. */
  block(index: number): object | null;
  /** A delta was taken in. */
  streamed(index: number, delta: string): void;
}

/** What lines like this one look like; null when that cannot be told. It gave this event and nothing else. */
export type LearnTemplate = (line: Frame, event: Delta) => Template | null;

/** Learns from lines that were parsed, recognises lines that look like them. */
export interface TemplateRecogniser {
  /** The line was decoded and gave these actions: one delta and nothing else teaches what lines like it look like. */
  learn(line: Frame, actions: readonly Action<Event>[]): void;
  /** See Backend. */
  read(peek: Peek, start: number, end: number): RecognisedEvent | null;
}

const utf8 = new TextEncoder();
const nothing: Uint8Array = new Uint8Array();

/** What a line taught, and the block for which it counts: another one may be of another kind. */
interface Learned extends Template {
  readonly block: object;
}

/** Starts with no templates. */
export function createTemplateRecogniser(streaming: Streaming, teach: LearnTemplate): TemplateRecogniser {
  let templates: Learned[] = [];
  /** The stretch that `bytes` and `view` show. */
  let seen: Uint8Array = nothing;
  let bytes = seen;
  let view: DataView = new DataView(bytes.buffer);
  let known: Delta = { type: 'block-delta', index: 0, delta: '' };
  let delta = '';
  /** What the string that was measured last consists of. */
  let isAscii = true;
  let isPlain = true;

  const splice = { from: 0, bytes: nothing, after: 0 };
  const found = {
    next: 0,
    ending: nothing,
    splice: null as Splice | null,
    accept(): Delta {
      const { index, extra } = known;
      streaming.streamed(index, delta);
      if (extra === undefined) return { type: 'block-delta', index, delta };
      return { type: 'block-delta', index, delta, extra };
    },
  };

  /** The index of the quote that closes the string at `from`, or -1. */
  function measure(stretch: Uint8Array, from: number, end: number): number {
    let ascii = true;
    let plain = true;
    let at = from;
    for (; at < end; at += 1) {
      const byte = stretch[at];
      if (byte === QUOTE || byte === undefined) break;
      // A raw control character is no JSON: let the parser say so.
      if (byte < SPACE) return -1;
      if (byte >= DELETE) ascii = false;
      if (byte === BACKSLASH) {
        plain = false;
        at += 1;
      }
    }
    isAscii = ascii;
    isPlain = plain;
    return at < end ? at : -1;
  }

  /** What the string means; null when it is no JSON string. */
  function textBetween(peek: Peek, from: number, to: number): string | null {
    if (isAscii && isPlain) return peek.ascii(from, to);
    try {
      const raw = isAscii ? peek.ascii(from, to) : peek.utf8(from, to);
      return isPlain ? raw : JSON.parse(`"${raw}"`);
    } catch {
      return null;
    }
  }

  function look(stretch: Uint8Array): void {
    if (stretch === seen) return;
    seen = stretch;
    bytes = new Uint8Array(stretch.buffer, stretch.byteOffset, stretch.byteLength);
    view = new DataView(stretch.buffer, stretch.byteOffset, stretch.byteLength);
  }

  /** The place behind the trail, or -1 when something else stands there. */
  function passTrail({ before, hole, after }: Trail, from: number, end: number): number {
    const holeAt = from + before.length;
    const next = holeAt + hole + after.length;
    if (next >= end || !standsAt(view, from, before)) return -1;
    return isPlainAt(bytes, holeAt, hole) && standsAt(view, holeAt + hole, after) ? next : -1;
  }

  return {
    learn(line, actions) {
      const [only] = actions;
      if (only?.do !== 'deliver' || actions.length > 1 || only.message.type !== 'block-delta') return;
      if (only.message.parent !== undefined) return;
      const block = streaming.block(only.message.index);
      const template = block === null ? null : teach(line, only.message);
      if (block === null || template === null) return;
      const others = templates.filter((other) => !isSame(other.head, template.head));
      const { head, behind, trail, rest, event } = template;
      templates = [{ head, behind, trail, rest, event, block }, ...others].slice(0, memory);
    },

    read(peek, start, end) {
      if (templates.length === 0) return null;
      look(peek.bytes);
      for (const template of templates) {
        const { head, behind, trail, rest, event, block } = template;
        const from = start + head.length;
        if (from >= end || !standsAt(view, start, head)) continue;
        const quote = measure(bytes, from, end);
        if (quote < 0 || streaming.block(event.index) !== block) return null;
        let next = quote + behind.length;
        if (next >= end || !isAt(bytes, quote, behind)) return null;
        if (trail !== null) next = passTrail(trail, next, end);
        if (next < 0 || (rest === null && bytes[next] !== LF)) return null;
        const said = textBetween(peek, from, quote);
        // An empty delta is no event.
        if (said === null || said === '') return null;
        delta = said;
        known = event;
        found.next = next;
        found.ending = rest === null ? nothing : rest.ending;
        found.splice = null;
        if (rest !== null && rest.splice !== null) {
          splice.from = next - 1 - start;
          splice.bytes = rest.splice.bytes;
          splice.after = rest.splice.after;
          found.splice = splice;
        }
        return found;
      }
      return null;
    },
  };
}

/** The bytes as a literal; null when not all of them are printable ASCII. */
export function literalOf(part: Uint8Array): Literal | null {
  if (part.some((byte) => byte < SPACE || byte >= DELETE)) return null;
  const whole = part.length - (part.length % 8);
  // Copies, not `slice`: the part may be a Buffer, whose slices are views.
  const bytes = new Uint8Array(part);
  return { length: bytes.length, words: new Float64Array(bytes.slice(0, whole).buffer), rest: bytes.slice(whole) };
}

function isSame(one: Literal, other: Literal): boolean {
  const isEqual = (value: number, place: number) => value === other.words[place];
  return one.length === other.length && one.words.every(isEqual) && isAt(one.rest, 0, other.rest);
}

/** Whether the literal stands there. Eight bytes at a time: this is asked of every line. */
function standsAt(view: DataView, from: number, { words, rest }: Literal): boolean {
  let at = from;
  for (let place = 0; place < words.length; place += 1, at += 8) {
    if (view.getFloat64(at, isLittleEndian) !== words[place]) return false;
  }
  for (let place = 0; place < rest.length; place += 1, at += 1) if (view.getUint8(at) !== rest[place]) return false;
  return true;
}

/** Whether so many bytes are the inside of a string, in which nothing is escaped. */
function isPlainAt(bytes: Uint8Array, from: number, length: number): boolean {
  for (let at = from; at < from + length; at += 1) {
    const byte = bytes[at];
    if (byte === undefined || byte < SPACE || byte >= DELETE || byte === QUOTE || byte === BACKSLASH) return false;
  }
  return true;
}

/** Whether those bytes stand at that place. */
export function isAt(bytes: Uint8Array, at: number, part: Uint8Array): boolean {
  for (let place = 0; place < part.length; place += 1) if (bytes[at + place] !== part[place]) return false;
  return true;
}

/** The place of the quote that closes the delta at `from`, or -1: it may be spelled in another way than ours. */
export function closingQuote(line: Uint8Array, from: number, delta: string): number {
  const raw = utf8.encode(JSON.stringify(delta).slice(1, -1));
  return isAt(line, from, raw) ? from + raw.length : -1;
}

/** The first place from `from` on at which the part stands, which begins with a quote; -1 when there is none. */
export function findQuoted(bytes: Uint8Array, part: Uint8Array, from: number): number {
  for (let at = bytes.indexOf(QUOTE, from); at !== -1; at = bytes.indexOf(QUOTE, at + 1)) {
    if (isAt(bytes, at, part)) return at;
  }
  return -1;
}
