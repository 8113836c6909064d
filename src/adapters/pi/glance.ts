// The hot path: a line that gave one delta and nothing else teaches its first bytes; later lines that begin alike are
// read without being decoded (decision 0011). What is not recognised takes the slow path. Knows no message and no run.
import type { Action, Recognised } from '../../core/adapter.ts';
import type { Frame, Glimpse, Seam } from '../../core/channel.ts';
import type { Event, EventOf } from '../../core/event.ts';
import { isRecord } from './values.ts';

type Delta = EventOf<'block-delta'>;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
const LF = 0x0a;
const isLittleEndian = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;

const utf8 = new TextEncoder();
const opening = utf8.encode('"delta":"');
/** What may stand behind a delta: the end of the line (since 0.84), or snapshots that nobody reads. */
const bare = utf8.encode('"}}');
const nothing: Uint8Array = new Uint8Array();
const partialFirst = utf8.encode('","partial":{');
const followers = [partialFirst, utf8.encode('"},"message":{')];
/** Then the message so far comes twice: as `partial` in the update and as `message` behind it. */
const seamBytes = utf8.encode('},"message":');

/** So many of the last bytes of a line must be those of the line that taught: a snapshot that was cut ends otherwise. */
const endingBytes = 24;
/** Blocks that may stream in turn without being learned again. */
const memory = 4;

/**
 * The first bytes of a line, up to and with the opening quote of the delta. ASCII only: then eight of them are neither
 * a zero nor a NaN when read as a float, and equal floats are equal bytes.
 */
interface Head {
  readonly length: number;
  readonly words: Float64Array;
  readonly rest: Uint8Array;
}

interface Template {
  readonly head: Head;
  /** What follows the delta. */
  readonly follower: Uint8Array;
  readonly ending: Uint8Array;
  readonly event: Delta;
}

/** What a glancer must know of the message that streams. */
export interface GlancePorts {
  /** Whether a delta of that block would be nothing but a delta. */
  isStreaming(index: number): boolean;
  /** A delta was taken in. */
  streamed(index: number, delta: string): void;
}

/** Learns from lines that were parsed, recognises lines that look like them. */
export interface Glancer {
  /** The line was decoded and gave these actions: one delta and nothing else teaches what lines like it look like. */
  learn(line: Frame, actions: readonly Action<Event>[]): void;
  read(glimpse: Glimpse, start: number, end: number): Recognised | null;
}

