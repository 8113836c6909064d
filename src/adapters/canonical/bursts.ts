// Writes the deltas of a burst as canonical frames: the number and the time of the event stand in front of each.
import type { BurstProjection } from '../../core/contract/adapter/projection.ts';
import { type Stretch, surplusIn } from '../../core/contract/stretch.ts';
import { stretchRoom } from '../../core/fast-path/stretch-room.ts';
import { type Burst, startOf } from '../../core/model/burst.ts';

const LF = 0x0a;
const utf8 = new TextEncoder();

/** The bytes beside the deltas count as ASCII (see Stretch.surplus). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII.
const isAscii = (text: string) => /^[\x00-\x7f]*$/u.test(text);

/** The end of a frame, behind its delta: the extra fields, and the quotes and braces that close. */
interface Ending {
  readonly extra: Burst['extra'];
  readonly bytes: Uint8Array;
  readonly isAscii: boolean;
}

function endingOf(extra: Burst['extra']): Ending {
  const text = `"${extra === undefined ? '' : `,"extra":${JSON.stringify(extra)}`}}}`;
  return { extra, bytes: utf8.encode(text), isAscii: isAscii(text) };
}

/** Bursts for frames that begin with `head`. `isOpen`: whether an event gives one frame and no snapshot before it. */
export function createBursts(head: string, isOpen: () => boolean): BurstProjection {
  const isAsciiHead = isAscii(head);
  let last = endingOf(undefined);
  /** All bursts of one block have the same object. */
  const endingFor = (extra: Burst['extra']) => {
    if (last.extra !== extra) last = endingOf(extra);
    return last;
  };
  return {
    takes: ({ extra }) => isAsciiHead && isOpen() && endingFor(extra).isAscii,
    write: (burst, seq, from, to, at) =>
      writeFrames(
        burst,
        [from, to],
        (place) => `${head},"seq":${seq + place - from},"at":${at}`,
        endingFor(burst.extra).bytes,
      ),
  };
}

function writeFrames(
  burst: Burst,
  [from, to]: readonly [from: number, to: number],
  headOf: (place: number) => string,
  ending: Uint8Array,
): Stretch {
  const open = `,"event":{"type":"block-delta","index":${burst.index},"delta":"`;
  const heads = Array.from({ length: to - from }, (_, place) => headOf(from + place) + open);
  const own = heads.reduce((length, text) => length + text.length + ending.length + 1, 0);
  const { bytes, ends } = stretchRoom(to - from, own + startOf(burst, to) - startOf(burst, from));
  let at = 0;
  for (const [place, text] of heads.entries()) {
    at += utf8.encodeInto(text, bytes.subarray(at)).written;
    const delta = burst.bytes.subarray(startOf(burst, from + place), startOf(burst, from + place + 1));
    bytes.set(delta, at);
    bytes.set(ending, at + delta.length);
    at += delta.length + ending.length;
    ends[place] = at;
    bytes[at] = LF;
    at += 1;
  }
  return { bytes, ends, surplus: surplusIn(burst, from, to) };
}
