// The body of a server-sent event stream, pulled from a reader. Knows no HTTP server and no protocol.
import type { EventEnvelope } from '../core/contract/adapter.ts';
import type { Entry, FrameEntry, Reader } from '../core/contract/reader.ts';
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
  /** How frames travel where they do not go bare. */
  readonly envelope?: EventEnvelope | undefined;
  /** The client was here before: what was said until now it has missed. */
  readonly isResumed?: boolean;
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
 * Frames become default events with their cursor as id, or what their envelope makes of them; a reset, unless the
 * envelope has words for it, and the end of the session become `gateway` events, a name that no upstream frame can take
 * (docs/threats.md T31), without an id. Nothing is queued: a client that does not read
 * leaves its reader behind, and learns of a reset when it reads again.
 */
export function openEventStream(reader: Reader, options: EventStreamOptions = {}): EventStream {
  const { heartbeatMs = 15_000, retryMs = 1000, batchBytes = 64 * 1024, onClose } = options;
  const { envelope, isResumed = false } = options;
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  let heartbeat: NodeJS.Timeout | undefined;
  /** Set while a pull waits for something to write. */
  let wake: (() => void) | undefined;
  let closed = false;
  /** The mark up to which the client was away; null once it has been told of all that. */
  let away = isResumed && envelope !== undefined ? reader.mark() : null;

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

  function readEntries(): readonly Entry[] {
    if (away !== null) {
      const entries = reader.read(batchBytes, away);
      if (entries.length > 0) return entries;
      away = null;
    }
    return reader.read(batchBytes);
  }

  /** Writes entries that this client is told of, and looks for the end; false when it is told of none of them. */
  function tell(entries: readonly Entry[]): boolean {
    const pieces = entries.flatMap(encodeEntry);
    if (pieces.length > 0) write(pieces);
    return pieces.length > 0;
  }

  function encodeEntry(entry: Entry): readonly (string | Uint8Array)[] {
    switch (entry.kind) {
      case 'frame':
        return encodeFrame(entry);
      case 'reset':
        // What follows says everything once more, and so nothing of it was missed.
        away = null;
        return envelope === undefined
          ? gatewayEvent({ type: 'reset', reason: entry.reason, cursor: entry.cursor })
          : encodeEvent(envelope.lost(entry.reason));
      case 'closed':
        return gatewayEvent({ type: 'closed', reason: entry.reason });
      default:
        throw entry satisfies never;
    }
  }

  function encodeFrame(entry: FrameEntry): readonly (string | Uint8Array)[] {
    if (envelope === undefined) {
      return encodeEvent({ data: entry.out, ...(entry.cursor === null ? {} : { id: entry.cursor }) });
    }
    const wrapped = envelope.wrap(entry, away !== null);
    return wrapped === null ? [] : encodeEvent(wrapped);
  }

  /** Writes what there is; false when there was nothing. */
  function writeEntries(): boolean {
    try {
      for (;;) {
        const entries = readEntries();
        if (entries.length === 0) return false;
        const isTold = tell(entries);
        if (entries.some((entry) => entry.kind === 'closed')) end();
        // A pull that gives nothing would be the last one.
        if (isTold || closed) return true;
      }
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
      for (let entries = readEntries(); entries.length > 0; entries = readEntries()) tell(entries);
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

function gatewayEvent(data: { type: 'reset'; reason: string; cursor: string } | { type: 'closed'; reason: string }) {
  return encodeEvent({ event: 'gateway', data: JSON.stringify(data) });
}