/** Starts with no templates. */
export function createGlancer(ports: GlancePorts): Glancer {
  let templates: Template[] = [];
  /** The stretch that `bytes` and `view` show. */
  let seen: Uint8Array = new Uint8Array();
  let bytes = seen;
  let view: DataView = new DataView(bytes.buffer);
  let learned: Delta = { type: 'block-delta', index: 0, delta: '' };
  let delta = '';
  /** What the string that was measured last consists of. */
  let isAscii = true;
  let isPlain = true;

  const seam = { from: 0, bytes: seamBytes, after: 1 };
  const found = {
    next: 0,
    ending: nothing,
    seam: null as Seam | null,
    accept(): Delta {
      const { index, extra } = learned;
      ports.streamed(index, delta);
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
      if (byte > 0x7e) ascii = false;
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
  function textBetween(glimpse: Glimpse, from: number, to: number): string | null {
    if (isAscii && isPlain) return glimpse.ascii(from, to);
    try {
      const raw = isAscii ? glimpse.ascii(from, to) : glimpse.utf8(from, to);
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

  return {
    learn(line, actions) {
      const [only] = actions;
      if (only?.do !== 'deliver' || actions.length > 1 || only.message.type !== 'block-delta') return;
      const template = templateOf(line.bytes, only.message);
      if (template === null) return;
      const others = templates.filter(({ head }) => !isSame(head, template.head));
      templates = [template, ...others].slice(0, memory);
    },

    read(glimpse, start, end) {
      if (templates.length === 0) return null;
      look(glimpse.bytes);
      for (const template of templates) {
        const { head, follower, event } = template;
        const from = start + head.length;
        if (from >= end || !beginsWith(view, start, head)) continue;
        const quote = measure(bytes, from, end);
        if (quote < 0 || !ports.isStreaming(event.index)) return null;
        const next = quote + follower.length;
        if (next >= end || !isAt(bytes, quote, follower)) return null;
        if (follower === bare && bytes[next] !== LF) return null;
        const said = textBetween(glimpse, from, quote);
        // An empty delta is no event.
        if (said === null || said === '') return null;
        delta = said;
        learned = event;
        found.next = next;
        found.ending = template.ending;
        seam.from = next - 1 - start;
        found.seam = follower === partialFirst ? seam : null;
        return found;
      }
      return null;
    },
  };
}

/** What the line teaches; null when lines like it cannot be told by their first bytes. */
function templateOf(line: Uint8Array, event: Delta): Template | null {
  for (let at = find(line, opening, 0); at !== -1; at = find(line, opening, at + 1)) {
    const from = at + opening.length;
    if (!opensDelta(line.subarray(0, from), event.index)) continue;
    const quote = from + rawLength(event.delta, line, from);
    const follower = followerAt(line, quote);
    // What a snapshot adds to the event need not be the same in the next one.
    if (follower === null || (follower !== bare && event.extra !== undefined)) return null;
    // Copies, not `slice`: the line may be a Buffer, whose slices are views.
    const head = headOf(new Uint8Array(line.subarray(0, from)));
    if (head === null) return null;
    const ending = follower === bare ? nothing : new Uint8Array(line.subarray(-endingBytes));
    return { head, follower, ending, event };
  }
  return null;
}

function headOf(bytes: Uint8Array): Head | null {
  if (bytes.some((byte) => byte < SPACE || byte > 0x7e)) return null;
  const whole = bytes.length - (bytes.length % 8);
  return { length: bytes.length, words: new Float64Array(bytes.slice(0, whole).buffer), rest: bytes.slice(whole) };
}

function isSame(one: Head, other: Head): boolean {
  const isEqual = (value: number, place: number) => value === other.words[place];
  return one.length === other.length && one.words.every(isEqual) && isAt(one.rest, 0, other.rest);
}

/** Whether these bytes, once closed, are an update of that block whose delta comes last. */
function opensDelta(head: Uint8Array, index: number): boolean {
  try {
    const line: unknown = JSON.parse(`${new TextDecoder('utf-8', { fatal: true }).decode(head)}"}}`);
    const update = isRecord(line) && line.type === 'message_update' ? line.assistantMessageEvent : null;
    if (!isRecord(update) || typeof update.type !== 'string') return false;
    return update.delta === '' && update.contentIndex === index;
  } catch {
    return false;
  }
}

/** How many bytes the delta has on the line, or one too many: it may be spelled in another way than ours. */
function rawLength(delta: string, line: Uint8Array, from: number): number {
  const raw = utf8.encode(JSON.stringify(delta).slice(1, -1));
  return isAt(line, from, raw) ? raw.length : line.length;
}

function followerAt(line: Uint8Array, quote: number): Uint8Array | null {
  if (isAt(line, quote, bare) && quote + bare.length === line.length) return bare;
  return followers.find((follower) => isAt(line, quote, follower)) ?? null;
}

/** Whether the line that begins at `start` begins with that head. Eight bytes at a time: this is asked of every line. */
function beginsWith(view: DataView, start: number, { words, rest }: Head): boolean {
  let at = start;
  for (let place = 0; place < words.length; place += 1, at += 8) {
    if (view.getFloat64(at, isLittleEndian) !== words[place]) return false;
  }
  for (let place = 0; place < rest.length; place += 1, at += 1) if (view.getUint8(at) !== rest[place]) return false;
  return true;
}

function isAt(bytes: Uint8Array, at: number, part: Uint8Array): boolean {
  for (let place = 0; place < part.length; place += 1) if (bytes[at + place] !== part[place]) return false;
  return true;
}

function find(bytes: Uint8Array, part: Uint8Array, from: number): number {
  for (let at = bytes.indexOf(QUOTE, from); at !== -1; at = bytes.indexOf(QUOTE, at + 1)) {
    if (isAt(bytes, at, part)) return at;
  }
  return -1;
}
