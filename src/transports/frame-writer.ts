// The sending half of every channel over a byte stream: what is sent in one tick leaves in one write, or each frame in
// one of its own where its framing says so. Knows no protocol.
import type { Writable } from 'node:stream';
import type { Out } from '../core/contract/channel.ts';
import { createBatch } from './batch.ts';
import type { Framing } from './framing/framing.ts';
import { createQueue } from './queue.ts';

/** Writes frames to a stream in batches. */
export interface FrameWriter {
  /** Ignored once the stream is ended or gone. */
  send(out: Out): void;
  /** Bytes not yet taken by the peer. */
  readonly buffered: number;
  /** Writes what waits, then ends the stream. */
  end(): void;
}

/**
 * `drained` is called whenever everything sent so far was taken. The stream needs an `error` listener of its own:
 * a peer that died in the middle of a write (EPIPE) is the caller's to judge.
 */
export function createFrameWriter(stream: Writable, framing: Framing, drained: () => void): FrameWriter {
  return framing.apart === undefined
    ? createJoiningOutlet(stream, framing, drained)
    : createApartOutlet(stream, framing.apart, drained);
}

function createJoiningOutlet(stream: Writable, framing: Framing, drained: () => void): FrameWriter {
  const batch = createBatch();
  let isScheduled = false;
  let isWaiting = false;

  function taken(error?: Error | null): void {
    if (!error && batch.length === 0 && stream.writableLength === 0) drained();
  }

  /** A stream that is full is left alone: what gathers meanwhile is one chunk, and not one for each frame. */
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

  /** One write, whatever it holds: large bytes leave from where they are. */
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

  return {
    send(out) {
      if (!stream.writable) return;
      if (!isScheduled) process.nextTick(flush);
      isScheduled = true;
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
 * One write is on its way at a time: what a stream gathers behind it would leave in one scatter write, which a pipe hands
 * to its reader as one.
 */
function createApartOutlet(stream: Writable, apart: (out: Out) => Uint8Array, drained: () => void): FrameWriter {
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

  function taken(error?: Error | null): void {
    if (error) return;
    writeNext();
    if (!isWriting && stream.writableLength === 0) drained();
  }

  return {
    send(out) {
      if (!stream.writable || isEnding) return;
      const frame = apart(out);
      waiting.add(frame);
      waitingBytes += frame.length;
      if (isWriting) return;
      isWriting = true;
      process.nextTick(writeNext);
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
