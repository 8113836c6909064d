// A client that listens to server-sent events and posts, as one connection. Knows no protocol and no HTTP.
import type { Channel } from '../../core/contract/channel.ts';
import type { Entry, Reader } from '../../core/contract/reader.ts';
import { memoryPair } from '../../transports/memory.ts';
import type { PostedFrame } from '../../core/contract/gateway-api.ts';

/** One such connection. */
export interface StreamSession {
  /** What is said from that place on; null: from the beginning. */
  reader(cursor: string | null): Reader;
  post(frames: readonly PostedFrame[]): void;
  close(): void;
}

/** How it comes about, and when it is over. */
export interface StreamSessionOptions {
  readonly label: string;
  /** The agent's end. */
  take(channel: Channel): void;
  /** How long nobody may listen before the client counts as gone, ms. */
  readonly awayMs: number;
  over(): void;
}

/** The number in a cursor of ours, which an envelope may have made shorter. */
const place = /^(?:conformance\.)?(\d{1,9})(?:\.0)?$/u;

/** The client's end of a channel in memory, kept as a log that readers pull from. */
export function createStreamSession({ label, take, awayMs, over }: StreamSessionOptions): StreamSession {
  const [near, far] = memoryPair(label);
  const log: Entry[] = [];
  const readers = new Set<Reader>();
  const posted = new Set<string>();
  // Whoever has made it may take a while to listen.
  let away = setTimeout(leave, 15 * awayMs);

  function leave(): void {
    far.close('normal', 'the client is gone');
  }
  function say(entry: Entry): void {
    log.push(entry);
    for (const reader of readers) reader.onReadable();
  }

  far.open({
    frame({ bytes }) {
      const number = log.length + 1;
      say({ kind: 'frame', out: [bytes], cursor: `conformance.${number}.0`, number, at: Date.now() });
    },
    // What goes through memory is whole.
    fault() {},
    end({ reason }) {
      clearTimeout(away);
      say({ kind: 'closed', reason });
      over();
    },
  });
  take(near);

  return {
    reader(cursor) {
      clearTimeout(away);
      let next = Math.min(Number(place.exec(cursor ?? '')?.[1] ?? 0), log.length);
      const reader: Reader = {
        read(maxBytes, until = log.length) {
          const entries: Entry[] = [];
          for (let bytes = 0; next < until && bytes < maxBytes; next += 1) {
            const entry = log[next];
            if (entry === undefined) break;
            entries.push(entry);
            bytes += entry.kind === 'frame' ? lengthOf(entry.out) : 0;
          }
          return entries;
        },
        mark: () => log.length,
        // Its owner puts its own here.
        onReadable: () => {},
        close() {
          readers.delete(reader);
          if (readers.size > 0) return;
          clearTimeout(away);
          away = setTimeout(leave, awayMs);
        },
      };
      readers.add(reader);
      return reader;
    },
    post(frames) {
      for (const { bytes, id } of frames) {
        if (id !== undefined && posted.has(id)) continue;
        if (id !== undefined) posted.add(id);
        far.send([bytes]);
      }
    },
    close: leave,
  };
}

function lengthOf(out: string | readonly (string | Uint8Array)[]): number {
  return typeof out === 'string' ? out.length : out.reduce((sum, piece) => sum + piece.length, 0);
}
