// Writes the deltas of a burst as canonical frames: the number and the time of the event stand in front of each.
import type { BurstProjection } from '../../core/contract/adapter.ts';
import type { Stretch } from '../../core/contract/stretch.ts';
import { surplusIn } from '../../core/contract/stretch.ts';
import { type Burst, startOf } from '../../core/model/burst.ts';

const LF = 0x0a;
const utf8 = new TextEncoder();

/** The bytes beside the deltas count as ASCII (see Stretch.surplus). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII.
const isAscii = (text: string) => /^[\x00-\x7f]*$/u.test(text);

/** Bursts for frames that begin with `head`. `isOpen`: whether an event gives one frame and no snapshot before it. */
export function createBursts(head: string, isOpen: () => boolean): BurstProjection {
  return {
    takes: ({ extra }) => isOpen() && isAscii(head + JSON.stringify(extra ?? null)),
    write: (burst, seq, from, to, at) =>
      writeFrames(burst, [from, to], (place) => `${head},"seq":${seq + place - from},"at":${at}`),
  };
}

function writeFrames(
  burst: Burst,
  [from, to]: readonly [from: number, to: number],
  headOf: (place: number) => string,
): Stretch {
  const { index, extra, bytes } = burst;
  const open = `,"event":{"type":"block-delta","index":${index},"delta":"`;
  const close = utf8.encode(`"${extra === undefined ? '' : `,"extra":${JSON.stringify(extra)}`}}}`);
  const heads = Array.from({ length: to - from }, (_, place) => headOf(from + place) + open);
  const own = heads.reduce((length, text) => length + text.length + close.length + 1, 0);
  const out = new Uint8Array(own + startOf(burst, to) - startOf(burst, from));
  const ends = new Int32Array(to - from);
  let at = 0;
  for (const [place, text] of heads.entries()) {
    at += utf8.encodeInto(text, out.subarray(at)).written;
    const delta = bytes.subarray(startOf(burst, from + place), startOf(burst, from + place + 1));
    out.set(delta, at);
    out.set(close, at + delta.length);
    at += delta.length + close.length;
    ends[place] = at;
    out[at] = LF;
    at += 1;
  }
  return { bytes: out, ends, surplus: surplusIn(burst, from, to) };
}
