// JSON lines: one message per line, split on LF bytes only, because U+2028 and a lone CR may occur inside strings.
import type { Out, RecognisedFrame } from '../../core/contract/channel.ts';
import { hasRest, splicePlace } from '../../core/fast-path/frame-rest.ts';
import { createByteBuffer } from './byte-buffer.ts';
import { bytesOf, createFrame } from './frame.ts';
import type { DecoderOptions, FrameDecoder, FrameSink, Framing } from './framing.ts';
import { oneLine, oneLineText } from './one-line.ts';
import { createPeek } from './peek.ts';

const LF = 0x0a;
const CR = 0x0d;
const lineEnd = Buffer.of(LF);
/** Bytes of a line that suffice to recognise it. */
const headBytes = 4096;

/**
 * Splits on LF, strips one trailing CR, never looks at a byte twice. U+2028, U+2029, NEL and lone CR split nothing.
 * `maxFrameBytes` counts the bytes before the LF.
 */
export function jsonlDecoder(sink: FrameSink, options: DecoderOptions): FrameDecoder {
  const { maxFrameBytes, tail = 'deliver', blank = 'skip', reusedChunks = false, isPaused } = options;
  /** The beginning of the open line. */
  const held = createByteBuffer();
  /** The match for that beginning. */
  let recognised: RecognisedFrame | null = null;
  /** True from the moment when a line is too long until its LF. */
  let skipping = false;

  /** `isLast`: the line is finished before the chunk is used again. */
  function take(part: Uint8Array, isLast: boolean): void {
    if (skipping || part.length === 0) return;
    if (held.length + part.length <= maxFrameBytes) {
      if (reusedChunks && !isLast) held.copy(part);
      else held.add(part);
      return;
    }
    held.clear();
    recognised = null;
    skipping = true;
    sink.fault({ code: 'too-large', message: `a line of more than ${maxFrameBytes} bytes, which was discarded` });
  }

  /** Delivers the open line. */
  function finish(): void {
    const match = recognised;
    recognised = null;
    if (skipping) {
      skipping = false;
    } else if (match !== null && isAlikeHeld(match)) {
      held.clear();
      match.accept();
    } else {
      deliver(held.take());
    }
  }

  /** {@link hasRest} for a line that came in pieces. */
  function isAlikeHeld({ ending, splice }: RecognisedFrame): boolean {
    if (!held.hasAt(held.length - ending.length, ending)) return false;
    if (splice === null) return true;
    const place = splicePlace(splice, held.length);
    return place !== -1 && held.hasAt(place, splice.bytes);
  }

  function deliver(bytes: Uint8Array): void {
    const line = withoutCarriageReturn(bytes);
    if (line.length > 0 || blank === 'deliver') sink.frame(createFrame(line));
  }

  /** Finishes the open line; returns where the next one begins, or -1 when this chunk does not end it. */
  function goOn(bytes: Buffer): number {
    const isNew = recognised === null && !skipping && held.length < headBytes;
    const end = bytes.indexOf(LF, isNew ? recogniseHeld(bytes) : 0);
    take(end === -1 ? bytes : bytes.subarray(0, end), end !== -1);
    if (end === -1) return -1;
    finish();
    return end + 1;
  }

  /** Tries again to recognise a line whose beginning was too short. Returns where the search for LF may start. */
  function recogniseHeld(bytes: Buffer): number {
    if (sink.recognise === undefined) return 0;
    const before = held.take();
    held.add(before);
    const both = Buffer.concat([before, bytes.subarray(0, headBytes)]);
    recognised = sink.recognise(createPeek(both), 0, both.length);
    return Math.max(0, (recognised?.next ?? 0) - before.length);
  }

  return {
    push(chunk) {
      const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      const peek = createPeek(bytes);
      let start = held.length > 0 || skipping ? goOn(bytes) : 0;
      if (start === -1) return bytes.length;
      while (start < bytes.length && isPaused?.() !== true) {
        const next = sink.takeBurst?.(peek, start, bytes.length, maxFrameBytes) ?? start;
        if (next > start) {
          start = next;
          continue;
        }
        const match = sink.recognise?.(peek, start, bytes.length) ?? null;
        // A recognised line often ends right behind the examined bytes, so no search is needed.
        const isShort = match !== null && bytes[match.next] === LF;
        const end = isShort ? match.next : peek.lineEnd(match?.next ?? start);
        if (end === -1 || end - start > maxFrameBytes) {
          recognised = match;
          take(bytes.subarray(start, end === -1 ? bytes.length : end), end !== -1);
          if (end === -1) return bytes.length;
          finish();
        } else if (match !== null && hasRest(match, bytes, start, end)) {
          match.accept();
        } else {
          const line = bytes.subarray(start, end);
          deliver(reusedChunks ? Buffer.from(line) : line);
        }
        start = end + 1;
      }
      return start;
    },
    end() {
      recognised = null;
      // A stream that ends in LF has no further line, not a blank one.
      if (tail === 'deliver' && held.length > 0) finish();
      held.clear();
      skipping = false;
    },
  };
}

/** Passes on a message that is one line without its LF, if the sink recognises it. False: it must be parsed. */
export function passRecognised(sink: FrameSink, message: Uint8Array): boolean {
  if (sink.recognise === undefined) return false;
  const line = withLineEnd(message);
  const match = sink.recognise(createPeek(line), 0, message.length + 1);
  if (match === null || line.indexOf(LF, match.next) !== message.length) return false;
  if (!hasRest(match, line, 0, message.length)) return false;
  match.accept();
  return true;
}

/** Short lines are put here one after the other, so that a recogniser sees one chunk and need not look at it anew. */
const shortLine = Buffer.allocUnsafeSlow(4096);

/** A recogniser relies on the LF that ends each line. What is returned is valid until the next call. */
function withLineEnd(message: Uint8Array): Buffer {
  if (message.length >= shortLine.length) return Buffer.concat([message, lineEnd]);
  shortLine.set(message);
  shortLine[message.length] = LF;
  return shortLine;
}

function withoutCarriageReturn(line: Uint8Array): Uint8Array {
  return line[line.length - 1] === CR ? line.subarray(0, -1) : line;
}

/** Encodes a message as exactly one line, whatever it contains (docs/threats.md T14). */
export function encodeLine(out: Out): Out {
  // Keep text and LF apart. Joining them here would copy every frame once more.
  return typeof out === 'string' ? [oneLineText(out), '\n'] : [...out.map(oneLine), '\n'];
}

/** Encodes a message as one line in one piece. */
export function lineBytes(out: Out): Buffer {
  if (typeof out !== 'string') return bytesOf(encodeLine(out));
  const text = oneLineText(out);
  const length = Buffer.byteLength(text);
  // Encode directly into the target. Joining first would copy a long text twice.
  const line = Buffer.allocUnsafe(length + 1);
  line.write(text);
  line[length] = LF;
  return line;
}

/** JSON lines. */
export const jsonl: Framing = { name: 'jsonl', decoder: jsonlDecoder, encode: encodeLine };
