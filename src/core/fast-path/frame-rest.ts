// The end of a recognised frame, of which most bytes are skipped: its last bytes, and the splice in its middle.
import type { RecognisedFrame, Splice } from '../contract/channel.ts';

/** The position of the splice in a frame of this length, or -1 if the halves cannot be equal. */
export function splicePlace({ from, bytes, after }: Splice, length: number): number {
  const halves = length - from - bytes.length - after;
  return halves >= 0 && halves % 2 === 0 ? from + halves / 2 : -1;
}

/** Whether the bytes from `start` to `end` have the end of the recognised frame. */
export function hasRest(
  { ending, splice }: Pick<RecognisedFrame, 'ending' | 'splice'>,
  bytes: Uint8Array,
  start: number,
  end: number,
): boolean {
  if (!standsAt(bytes, end - ending.length, ending)) return false;
  if (splice === null) return true;
  const place = splicePlace(splice, end - start);
  return place !== -1 && standsAt(bytes, start + place, splice.bytes);
}

/** A loop, because the parts are short and a library call costs more. */
function standsAt(bytes: Uint8Array, at: number, part: Uint8Array): boolean {
  for (let place = part.length - 1; place >= 0; place -= 1) if (bytes[at + place] !== part[place]) return false;
  return true;
}
