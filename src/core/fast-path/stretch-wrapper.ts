// Writes the same text in front of each frame of a stretch and behind each.
import { frameIn, frameStart, type StretchPart, surplusIn } from '../contract/stretch.ts';
import { literalOf, literalOfLines, writeLiteral } from './literal.ts';
import { stretchRoom } from './stretch-room.ts';

const LF = '\n';
const utf8 = new TextEncoder();

/** Makes the wrapped frames of a part, as a part of a stretch of their own. */
export type StretchWrapper = (part: StretchPart) => StretchPart;

/** Creates a wrapper; null when the texts are not printable ASCII. */
export function createStretchWrapper(head: string, tail: string): StretchWrapper | null {
  if (literalOf(utf8.encode(head + tail)) === null) return null;
  const first = literalOfLines(head);
  const seam = literalOfLines(tail + LF + head);
  const last = literalOfLines(tail + LF);
  return ({ stretch, from, to }) => {
    const count = to - from;
    const length = frameStart(stretch, to) - frameStart(stretch, from) + count * (head.length + tail.length);
    const { bytes, view, ends } = stretchRoom(count, length);
    let at = writeLiteral(bytes, view, 0, first);
    for (let place = from; place < to; place += 1) {
      const frame = frameIn(stretch, place);
      bytes.set(frame, at);
      at += frame.length;
      ends[place - from] = at + tail.length;
      at = writeLiteral(bytes, view, at, place + 1 < to ? seam : last);
    }
    return { stretch: { bytes, ends, surplus: surplusIn(stretch, from, to) }, from: 0, to: count };
  };
}
