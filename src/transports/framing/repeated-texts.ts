// Cuts known texts out of a frame before the frame is parsed: a text that was said before is recognised by its bytes, and
// its value is the string that is there already (decision 0011).

import { isDictionary } from '../../core/model/dictionary.ts';
import { firstJsonOf, jsonOfText } from '../../core/model/encoded-texts.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const SPACE = 0x20;
/** A longer string is searched for its end by the library, which is slower for short ones. */
const shortString = 256;
/** Stands for a text, with one digit behind it. A control character that agents do not send. */
const mark = '\u0091';
const escapedMark = '\\u0091';
const markBytes = Buffer.from(mark);

/** A string of the frame that is a known text. Both offsets include the quotes. */
interface Cut {
  readonly from: number;
  readonly to: number;
  /** The place of the text in the list. */
  readonly place: number;
}

/** A text that is looked for. */
interface Wanted {
  readonly text: string;
  readonly first: Uint8Array;
}

/** A frame without its known texts. */
export interface FrameWithoutTexts {
  readonly bytes: Uint8Array;
  /**
   * Puts the texts back into the value of those bytes. Null if `json`, those bytes as text, has marks of its own: then the frame
   * must be read as it is.
   */
  fill(json: string, parse: () => unknown): { readonly value: unknown } | null;
}

/** Cuts the texts out of the frame, at most ten different ones. Null if none is there. */
export function withoutTexts(bytes: Uint8Array, texts: readonly string[]): FrameWithoutTexts | null {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const wanted = texts.slice(0, 10).map((text) => ({ text, first: firstJsonOf(text) }));
  const cuts = cutsIn(view, wanted);
  if (cuts.length === 0) return null;
  return {
    bytes: marked(view, cuts),
    fill(json, parse) {
      // As many marks as cuts: then each mark is one of ours.
      if (json.split(mark).length - 1 !== cuts.length || json.includes(escapedMark)) return null;
      return { value: filled(parse(), texts) };
    },
  };
}

/** Reads the frame string by string, as a parser does: a text must not be found where no string begins. */
function cutsIn(view: Buffer, wanted: readonly Wanted[]): Cut[] {
  const cuts: Cut[] = [];
  for (let at = view.indexOf(QUOTE); at !== -1; at = view.indexOf(QUOTE, at)) {
    const cut = cutAt(view, at, wanted);
    if (cut !== null) cuts.push(cut);
    at = cut?.to ?? endOfString(view, at + 1);
  }
  return cuts;
}

/** The known text in the string whose opening quote is at `from`. */
function cutAt(view: Buffer, from: number, wanted: readonly Wanted[]): Cut | null {
  for (const [place, { text, first }] of wanted.entries()) {
    // A text has at least as many bytes as units.
    if (view.length - from < text.length || !standsAt(view, from, first)) continue;
    const json = jsonOfText(text);
    if (json === null) continue;
    const to = from + json.length;
    if (to > view.length || view.compare(json, 0, json.length, from, to) !== 0) continue;
    return isName(view, to) ? null : { from, to, place };
  }
  return null;
}

function standsAt(view: Buffer, at: number, part: Uint8Array): boolean {
  for (let place = 0; place < part.length; place += 1) if (view[at + place] !== part[place]) return false;
  return true;
}

/** Whether the string before this offset is the name of a member. */
function isName(view: Buffer, at: number): boolean {
  let next = at;
  while ((view[next] ?? COLON) <= SPACE) next += 1;
  return view[next] === COLON;
}

/** The offset behind the quote that closes the string whose first character is at `from`. */
function endOfString(view: Buffer, from: number): number {
  const near = Math.min(view.length, from + shortString);
  let at = from;
  while (at < near) {
    const byte = view[at];
    if (byte === QUOTE) return at + 1;
    at += byte === BACKSLASH ? 2 : 1;
  }
  for (let quote = view.indexOf(QUOTE, at); quote !== -1; quote = view.indexOf(QUOTE, quote + 1)) {
    if (!isEscaped(view, quote, at)) return quote + 1;
  }
  return view.length;
}

/** Whether an odd number of backslashes stands before the quote, from offset `from` on. */
function isEscaped(view: Buffer, quote: number, from: number): boolean {
  let first = quote;
  while (first > from && view[first - 1] === BACKSLASH) first -= 1;
  return (quote - first) % 2 === 1;
}

/** The frame with a mark in place of each text. */
function marked(view: Buffer, cuts: readonly Cut[]): Buffer {
  const parts: Uint8Array[] = [];
  let at = 0;
  for (const { from, to, place } of cuts) {
    parts.push(view.subarray(at, from + 1), markBytes, Buffer.of(zero + place, QUOTE));
    at = to;
  }
  return Buffer.concat([...parts, view.subarray(at)]);
}

const zero = 0x30;

/** The value with the texts in place of their marks. Changes the value. */
function filled(value: unknown, texts: readonly string[]): unknown {
  if (typeof value === 'string') return value.startsWith(mark) ? texts[Number(value.slice(1))] : value;
  if (Array.isArray(value)) {
    for (const [place, item] of value.entries()) {
      const full = filled(item, texts);
      if (full !== item) value[place] = full;
    }
  } else if (isDictionary(value)) {
    for (const name of Object.keys(value)) {
      const full = filled(value[name], texts);
      if (full !== value[name]) value[name] = full;
    }
  }
  return value;
}
