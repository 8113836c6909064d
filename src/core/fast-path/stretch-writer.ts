// Writes the frames of a burst: fixed bytes around two holes, for the delta and for the last digits of a number.
import { type Stretch, surplusIn } from '../contract/stretch.ts';
import { type Burst, startOf } from '../model/burst.ts';
import { type Literal, literalOf, literalOfLines, writeLiteral } from './literal.ts';
import { type StretchRoom, stretchRoom } from './stretch-room.ts';

/** How many values the three hex digits of a number have. */
export const digitValues = 4096;
const digits = Uint8Array.from('0123456789abcdef', (digit) => digit.charCodeAt(0));
/** A loop copies fewer bytes than this faster than a library call. */
const little = 32;
const LF = '\n';
const utf8 = new TextEncoder();

/** The JSON text of a frame around its holes, as three parts. */
export interface FrameParts {
  readonly head: string;
  readonly middle: string;
  readonly tail: string;
  /**
   * Which hole comes first: the delta between its quotes, or the three lowest hex digits of the number. `none`: there is
   * no number, and the middle belongs to the tail.
   */
  readonly first: 'delta' | 'digits' | 'none';
}

/** The same as bytes. */
export interface FrameMould {
  readonly first: FrameParts['first'];
  readonly head: Literal;
  readonly middle: Literal;
  /** The end of one frame and the beginning of the next one; `lineEnd`: where the LF between them is. */
  readonly seam: Literal;
  readonly lineEnd: number;
  readonly tail: Literal;
}

/** Makes the bytes of a frame's parts; null when they are not printable ASCII. */
export function createMould({ head, middle, tail, first }: FrameParts): FrameMould | null {
  const isNumbered = first !== 'none';
  const end = isNumbered ? tail : middle + tail;
  if ([head, middle, tail].some((part) => literalOf(utf8.encode(part)) === null)) return null;
  return {
    first,
    head: literalOfLines(head),
    middle: literalOfLines(isNumbered ? middle : ''),
    seam: literalOfLines(end + LF + head),
    lineEnd: end.length,
    tail: literalOfLines(end + LF),
  };
}

/** The burst, and the room for its frames. */
interface Writing extends StretchRoom {
  readonly burst: Burst;
}

/**
 * Writes one frame for each delta from place `from` to before place `to`. `seq`: the number of the first frame; the
 * others count from there. `mouldAt`: the mould of the frames from a number on, up to the next multiple of
 * {@link digitValues}.
 */
export function writeStretch(
  burst: Burst,
  seq: number,
  [from, to]: readonly [from: number, to: number],
  mouldAt: (seq: number) => FrameMould,
): Stretch {
  const parts: { mould: FrameMould; from: number; to: number }[] = [];
  let length = startOf(burst, to) - startOf(burst, from);
  for (let place = from; place < to; ) {
    const number = seq + place - from;
    const mould = mouldAt(number);
    const end = mould.first === 'none' ? to : Math.min(to, place + digitValues - (number % digitValues));
    parts.push({ mould, from: place, to: end });
    length += (end - place) * lengthOf(mould);
    place = end;
  }
  const { bytes, view, ends } = stretchRoom(to - from, length);
  const writing: Writing = { burst, bytes, view, ends };
  let at = 0;
  for (const part of parts) at = writePart(writing, part, seq, from, at);
  // The parts around the holes are ASCII.
  return { bytes, ends, surplus: surplusIn(burst, from, to) };
}

/** The length of a frame and its LF, without its delta. */
export const lengthOf = (mould: FrameMould) => mould.head.length + holeAndMiddle(mould) + mould.tail.length;

const holeAndMiddle = ({ first, middle }: FrameMould) => (first === 'none' ? 0 : middle.length + 3);

/** Writes frames of one mould from offset `start` on; returns where they end. */
function writePart(
  { burst, bytes: out, view, ends }: Writing,
  { mould, from, to }: { readonly mould: FrameMould; readonly from: number; readonly to: number },
  seq: number,
  base: number,
  start: number,
): number {
  const { first, head, middle, seam, lineEnd, tail } = mould;
  const isNumbered = first !== 'none';
  const isNumberFirst = first === 'digits';
  writeLiteral(out, view, start, head);
  let at = start + head.length;
  let begin = startOf(burst, from);
  for (let place = from; place < to; place += 1) {
    const number = seq + place - base;
    const end = burst.ends[place] ?? begin;
    if (isNumberFirst) at = writeLiteral(out, view, writeDigits(out, at, number), middle);
    at = copy(burst.bytes, begin, end, out, at);
    if (isNumbered && !isNumberFirst) at = writeDigits(out, writeLiteral(out, view, at, middle), number);
    ends[place - base] = at + lineEnd;
    at = writeLiteral(out, view, at, place + 1 < to ? seam : tail);
    begin = end;
  }
  return at;
}

/** Writes the frame of delta `place` and its LF from offset `start` on; returns the offset behind them. */
export function writeFrame(
  { burst, bytes: out, view, mould }: Omit<Writing, 'ends'> & { readonly mould: FrameMould },
  place: number,
  number: number,
  start: number,
): number {
  const { first, head, middle, tail } = mould;
  let at = writeLiteral(out, view, start, head);
  if (first === 'digits') at = writeLiteral(out, view, writeDigits(out, at, number), middle);
  at = copy(burst.bytes, startOf(burst, place), startOf(burst, place + 1), out, at);
  if (first === 'delta') at = writeDigits(out, writeLiteral(out, view, at, middle), number);
  return writeLiteral(out, view, at, tail);
}

/** Writes the three lowest hex digits; returns the offset behind them. */
export function writeDigits(out: Uint8Array, at: number, number: number): number {
  out[at] = digits[(number >> 8) & 15] ?? 0;
  out[at + 1] = digits[(number >> 4) & 15] ?? 0;
  out[at + 2] = digits[number & 15] ?? 0;
  return at + 3;
}

/** Returns where the copy ends. */
export function copy(bytes: Uint8Array, begin: number, end: number, out: Uint8Array, at: number): number {
  if (end - begin > little) out.set(bytes.subarray(begin, end), at);
  else for (let from = begin; from < end; from += 1) out[at + from - begin] = bytes[from] ?? 0;
  return at + end - begin;
}
