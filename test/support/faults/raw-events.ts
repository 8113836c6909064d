// A reader of a stream of server-sent events that may come with any cursor and sees every event, also those of the transport.
import { createParser } from 'eventsource-parser';
import { within } from '../../../src/conformance/bounded-wait.ts';
import type { Address } from './observers.ts';

/** What was read of one stream. */
export interface RawEvents {
  readonly status: number;
  /** The frames of the protocol. */
  readonly frames: readonly string[];
  /** The events of the transport, as their data. */
  readonly gateway: readonly string[];
  /** The id of the first frame that had one. */
  readonly firstId: string | null;
  until(label: string, isEnough: (frames: readonly string[]) => boolean): Promise<void>;
  close(): Promise<void>;
}

/** Opens the stream of a session for a client of that frontend. */
export async function readEvents(
  { url, token }: Address,
  session: string,
  frontend: string,
  cursor: string | null,
): Promise<RawEvents> {
  const away = new AbortController();
  const headers = { authorization: `Bearer ${token}`, ...(cursor === null ? {} : { 'last-event-id': cursor }) };
  const address = `${url}/v1/${frontend}/sessions/${session}/events`;
  const { status, body } = await fetch(address, { headers, signal: away.signal });
  const frames: string[] = [];
  const gateway: string[] = [];
  const watchers = new Set<() => void>();
  let firstId: string | null = null;
  const parser = createParser({
    onEvent({ event, data, id }) {
      (event === 'gateway' ? gateway : frames).push(data);
      firstId ??= id ?? null;
      for (const watcher of [...watchers]) watcher();
    },
  });
  async function read(): Promise<void> {
    const decoder = new TextDecoder();
    for await (const chunk of body ?? []) parser.feed(decoder.decode(chunk, { stream: true }));
  }
  const reading = read().catch(() => {});
  return {
    status,
    frames,
    gateway,
    get firstId() {
      return firstId;
    },
    async until(label, isEnough) {
      await within(
        label,
        watchers,
        () => (isEnough(frames) ? true : undefined),
        () =>
          `; after ${frames.length} frames: ${frames
            .slice(-5)
            .map((f) => f.slice(0, 300))
            .join('\n')} ${gateway}`,
        9000,
      );
    },
    async close() {
      away.abort();
      await reading;
    },
  };
}
