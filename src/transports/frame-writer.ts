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
  if (apart !== undefined) return createApartOutlet(stream, { apart, apartAll }, drained);
  const Outlet = framing.name === 'jsonl' ? LineOutlet : JoiningOutlet;
  return new Outlet(stream, framing, drained);
}

/**
 * A class, because each agent has one, and V8 gives each object literal with a getter a dictionary and a hidden class of its own.
 */
class JoiningOutlet implements FrameWriter {
  readonly #stream: Writable;
  readonly #framing: Framing;
  readonly #drained: () => void;
  readonly #batch = createBatch();
  #isScheduled = false;
  #isWaiting = false;

  constructor(stream: Writable, framing: Framing, drained: () => void) {
    this.#stream = stream;
    this.#framing = framing;
    this.#drained = drained;
  }

  send(out: Out): void {
    if (!this.#stream.writable) return;
    this.#schedule();
    const encoded = this.#framing.encode(out);
    if (typeof encoded === 'string') this.#batch.add(encoded);
    else for (const piece of encoded) this.#batch.add(piece);
  }

  get buffered(): number {
    return this.#stream.writable ? this.#batch.length + this.#stream.writableLength : 0;
  }

  end(): void {
    this.#write();
    if (this.#stream.writable) this.#stream.end();
  }

  protected addLines(lines: Uint8Array): void {
    if (!this.#stream.writable) return;
    this.#schedule();
    this.#batch.add(lines);
  }

  #schedule(): void {
    if (!this.#isScheduled) process.nextTick(flushed, this);
    this.#isScheduled = true;
  }

  /** Waits while the stream is full, so that the frames of that time become one chunk. */
  flush(): void {
    this.#isScheduled = false;
    if (!this.#stream.writableNeedDrain) return this.#write();
    if (!this.#isWaiting) {
      this.#stream.once('drain', () => {
        this.#isWaiting = false;
        this.#write();
      });
    }
    this.#isWaiting = true;
  }

  /** Makes one write. Large byte arrays are not copied. */
  #write(): void {
    const stream = this.#stream;
    const chunks = this.#batch.take();
    const last = chunks.pop();
    if (!stream.writable || last === undefined) return;
    const taken = (error?: Error | null): void => {
      if (!error && this.#batch.length === 0 && stream.writableLength === 0) this.#drained();
    };
    if (chunks.length === 0) {
      stream.write(last, taken);
      return;
    }
    stream.cork();
    for (const chunk of chunks) stream.write(chunk);
    stream.write(last, taken);
    stream.uncork();
  }
}

/** Frames that were made together need no other framing than their own line ends. */
class LineOutlet extends JoiningOutlet {
  sendStretch(part: StretchPart): void {
    this.addLines(linesOf(part));
  }
}

function flushed(outlet: JoiningOutlet): void {
  outlet.flush();
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
