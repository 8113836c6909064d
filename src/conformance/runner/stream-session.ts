// Joins the event stream and the posts of one HTTP client into one channel.
import type { Channel } from '../../core/contract/channel.ts';
import type { PostedFrame } from '../../core/contract/gateway/gateway-api.ts';
import type { Entry, Reader } from '../../core/contract/reader.ts';
import { memoryPair } from '../../transports/memory.ts';

/** The client's session. */
export interface StreamSession {
  /** Reads messages from the cursor on; null: from the beginning. */
  reader(cursor: string | null): Reader;
  post(frames: readonly PostedFrame[]): void;
  close(): void;
}

/** How the session is made, and what to call at its end. */
export interface StreamSessionOptions {
  readonly label: string;
  /** Receives the agent's end of the channel. */
  take(channel: Channel): void;
  /** How long the client may be disconnected before it counts as gone, ms. */
  readonly awayMs: number;
  over(): void;
}

/** Extracts the number from our cursor, which an envelope may have shortened. */
const place = /^(?:conformance\.)?(\d{1,9})(?:\.0)?$/u;

/** Keeps the client's end of a channel in memory as a log that readers pull from. */
export function createStreamSession({ label, take, awayMs, over }: StreamSessionOptions): StreamSession {
  const [near, far] = memoryPair(label);
  const log: Entry[] = [];
  const readers = new Set<Reader>();
  const posted = new Set<string>();
  // The client that creates the session may take a while to connect its stream.
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
    // A memory channel has no framing faults.
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
        // The HTTP server installs its own callback here.
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
