// The sending half of every channel over a byte stream: what is sent in one tick leaves in one write. Knows no protocol.
import type { Writable } from 'node:stream';
import type { Out } from '../core/channel.ts';
import type { Framing } from './framing/framing.ts';

/** Smaller byte pieces are copied together; larger ones are written as they are, with one scatter write. */
const smallBytes = 8 * 1024;

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
  let waiting: (string | Uint8Array)[] = [];
  let waitingBytes = 0;

  function taken(error?: Error | null): void {
    if (!error && waitingBytes === 0 && stream.writableLength === 0) drained();
  }

  function flush(): void {
    const chunks = gather(waiting);
    waiting = [];
    waitingBytes = 0;
    if (!stream.writable || chunks.length === 0) return;
    stream.cork();
    chunks.forEach((chunk, index) => {
      stream.write(chunk, index === chunks.length - 1 ? taken : undefined);
    });
    stream.uncork();
  }

  function push(piece: string | Uint8Array): void {
    waiting.push(piece);
    waitingBytes += Buffer.byteLength(piece);
  }

  return {
    send(out) {
      if (!stream.writable) return;
      if (waiting.length === 0) process.nextTick(flush);
      const encoded = framing.encode(out);
      if (typeof encoded === 'string') push(encoded);
      else encoded.forEach(push);
    },
    get buffered() {
      return stream.writable ? waitingBytes + stream.writableLength : 0;
    },
    end() {
      flush();
      if (stream.writable) stream.end();
    },
  };
}

/** The same bytes in few pieces: neighbouring strings and small pieces become one, large pieces are not copied. */
export function gather(pieces: readonly (string | Uint8Array)[]): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  let run: Uint8Array[] = [];
  let text = '';

  function closeText(): void {
    if (text !== '') run.push(Buffer.from(text));
    text = '';
  }

  function closeRun(): void {
    closeText();
    const [only] = run;
    if (only !== undefined) chunks.push(run.length === 1 ? only : Buffer.concat(run));
    run = [];
  }

  for (const piece of pieces) {
    if (typeof piece === 'string') {
      text += piece;
    } else if (piece.length < smallBytes) {
      closeText();
      run.push(piece);
    } else {
      closeRun();
      chunks.push(piece);
    }
  }
  closeRun();
  return chunks;
}
