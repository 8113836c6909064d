// The frames of a stretch as text messages of a WebSocket server. Made once for all readers of the stretch.
import { frameStart, type StretchPart } from '../../core/contract/stretch.ts';
import { copyFrame, type FormedFrames, sharedStretches } from '../shared-stretches.ts';
import { headBytesOf, writeHead } from './text-message.ts';

/** Messages that are the frames of the part. */
export const textMessages = sharedStretches((part) => messagesOf(part, 0));
/** Messages that end in LF. */
export const lineMessages = sharedStretches((part) => messagesOf(part, 1));

/** `lineEnd`: bytes of the LF that belongs to a message. */
function messagesOf({ stretch }: StretchPart, lineEnd: 0 | 1): FormedFrames {
  const { bytes: source, ends } = stretch;
  const count = ends.length;
  const starts = new Int32Array(count + 1);
  for (let place = 0; place < count; place += 1) {
    const length = (ends[place] ?? 0) + lineEnd - frameStart(stretch, place);
    starts[place + 1] = (starts[place] ?? 0) + headBytesOf(length) + length;
  }
  const bytes = Buffer.allocUnsafeSlow(starts[count] ?? 0);
  const to = new DataView(bytes.buffer);
  const from = new DataView(source.buffer, source.byteOffset, source.byteLength);
  for (let place = 0; place < count; place += 1) {
    const begin = frameStart(stretch, place);
    const size = (ends[place] ?? 0) + lineEnd - begin;
    copyFrame(from, begin, to, writeHead(bytes, starts[place] ?? 0, size), size);
  }
  return { bytes, starts };
}
