// The frames of a stretch as server-sent events with their cursors. Made once for all readers of the stretch.
import { frameStart, type ReadPart } from '../../core/contract/stretch.ts';
import { encodeHead } from '../framing/event-stream.ts';
import { copyFrame, type FormedFrames, sharedStretches } from '../shared-stretches.ts';

const LF = 0x0a;

/** The frames as default events. */
export const stretchEvents = sharedStretches(eventsOf);

/** Frames of a stretch hold no line end, so each is one line of data. */
function eventsOf({ stretch, places }: ReadPart): FormedFrames {
  const { bytes: source, ends } = stretch;
  const count = ends.length;
  const heads = Array.from({ length: count }, (_, place) => encodeHead({ id: places.cursorAt(place) }));
  const starts = new Int32Array(count + 1);
  for (const [place, head] of heads.entries()) {
    // The frame with its LF, and the LF that ends the event.
    const length = (ends[place] ?? 0) + 2 - frameStart(stretch, place);
    starts[place + 1] = (starts[place] ?? 0) + head.length + length;
  }
  const bytes = Buffer.allocUnsafeSlow(starts[count] ?? 0);
  const to = new DataView(bytes.buffer);
  const from = new DataView(source.buffer, source.byteOffset, source.byteLength);
  for (const [place, head] of heads.entries()) {
    const begin = frameStart(stretch, place);
    const at = starts[place] ?? 0;
    copyFrame(from, begin, to, at + bytes.write(head, at, 'latin1'), (ends[place] ?? 0) + 1 - begin);
    bytes[(starts[place + 1] ?? 0) - 1] = LF;
  }
  return { bytes, starts };
}
