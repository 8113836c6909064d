// Three tiny clients of any frontend, one for each transport, all with the same interface.
import { once } from 'node:events';
import { createParser } from 'eventsource-parser';
import { WebSocket } from 'ws';
import { type GatewayServer, spawnGateway, stopProcess } from './gateway.ts';
import { createInbox, type Inbox } from './inbox.ts';
import type { PiHome } from './pi-rig.ts';

/** A client of one session. */
export interface Client extends Pick<Inbox, 'frames' | 'waitFor' | 'until'> {
  /** Sends one frame as JSON. */
  send(frame: unknown): Promise<void>;
  /** Sends bytes that may be no frame at all. What the transport answers to them joins `frames`. */
  sendRaw(text: string): Promise<void>;
  close(): Promise<void>;
}

function clientOf(inbox: Inbox, sendRaw: Client['sendRaw'], close: Client['close']): Client {
  return { ...inbox, sendRaw, send: (frame) => sendRaw(JSON.stringify(frame)), close };
}

/** A `patchbay stdio` of its own, one JSON line a frame. */
export function connectStdio(home: PiHome, frontend = 'claude'): Client {
  const inbox = createInbox();
  const child = spawnGateway(home, ['stdio', '--frontend', frontend]);
  let log = '';
  child.stderr.on('data', (text: string) => {
    log = `${log}${text}`.slice(-2_000);
  });
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const lines = `${rest}${text}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) inbox.line(line);
  });
  child.stdin.on('error', (error) => inbox.cut(error.message));
  child.on('exit', (code, signal) => inbox.cut(`the gateway exited (${signal ?? code}) ${log}`));
  return clientOf(
    inbox,
    async (text) => {
      if (!child.stdin.write(`${text}\n`)) await once(child.stdin, 'drain');
    },
    () => stopProcess(child),
  );
}

/** A WebSocket on a session of a server; without `session` the server makes one. */
export async function connectWebSocket(server: GatewayServer, session: string, frontend = 'claude'): Promise<Client> {
  const inbox = createInbox();
  const url = `${server.url.replace('http', 'ws')}/v1/${frontend}/ws?session=${session}`;
  const socket = new WebSocket(url, { headers: server.headers });
  socket.on('message', (data) => {
    for (const line of data.toString().split('\n')) inbox.line(line);
  });
  socket.on('close', (code, reason) => inbox.cut(`the socket closed (${code} ${reason.toString()})`));
  socket.on('error', (error) => inbox.cut(error.message));
  await once(socket, 'open');
  return clientOf(
    inbox,
    (text) => new Promise((sent, failed) => socket.send(text, (error) => (error ? failed(error) : sent()))),
    async () => {
      if (socket.readyState === WebSocket.CLOSED) return;
      const closed = once(socket, 'close');
      socket.close();
      await closed;
    },
  );
}

/** A stream of server-sent events on a session, with POST for the way back. */
export async function connectSse(server: GatewayServer, session: string, frontend = 'claude'): Promise<Client> {
  const inbox = createInbox();
  const base = `${server.url}/v1/${frontend}/sessions/${session}`;
  const away = new AbortController();
  const stream = await fetch(`${base}/events`, { headers: server.headers, signal: away.signal });
  if (!stream.ok || stream.body === null) throw new Error(`GET events: ${stream.status} ${await stream.text()}`);
  const parser = createParser({
    onEvent: (event) => {
      // Events named `gateway` are of the transport, not of the protocol.
      if (event.event === undefined || event.event === 'message') inbox.line(event.data);
    },
  });
  const read = async (body: AsyncIterable<Uint8Array>) => {
    const decoder = new TextDecoder();
    for await (const chunk of body) parser.feed(decoder.decode(chunk, { stream: true }));
    inbox.cut('the stream ended');
  };
  const reading = read(stream.body).catch((thrown: unknown) => inbox.cut(String(thrown)));
  return clientOf(
    inbox,
    async (text) => {
      const headers = { ...server.headers, 'content-type': 'application/json' };
      const response = await fetch(`${base}/frames`, { method: 'POST', headers, body: text });
      const answer = await response.text();
      if (response.ok) return;
      try {
        for (const line of answer.split('\n')) inbox.line(line);
      } catch (cause) {
        throw new Error(`no frame in the answer to POST frames: ${response.status} ${answer}`, { cause });
      }
    },
    async () => {
      away.abort();
      await reading;
    },
  );
}
