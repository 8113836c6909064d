// The framing of the language server protocol: a header with the length in bytes, then the body. Strict when writing,
// liberal when reading, and bounded (docs/threats.md T15). Used only on stdio, so a missing body needs no timeout.
import type { Out, Peek } from '../../core/contract/channel.ts';
import { frameIn, type StretchPart } from '../../core/contract/stretch.ts';
import { hasRest } from '../../core/fast-path/frame-rest.ts';
import { gather } from '../batch.ts';
import { createByteBuffer } from './byte-buffer.ts';
import { createContentHeader } from './content-header.ts';
import { createFrame } from './frame.ts';
import type { DecoderOptions, FrameDecoder, FrameSink, Framing } from './framing.ts';
import { createPeek } from './peek.ts';
import { plainHeader } from './plain-header.ts';

const nothing = new Uint8Array();

const asBuffer = (bytes: Uint8Array) =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/**
 * `maxFrameBytes` limits the bytes of a body. An invalid header is reported once as `bad-frame`, and the decoder stays
 * broken from then on: the start of the next frame is unknown, and a guess could be tricked into reading a body as
 * frames. What the end of the stream cuts short is a `bad-frame` and never a frame, even if the bytes are whole JSON: they
 * are not what their sender meant.
 */
export function contentLengthDecoder(sink: FrameSink, options: DecoderOptions): FrameDecoder {
  const { maxFrameBytes, tail = 'deliver', blank = 'skip', reusedChunks = false, isPaused } = options;
  const header = createContentHeader();
  /** The received part of the open body. */
  const held = createByteBuffer();
  /** Bytes of the open body still to come; null between bodies. */
  let missing: number | null = null;
  /** True from the header of an oversized body until the end of the body. */
  let skipping = false;
  let broken = false;

  function deliver(bytes: Uint8Array): void {
    if (bytes.length > 0 || blank === 'deliver') sink.frame(createFrame(bytes));
  }

  /** Takes frames from that offset on that are whole and have a plain header. Returns the offset after them. */
  function takeWhole(peek: Peek, at: number): number {
    const { bytes } = peek;
    const next = sink.takeBurst?.(peek, at, bytes.length, maxFrameBytes) ?? at;
    if (next > at) return next;
    const start = plainHeader.read(bytes, at, bytes.length);
    const { length } = plainHeader;
    const end = start + length;
    if (start < 0 || end > bytes.length || length > maxFrameBytes) return at;
    if (!passRecognised(peek, start, end)) {
      const body = bytes.subarray(start, end);
      deliver(reusedChunks ? Buffer.from(body) : body);
    }
    return end;
  }

  /** Passes on the frame between those offsets, if the sink recognises it. False: it must be parsed. */
  function passRecognised(peek: Peek, start: number, end: number): boolean {
    const match = sink.recognise?.(peek, start, end) ?? null;
    if (match === null || match.next > end || !hasRest(match, peek.bytes, start, end)) return false;
    match.accept();
    return true;
  }

  /** Delivers a frame that is not in the chunk with its header and its whole body. */
  function deliverLate(body: Uint8Array): void {
    const bytes = asBuffer(body);
    if (!passRecognised(createPeek(bytes, plainHeader), 0, bytes.length)) deliver(bytes);
  }

  function keep(part: Uint8Array): void {
    if (reusedChunks) held.copy(part);
    else held.add(part);
  }

  /** Continues reading a header. Returns the offset in the chunk after the bytes read. */
  function readHeader(chunk: Uint8Array, from: number): number {
    for (let at = from; at < chunk.length; at += 1) {
      const outcome = header.read(chunk[at] ?? 0);
      if (outcome === null) continue;
      if ('breach' in outcome) breakOff(outcome.breach);
      else openBody(outcome.length);
      return at + 1;
    }
    return chunk.length;
  }

  function breakOff(message: string): void {
    broken = true;
    sink.fault({ code: 'bad-frame', message });
  }

  function reportCut(what: string): void {
    sink.fault({ code: 'bad-frame', message: `a ${what} that the end of the stream cut short`, isCut: true });
  }

  function openBody(length: number): void {
    missing = length;
    if (length === 0) {
      closeBody(nothing);
    } else if (length > maxFrameBytes) {
      skipping = true;
      const message = `a frame of ${length} bytes, more than ${maxFrameBytes}, which was discarded`;
      sink.fault({ code: 'too-large', message });
    }
  }

  function closeBody(last: Uint8Array): void {
    missing = null;
    if (skipping) {
      skipping = false;
    } else if (held.length === 0) {
      deliverLate(reusedChunks ? Buffer.from(last) : last);
    } else {
      held.add(last);
      deliverLate(held.take());
    }
  }

  function readBody(chunk: Uint8Array, from: number, wanted: number): number {
    const part = chunk.subarray(from, from + wanted);
    if (part.length === wanted) {
      closeBody(part);
    } else {
      missing = wanted - part.length;
      if (!skipping) keep(part);
    }
    return from + part.length;
  }

  return {
    push(chunk) {
      const bytes = asBuffer(chunk);
      const peek = createPeek(bytes, plainHeader);
      let at = 0;
      while (at < bytes.length && !broken && isPaused?.() !== true) {
        const next = missing === null && header.isFresh ? takeWhole(peek, at) : at;
        if (next > at) at = next;
        else at = missing === null ? readHeader(bytes, at) : readBody(bytes, at, missing);
      }
      return broken ? bytes.length : at;
    },
    end() {
      const isTold = tail === 'deliver' && !broken && !skipping;
      if (isTold && header.isOpen) reportCut('header');
      if (isTold && missing !== null) reportCut('body');
      header.clear();
      held.clear();
      missing = null;
      skipping = false;
      broken = false;
    },
    get isBroken() {
      return broken;
    },
  };
}

function headOf(length: number): string {
  return `Content-Length: ${length}\r\n\r\n`;
}

/** Encodes header and body in one piece. */
function frameBytes(out: Out): Uint8Array {
  if (typeof out !== 'string') {
    // Gathered before counting: a surrogate pair split over two pieces has fewer bytes than its two halves.
    const chunks = gather(out);
    const head = Buffer.from(headOf(chunks.reduce((sum, { length }) => sum + length, 0)));
    return Buffer.concat([head, ...chunks]);
  }
  const length = Buffer.byteLength(out);
  const head = headOf(length);
  const bytes = Buffer.allocUnsafe(head.length + length);
  bytes.write(head, 'latin1');
  bytes.write(out, head.length);
  return bytes;
}

/** Encodes the frames of a part of a stretch: views of one piece of memory. */
function stretchFrames({ stretch, from, to }: StretchPart): Uint8Array[] {
  const lengths = Array.from({ length: to - from }, (_, place) => frameIn(stretch, from + place).length);
  const heads = lengths.map(headOf);
  const bytes = Buffer.allocUnsafeSlow(
    heads.reduce((sum, head, place) => sum + head.length + (lengths[place] ?? 0), 0),
  );
  let at = 0;
  return heads.map((head, place) => {
    const start = at;
    at += bytes.write(head, at, 'latin1');
    bytes.set(frameIn(stretch, from + place), at);
    at += lengths[place] ?? 0;
    return bytes.subarray(start, at);
  });
}

/**
 * The `Content-Length` framing, each frame in a separate write: older clients lose a frame that arrives in two reads,
 * and real servers never join two frames (docs/protocols/common.md 1.1).
 */
export const contentLength: Framing = {
  name: 'content-length',
  decoder: contentLengthDecoder,
  encode: (out) => [frameBytes(out)],
  apart: frameBytes,
  apartAll: stretchFrames,
};
