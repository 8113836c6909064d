// The sending half of every channel over a byte stream: what is sent in one tick leaves in one write. Knows no protocol.
import type { Writable } from 'node:stream';
import type { Out } from '../core/channel.ts';
import { createBatch } from './batch.ts';
import type { Framing } from './framing/framing.ts';

/** Writes frames to a stream in batches. */
export interface Outlet {
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
export function createOutlet(stream: Writable, framing: Framing, drained: () => void): Outlet {
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
