// Writes the frames of a burst with asides: in turns the frame of an aside and that of a delta.
import type { Stretch } from '../contract/stretch.ts';
import { type Asides, type Burst, deltasAmong, startOf } from '../model/burst.ts';
import { type Literal, literalOf, literalOfLines, writeLiteral } from './literal.ts';
import { stretchRoom } from './stretch-room.ts';
import { copy, digitValues, type FrameMould, lengthOf, writeDigits, writeFrame } from './stretch-writer.ts';

const utf8 = new TextEncoder();

/** A place in the frame of an aside: the value of the field with that number, or the three lowest digits of its number. */
export type AsideHole = number | 'digits';

/** The frame of an aside around its holes. */
export interface AsideMould {
  /** The bytes before the first hole and behind each hole, the LF included. */
  readonly texts: readonly Literal[];
  readonly holes: readonly AsideHole[];
}

/** Makes the bytes around the holes; null when they are not printable ASCII. `texts`: one more than holes. */
export function createAsideMould(texts: readonly string[], holes: readonly AsideHole[]): AsideMould | null {
  if (texts.some((text) => literalOf(utf8.encode(text)) === null)) return null;
  const last = texts.length - 1;
  return { texts: texts.map((text, place) => literalOfLines(place === last ? `${text}\n` : text)), holes };
}

/** The frames of both kinds. */
export interface MixedMoulds {
  readonly delta: FrameMould;
  readonly aside: AsideMould;
}

/**
 * Writes one frame for each event from place `from` to before place `to`. `seq`: the number of the first frame; the
 * others count from there. `mouldsAt`: the moulds of the frames from a number on, up to the next multiple of
 * {@link digitValues}.
 */
export function writeMixedStretch(
  burst: Burst & { readonly asides: Asides },
  seq: number,
  [from, to]: readonly [from: number, to: number],
  mouldsAt: (seq: number) => MixedMoulds,
): Stretch {
  const { asides } = burst;
  let length = startOf(burst, deltasAmong(burst, to)) - startOf(burst, deltasAmong(burst, from));
  let moulds = mouldsAt(seq);
  for (let place = from; place < to; place += 1) {
    if ((seq + place - from) % digitValues === 0) moulds = mouldsAt(seq + place - from);
    const { delta, aside } = moulds;
    length += place % 2 === 1 ? lengthOf(delta) : lengthOfAside(asides, aside, place >> 1);
  }
  const { bytes, view, ends } = stretchRoom(to - from, length);
  let at = 0;
  moulds = mouldsAt(seq);
  for (let place = from; place < to; place += 1) {
    const number = seq + place - from;
    if (number % digitValues === 0) moulds = mouldsAt(number);
    const { delta, aside } = moulds;
    at =
      place % 2 === 1
        ? writeFrame({ burst, bytes, view, mould: delta }, place >> 1, number, at)
        : writeAside({ asides, out: bytes, view, mould: aside }, place >> 1, number, at);
    ends[place - from] = at - 1;
  }
  return { bytes, ends, surplus: surplusOfEvents(burst, from, to) };
}

/** The surplus of the frames of those events: what is not from a delta is ASCII. */
function surplusOfEvents(burst: Burst, from: number, to: number): Int32Array | null {
  const { surplus } = burst;
  if (surplus === null) return null;
  const before = surplus[deltasAmong(burst, from) - 1] ?? 0;
  const sums = new Int32Array(to - from);
  for (let event = from; event < to; event += 1) {
    sums[event - from] = (surplus[deltasAmong(burst, event + 1) - 1] ?? 0) - before;
  }
  return sums;
}

function lengthOfAside({ fields, ends }: Asides, { texts, holes }: AsideMould, place: number): number {
  let length = 0;
  for (const text of texts) length += text.length;
  for (const hole of holes) {
    const value = hole === 'digits' ? -1 : place * fields.length + hole;
    length += value < 0 ? 3 : (ends[value] ?? 0) - (ends[value - 1] ?? 0);
  }
  return length;
}

/** Where the frame of an aside is written. */
interface AsideWriting {
  readonly asides: Asides;
  readonly out: Uint8Array;
  readonly view: DataView;
  readonly mould: AsideMould;
}

function writeAside({ asides, out, view, mould }: AsideWriting, place: number, number: number, start: number): number {
  const { fields, bytes, ends } = asides;
  let at = start;
  for (let turn = 0; turn < mould.texts.length; turn += 1) {
    const text = mould.texts[turn];
    if (text !== undefined) at = writeLiteral(out, view, at, text);
    const hole = mould.holes[turn];
    if (hole === undefined) continue;
    if (hole === 'digits') {
      at = writeDigits(out, at, number);
      continue;
    }
    const value = place * fields.length + hole;
    at = copy(bytes, ends[value - 1] ?? 0, ends[value] ?? 0, out, at);
  }
  return at;
}
