// The body of a server-sent event stream, pulled from a reader. Knows no HTTP server and no protocol.
import type { Entry, Reader } from '../core/reader.ts';
import { gather } from './batch.ts';
import { encodeComment, encodeEvent, encodeRetry } from './framing/event-stream.ts';

/** `no-store` and no buffering on the way: each frame must arrive when it is written. */
export const eventStreamHeaders = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
} as const;

/** Times in ms, sizes in bytes. */
export interface EventStreamOptions {
  /** After so long without a frame a comment is written; default 15,000. */
  readonly heartbeatMs?: number;
  /** How long clients wait before they come back; default 1000. */
  readonly retryMs?: number;
  /** About how much is taken from the reader at a time; default 64 KiB. */
  readonly batchBytes?: number;
  /** Called once when the stream is over, whoever ended it. */
  readonly onClose?: () => void;
}

/** A stream that is being written. */
export interface EventStream {
  readonly body: ReadableStream<Uint8Array>;
  /** Ends the body without an event: the client comes back with its cursor. Idempotent. */
  end(): void;
}

/**
 * Frames become default events with their cursor as id; a reset and the end of the session become `gateway` events,
 * a name that no upstream frame can take (threat T31), without an id. Nothing is queued: a client that does not read
 * leaves its reader behind, and learns of a reset when it reads again.
 */
export function openEventStream(reader: Reader, options: EventStreamOptions = {}): EventStream {
  const { heartbeatMs = 15_000, retryMs = 1000, batchBytes = 64 * 1024, onClose } = options;
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  let heartbeat: NodeJS.Timeout | undefined;
  /** Set while a pull waits for something to write. */
  let wake: (() => void) | undefined;
  let closed = false;

  function close(): void {
    if (closed) return;
    closed = true;
    release();
  }

  function release(): void {
    settle();
    reader.close();
    onClose?.();
  }

  /** Ends a waiting pull, if there is one. */
  function settle(): void {
    clearTimeout(heartbeat);
    wake?.();
    wake = undefined;
  }

  function write(pieces: readonly (string | Uint8Array)[]): void {
    for (const chunk of gather(pieces)) controller?.enqueue(chunk);
    settle();
  }

  /** Writes what there is; false when there was nothing. */
  function writeEntries(): boolean {
    try {
      const entries = reader.read(batchBytes);
      if (entries.length === 0) return false;
      write(entries.flatMap(encodeEntry));
      if (entries.some((entry) => entry.kind === 'closed')) end();
    } catch (thrown) {
      controller?.error(thrown);
      close();
    }
    return true;
  }

  function end(): void {
    if (closed) return;
    closed = true;
    try {
      // The last words of a session are said in the tick in which the server stops: they are still owed.
      for (let entries = reader.read(batchBytes); entries.length > 0; entries = reader.read(batchBytes)) {
        write(entries.flatMap(encodeEntry));
      }
      controller?.close();
    } catch (thrown) {
      controller?.error(thrown);
    }
    release();
  }

  reader.onReadable = () => {
    // What follows in the same tick goes into the same write.
    queueMicrotask(() => {
      if (wake !== undefined) writeEntries();
    });
  };

  const body = new ReadableStream<Uint8Array>(
    {
      start(given) {
        controller = given;
        // At once: clients do not see a response before its first bytes.
        given.enqueue(Buffer.from(encodeComment('ok') + encodeRetry(retryMs)));
      },
      pull() {
        if (writeEntries()) return;
        return new Promise<void>((resolve) => {
          wake = resolve;
          heartbeat = setTimeout(() => write([encodeComment('ping')]), heartbeatMs);
        });
      },
      cancel: close,
    },
    // Nothing is taken from the reader before the client has room for it.
    { highWaterMark: 0 },
  );
  return { body, end };
}

function encodeEntry(entry: Entry): readonly (string | Uint8Array)[] {
  switch (entry.kind) {
    case 'frame':
      return encodeEvent({ data: entry.out, ...(entry.cursor === null ? {} : { id: entry.cursor }) });
    case 'reset':
      return gatewayEvent({ type: 'reset', reason: entry.reason, cursor: entry.cursor });
    case 'closed':
      return gatewayEvent({ type: 'closed', reason: entry.reason });
    default:
      throw entry satisfies never;
  }
}

function gatewayEvent(data: { type: 'reset'; reason: string; cursor: string } | { type: 'closed'; reason: string }) {
  return encodeEvent({ event: 'gateway', data: JSON.stringify(data) });
}
