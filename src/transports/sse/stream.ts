// Builds the body of a server-sent event stream from a reader. Independent of the HTTP server.
import type { EventEnvelope } from '../../core/contract/adapter/event-envelope.ts';
import { guarded } from '../../core/contract/guarded.ts';
import { type PacedTask, unpaced, writeCost } from '../../core/contract/paced-work.ts';
import type { Entry, FrameEntry, Reader } from '../../core/contract/reader.ts';
import { sizeOf } from '../../core/contract/traffic.ts';
import { gather } from '../batch.ts';
import { encodeComment, encodeEvent, encodeRetry } from '../framing/event-stream.ts';
import { createSharedBytes, joinShared, type SharedBytes } from '../shared-bytes.ts';
import { stretchEvents } from './stretch-events.ts';

/** Forbids caching and buffering by proxies: each frame must arrive when it is written. */
export const eventStreamHeaders = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
} as const;

/** The options of a stream. Times in ms, sizes in bytes. */
export interface EventStreamOptions {
  /** A comment is written after this time without a frame; default 15,000. */
  readonly heartbeatMs?: number;
  /** How long clients wait before they reconnect; default 1000. */
  readonly retryMs?: number;
  /** Approximate size of one read from the reader; default 64 KiB. */
  readonly batchBytes?: number;
  /** Wraps the frames; default none. */
  readonly envelope?: EventEnvelope | undefined;
  /** The client reconnects and has missed the frames until now. */
  readonly isResumed?: boolean;
  /** A client that takes nothing for so long is let go; default 60,000. */
  readonly stallMs?: number;
  /** Called after `onClose` when the client is let go: its connection must be cut, for nothing can be written to it. */
  readonly onStall?: () => void;
  /** Called once when the stream is over, for any reason. */
  readonly onClose?: () => void;
  /** Takes what reading or encoding throws; the stream ends then. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** What is written at once. */
interface Portion {
  readonly chunks: readonly Uint8Array[];
  /** About how many bytes they are. */
  readonly size: number;
  /** Nothing follows. */
  readonly isLast: boolean;
}

/** An open event stream. */
export interface EventStream {
  readonly body: ReadableStream<Uint8Array>;
  /** Ends the body without an event, so that the client reconnects with its cursor. Idempotent. */
  end(): void;
}

/**
 * Writes frames as default events with their cursor as id, or as the envelope defines. The end of the session, and a
 * reset that the envelope does not express, become `gateway` events without an id; no upstream frame can use this name
 * (docs/threats.md T31). Queues nothing: the reader of a slow client falls behind, and the client gets a reset when it
 * reads again.
 */
export function openEventStream(reader: Reader, options: EventStreamOptions = {}): EventStream {
  const { heartbeatMs = 15_000, retryMs = 1000, batchBytes = 64 * 1024, stallMs = 60_000, onStall, onClose } = options;
  const { envelope, isResumed = false } = options;
  const { work = unpaced } = reader;
  const sharedTexts = sharedEvents(envelope);
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  let heartbeat: NodeJS.Timeout | undefined;
  /** Runs from each write until the client has room again. */
  let stall: NodeJS.Timeout | undefined;
  /** Ends the waiting pull; set while a pull waits for entries. */
  let wake: (() => void) | undefined;
  let closed = false;
  /** The mark up to which a resumed client has missed frames; null after these frames are written. */
  let away = isResumed && envelope !== undefined ? reader.mark() : null;

  function close(): void {
    if (closed) return;
    closed = true;
    release();
  }

  function release(): void {
    clearTimeout(stall);
    settle();
    reader.close();
    onClose?.();
  }

  /** Ends the waiting pull, if any. */
  function settle(): void {
    clearTimeout(heartbeat);
    wake?.();
    wake = undefined;
  }

  function write(chunks: readonly Uint8Array[]): void {
    for (const chunk of chunks) controller?.enqueue(chunk);
    clearTimeout(stall);
    stall = setTimeout(letGo, stallMs);
    settle();
  }

  /** The client has taken nothing for too long (docs/faults.md F19). It may come back with its cursor. */
  function letGo(): void {
    if (closed) return;
    close();
    controller?.close();
    onStall?.();
  }

  function readEntries(maxBytes: number): readonly Entry[] {
    if (away !== null) {
      const entries = reader.read(maxBytes, away);
      if (entries.length > 0) return entries;
      away = null;
    }
    return reader.read(maxBytes, undefined, envelope === undefined);
  }

  /** Writes what comes next. Null: nothing does for now. */
  function tell(): Portion | null {
    const portion = readPortion();
    // A pull that enqueues nothing would be the last one.
    if (portion !== null && portion.chunks.length > 0) write(portion.chunks);
    return portion;
  }

  /** Single frames, and frames that were made together before, between and behind them. */
  function readPortion(): Portion | null {
    const chunks: Uint8Array[] = [];
    let size = addStretches(chunks, batchBytes);
    let isNothing = size === 0;
    let areShared = true;
    let isLast = false;
    for (let isMore = size < batchBytes; isMore; ) {
      const entries = readEntries(batchBytes - size);
      if (entries.length === 0) break;
      isNothing = false;
      const texts = encodeShared(entries);
      areShared &&= texts !== null;
      chunks.push(...(texts ?? gather(entries.flatMap(encodeEntry))));
      isLast = entries.some(({ kind }) => kind === 'closed' || kind === 'away');
      const behind = isLast ? 0 : addStretches(chunks, batchBytes - size - sizeOfAll(entries));
      size += sizeOfAll(entries) + behind;
      // A reader that is told that there is nothing more counts as one that keeps up, so it is not asked in vain.
      isMore = behind > 0 && size < batchBytes;
    }
    if (isNothing) return null;
    return { chunks: areShared ? joinShared(chunks) : chunks, size, isLast };
  }

  /** Returns how many bytes they are. An envelope wraps each frame, so its events are made one by one. */
  function addStretches(chunks: Uint8Array[], maxBytes: number): number {
    let size = 0;
    while (size < maxBytes && envelope === undefined) {
      const part = reader.readStretch?.(maxBytes - size) ?? null;
      if (part === null) break;
      const events = stretchEvents(part);
      chunks.push(events);
      size += events.length;
    }
    return size;
  }

  /** Null unless all entries are text: growing messages are views of one buffer, not to be copied (docs/limits.md 2.1). */
  function encodeShared(entries: readonly Entry[]): readonly Buffer[] | null {
    const texts: Buffer[] = [];
    for (const entry of entries) {
      if (entry.kind !== 'frame' || typeof entry.out !== 'string') return null;
      const text = encodeText(entry);
      if (text.length > 0) texts.push(text);
    }
    return texts;
  }

  function encodeText(entry: FrameEntry): Buffer {
    const encode = () => Buffer.concat(gather(encodeFrame(entry)));
    return away === null ? sharedTexts.get(entry, encode) : encode();
  }

  function encodeEntry(entry: Entry): readonly (string | Uint8Array)[] {
    switch (entry.kind) {
      case 'frame':
        return encodeFrame(entry);
      case 'reset':
        // A reset repeats everything, so nothing was missed.
        away = null;
        return envelope === undefined
          ? gatewayEvent({ type: 'reset', reason: entry.reason, cursor: entry.cursor })
          : encodeEvent(envelope.lost(entry.reason));
      case 'closed':
        return gatewayEvent({ type: 'closed', reason: entry.reason });
      case 'away':
        // Without a word the client reconnects with its cursor.
        return [];
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

  /** Writes the next entries, if the client has room for them. */
  const writing: PacedTask = {
    step() {
      if (wake === undefined || closed) return null;
      try {
        const told = tell();
        if (told === null) return null;
        if (told.isLast) end();
        return told.size + writeCost;
      } catch (thrown) {
        fail(thrown);
        return null;
      }
    },
  };

  function end(): void {
    if (closed) return;
    closed = true;
    try {
      // The last frames of a session are logged in the tick in which the server stops, and must still be written.
      while (tell() !== null || reader.isPreparing === true);
      controller?.close();
    } catch (thrown) {
      options.onError?.(thrown);
      controller?.error(thrown);
    }
    release();
  }

  function fail(thrown: unknown): void {
    options.onError?.(thrown);
    controller?.error(thrown);
    close();
  }

  reader.onReadable = () => {
    // Further entries of the same tick go into the same write.
    queueMicrotask(() => work.run(writing));
  };

  const body = new ReadableStream<Uint8Array>(
    {
      start(given) {
        controller = given;
        // Written at once: clients do not see a response before its first bytes.
        given.enqueue(Buffer.from(encodeComment('ok') + encodeRetry(retryMs)));
      },
      pull() {
        clearTimeout(stall);
        const written = new Promise<void>((resolve) => {
          wake = resolve;
        });
        work.run(writing);
        if (wake !== undefined) heartbeat = setTimeout(() => guarded(() => write([ping]), fail), heartbeatMs);
        return written;
      },
      cancel: close,
    },
    // Take nothing from the reader before the client has room.
    { highWaterMark: 0 },
  );
  return { body, end };
}

const ping = Buffer.from(encodeComment('ping'));

/** Events that several readers get, by envelope; bare frames under the function's own name. */
const shared = new WeakMap<object, SharedBytes<FrameEntry, Buffer>>();

function sharedEvents(envelope: EventEnvelope | undefined): SharedBytes<FrameEntry, Buffer> {
  const key = envelope ?? sharedEvents;
  const known = shared.get(key) ?? createSharedBytes<FrameEntry, Buffer>();
  shared.set(key, known);
  return known;
}

/** About how many bytes the entries take on the wire. */
function sizeOfAll(entries: readonly Entry[]): number {
  let size = 0;
  for (const entry of entries) if (entry.kind === 'frame') size += sizeOf(entry.out);
  return size;
}

function gatewayEvent(data: { type: 'reset'; reason: string; cursor: string } | { type: 'closed'; reason: string }) {
  return encodeEvent({ event: 'gateway', data: JSON.stringify(data) });
}
