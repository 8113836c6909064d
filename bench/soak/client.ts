// A client of the soak: any protocol, over a WebSocket or a stream of server-sent events, as frames of text.
import { createParser } from 'eventsource-parser';
import { WebSocket } from 'ws';
import type { SoakedGateway } from './gateway.ts';

/** How a client reaches the gateway. */
export type Way = 'websocket' | 'events';

/** A connected client. */
export interface SoakClient {
  /** All that it has heard. */
  readonly frames: string[];
  say(frame: string): Promise<void>;
  /** Resolves as soon as it has heard enough. Rejects when the connection ends before, or after 30 s. */
  hear(label: string, isEnough: (frames: readonly string[]) => boolean): Promise<readonly string[]>;
  /** The place in the stream after the last frame, of a stream of events. */
  readonly cursor: string | undefined;
  /** Ends the connection without a word. */
  cut(): void;
}

/** What a client asks for. */
export interface Wish {
  readonly frontend: string;
  /** None: a session of the connection's own. */
  readonly session?: string | undefined;
  /** Options of the protocol, as a query. */
  readonly options?: Readonly<Record<string, string>>;
  readonly cursor?: string | undefined;
}

const patienceMs = 30_000;

function createEar() {
  const frames: string[] = [];
  const watchers = new Set<() => void>();
  let ended: string | null = null;
  const wake = () => {
    for (const watcher of watchers) watcher();
  };
  return {
    frames,
    take(text: string) {
      for (const line of text.split('\n')) if (line.trim() !== '') frames.push(line);
      wake();
    },
    end(reason: string) {
      ended ??= reason;
      wake();
    },
    hear: (label: string, isEnough: (frames: readonly string[]) => boolean) =>
      new Promise<readonly string[]>((resolve, reject) => {
        const fail = (reason: string) => {
          watchers.delete(look);
          clearTimeout(timer);
          reject(
            new Error(
              `${reason} before ${label}; the last of ${frames.length} frames: ${frames.at(-1)?.slice(0, 300)}`,
            ),
          );
        };
        const look = () => {
          if (!isEnough(frames)) return ended === null ? undefined : fail(ended);
          watchers.delete(look);
          clearTimeout(timer);
          resolve(frames);
        };
        const timer = setTimeout(() => fail(`${patienceMs} ms passed`), patienceMs);
        watchers.add(look);
        look();
      }),
  };
}

/** Connects a client. */
export function connect(gateway: SoakedGateway, way: Way, wish: Wish): Promise<SoakClient> {
  return way === 'websocket' ? overWebSocket(gateway, wish) : overEvents(gateway, wish);
}

async function overWebSocket(gateway: SoakedGateway, { frontend, session, options }: Wish): Promise<SoakClient> {
  const ear = createEar();
  const query = new URLSearchParams({ ...(session === undefined ? {} : { session }), ...options });
  const address = `${gateway.url.replace('http', 'ws')}/v1/${frontend}/ws?${query}`;
  const socket = new WebSocket(address, { headers: gateway.headers, perMessageDeflate: false });
  socket.on('message', (data) => ear.take(data.toString()));
  socket.on('close', (code, reason) => ear.end(`closed with ${code} ${reason}`));
  socket.on('error', ({ message }) => ear.end(message));
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  return {
    frames: ear.frames,
    hear: ear.hear,
    say: async (frame) => socket.send(frame),
    cursor: undefined,
    cut: () => socket.terminate(),
  };
}

async function overEvents(gateway: SoakedGateway, { frontend, session, options, cursor }: Wish): Promise<SoakClient> {
  const ear = createEar();
  const base = `${gateway.url}/v1/${frontend}/sessions/${session}`;
  const query = new URLSearchParams(options);
  const away = new AbortController();
  const resuming: Record<string, string> = cursor === undefined ? {} : { 'last-event-id': cursor };
  const response = await fetch(`${base}/events?${query}`, {
    headers: { ...gateway.headers, ...resuming },
    signal: away.signal,
  });
  if (!response.ok || response.body === null)
    throw new Error(`GET events: ${response.status} ${await response.text()}`);
  let last = cursor;
  const parser = createParser({
    onEvent({ event, id, data }) {
      if (id !== undefined) last = id;
      if (event === undefined || event === 'message') ear.take(data);
      // A healthy client is never reset: its cursor is seconds old.
      else if (event === 'gateway') ear.end(`told by the gateway: ${data}`);
    },
  });
  const read = async (body: AsyncIterable<Uint8Array>) => {
    const decoder = new TextDecoder();
    for await (const chunk of body) parser.feed(decoder.decode(chunk, { stream: true }));
    ear.end('the stream ended');
  };
  void read(response.body).catch((thrown: unknown) => ear.end(String(thrown)));
  return {
    frames: ear.frames,
    hear: ear.hear,
    async say(frame) {
      const headers = { ...gateway.headers, 'content-type': 'application/json' };
      const posted = await fetch(`${base}/frames?${query}`, { method: 'POST', headers, body: frame });
      const answer = await posted.text();
      // Refusals come as frames of the protocol.
      if (!posted.ok && posted.status !== 404) ear.take(answer);
    },
    get cursor() {
      return last;
    },
    cut: () => away.abort(),
  };
}
