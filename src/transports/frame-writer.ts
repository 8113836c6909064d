// The sending half of every channel over a byte stream. Frames of one tick leave in one write, or each in its own write if the framing
// requires that.
import type { Writable } from 'node:stream';
import type { Out } from '../core/contract/channel.ts';
import { linesOf, type StretchPart } from '../core/contract/stretch.ts';
import { createBatch } from './batch.ts';
import type { Framing } from './framing/framing.ts';
import { createQueue } from './queue.ts';

/** Writes frames to a stream in batches. */
export interface FrameWriter {
  /** Sends a frame. Ignored once the stream has ended. */
  send(out: Out): void;
  /** Sends frames that were made together. Absent: the framing has no use for that. */
  sendStretch?(part: StretchPart): void;
  /** Bytes that the peer has not taken yet. */
  readonly buffered: number;
  /** Writes the pending frames, then ends the stream. */
  end(): void;
}

/**
 * Calls `drained` whenever the peer has taken everything. The caller must listen for `error` on the stream and handle a peer
 * that dies during a write (EPIPE).
 */
export function createFrameWriter(stream: Writable, framing: Framing, drained: () => void): FrameWriter {
  const { apart, apartAll } = framing;
  return apart === undefined
    ? createJoiningOutlet(stream, framing, drained)
    : createApartOutlet(stream, { apart, apartAll }, drained);
}

function createJoiningOutlet(stream: Writable, framing: Framing, drained: () => void): FrameWriter {
  const batch = createBatch();
  let isScheduled = false;
  let isWaiting = false;

  function taken(error?: Error | null): void {
    if (!error && batch.length === 0 && stream.writableLength === 0) drained();
  }

  /** Waits while the stream is full, so that the frames of that time become one chunk. */
  function flush(): void {
    isScheduled = false;
    if (!stream.writableNeedDrain) return write();
    if (!isWaiting) stream.once('drain', writeAgain);
    isWaiting = true;
  }

  function writeAgain(): void {
    isWaiting = false;
    write();
  }

  /** Makes one write. Large byte arrays are not copied. */
  function write(): void {
    const chunks = batch.take();
    const last = chunks.pop();
    if (!stream.writable || last === undefined) return;
    if (chunks.length === 0) {
      stream.write(last, taken);
      return;
    }
    stream.cork();
    for (const chunk of chunks) stream.write(chunk);
    stream.write(last, taken);
    stream.uncork();
  }

  function schedule(): void {
    if (!isScheduled) process.nextTick(flush);
    isScheduled = true;
  }

  function sendStretch(part: StretchPart): void {
    if (!stream.writable) return;
    schedule();
    batch.add(linesOf(part));
  }

  return {
    sendStretch: framing.name === 'jsonl' ? sendStretch : undefined,
    send(out) {
      if (!stream.writable) return;
      schedule();
      const encoded = framing.encode(out);
      if (typeof encoded === 'string') batch.add(encoded);
      else for (const piece of encoded) batch.add(piece);
    },
    get buffered() {
      return stream.writable ? batch.length + stream.writableLength : 0;
    },
    end() {
      write();
      if (stream.writable) stream.end();
    },
  };
}

/**
 * Keeps one write in flight at a time. Writes that queue in the stream would leave as one scatter write, which a pipe passes
 * to its reader as one chunk.
 */
function createApartOutlet(
  stream: Writable,
  { apart, apartAll }: { apart: (out: Out) => Uint8Array; apartAll: Framing['apartAll'] },
  drained: () => void,
): FrameWriter {
  const waiting = createQueue<Uint8Array>();
  let waitingBytes = 0;
  let isWriting = false;
  let isEnding = false;

  function writeNext(): void {
    const frame = waiting.take();
    isWriting = frame !== undefined && stream.writable;
    if (frame !== undefined && isWriting) {
      waitingBytes -= frame.length;
      stream.write(frame, taken);
    } else if (isEnding && stream.writable) {
      stream.end();
    }
  }

  const canWrite = () => stream.writable && !isEnding;

  function queue(frame: Uint8Array): void {
    waiting.add(frame);
    waitingBytes += frame.length;
    if (isWriting) return;
    isWriting = true;
    process.nextTick(writeNext);
  }

  function taken(error?: Error | null): void {
    if (error) return;
    writeNext();
    if (!isWriting && stream.writableLength === 0) drained();
  }

  return {
    send(out) {
      if (canWrite()) queue(apart(out));
    },
    sendStretch:
      apartAll === undefined
        ? undefined
        : (part) => {
            if (canWrite()) for (const frame of apartAll(part)) queue(frame);
          },
    get buffered() {
      return stream.writable ? waitingBytes + stream.writableLength : 0;
    },
    end() {
      isEnding = true;
      if (!isWriting) writeNext();
    },
  };
}
