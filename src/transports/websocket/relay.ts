// Stands between WebSocket clients and one address: every message passes as it came, and is told.
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { type RawData, WebSocket, WebSocketServer } from 'ws';
import { messageOf } from '../../core/model/errors.ts';

/** What a relay is given. */
export interface RelayOptions {
  /** Where clients are led: `ws://` or `wss://`. A client that asks for a path other than `/` is led to that path. */
  readonly url: string;
  /** 0: any. */
  readonly port: number;
  /** A message of one connection, counted from 1. `in`: towards the address. The bytes must not change. */
  heard(connection: number, dir: 'in' | 'out', bytes: Buffer, isBinary: boolean): void;
  /** A connection has opened or ended, in a sentence. */
  told(connection: number, words: string): void;
}

/** A relay that listens on the loopback interface. */
export interface Relay {
  readonly port: number;
  /** Ends all connections, and listens no more. */
  close(): Promise<void>;
}

/** Longer messages end their connection, bytes (docs/limits.md 12.5). */
const longestMessage = 256 * 1024 * 1024;
const limits = { maxPayload: longestMessage, perMessageDeflate: false } as const;

/** More waiting bytes stop the sender. */
const mostWaiting = 1024 * 1024;

/** A peer that does not answer the end of the relay is left after so long, ms. */
const closingMs = 1000;

/** Headers of one connection, which the other one has of its own. */
const ownHeaders = /^(?:host|connection|upgrade|sec-websocket-.*|proxy-.*|te|trailer|transfer-encoding|keep-alive)$/u;

/** Names under which only programs of this machine know it: a page that has led its name here has another one (docs/threats.md T44). */
const loopback: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]']);

/** Listens. Rejects if the port is taken. */
export async function startRelay({ url, port, heard, told }: RelayOptions): Promise<Relay> {
  const server = createServer((_request, response) => response.writeHead(426).end('this address takes WebSockets\n'));
  const chosen = new WeakMap<IncomingMessage, string>();
  const acceptor = new WebSocketServer({
    ...limits,
    noServer: true,
    handleProtocols: (_offered, request) => chosen.get(request) || false,
  });
  const sockets = new Set<WebSocket>();
  let count = 0;

  server.on('upgrade', (request, socket, head) => {
    socket.on('error', () => {});
    if (!loopback.has(hostOf(request))) return refuse(socket, 403, 'Forbidden');
    count += 1;
    const connection = count;
    const agent = new WebSocket(targetOf(url, request), protocolsOf(request), {
      ...limits,
      headers: passedOf(request),
    });
    sockets.add(agent);
    let client: WebSocket | null = null;
    agent.on('unexpected-response', (_request, response) => {
      told(connection, `refused with status ${response.statusCode}`);
      refuse(socket, response.statusCode ?? 502, response.statusMessage ?? '');
      response.destroy();
    });
    agent.on('error', (error) => {
      if (client !== null) return;
      told(connection, `could not connect: ${messageOf(error)}`);
      refuse(socket, 502, 'Bad Gateway');
    });
    // The client may leave while the address is dialled.
    socket.on('close', () => void (client === null && agent.terminate()));
    agent.on('close', () => sockets.delete(agent));
    agent.on('open', () => {
      chosen.set(request, agent.protocol);
      acceptor.handleUpgrade(request, socket, head, (accepted) => {
        client = accepted;
        sockets.add(accepted);
        told(connection, 'open');
        join(accepted, agent, (bytes, isBinary) => heard(connection, 'in', bytes, isBinary));
        join(agent, accepted, (bytes, isBinary) => heard(connection, 'out', bytes, isBinary));
        accepted.on('close', (code) => {
          sockets.delete(accepted);
          told(connection, `closed (${code})`);
        });
      });
      if (client === null) agent.terminate();
    });
  });

  await listening(server, port);
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.close(1001);
      const late = setTimeout(() => {
        for (const socket of sockets) socket.terminate();
        server.closeAllConnections();
      }, closingMs);
      await closed;
      clearTimeout(late);
    },
  };
}

/** Messages and the end pass from one to the other. The message leaves before it is told. */
function join(from: WebSocket, to: WebSocket, heard: (bytes: Buffer, isBinary: boolean) => void): void {
  from.on('message', (data, isBinary) => {
    const bytes = wholeOf(data);
    const readOn = () => void (to.bufferedAmount <= mostWaiting && from.resume());
    if (to.readyState === WebSocket.OPEN) to.send(bytes, { binary: isBinary }, readOn);
    heard(bytes, isBinary);
    // A slow reader slows the other side down, as it would without us.
    if (to.bufferedAmount > mostWaiting) from.pause();
  });
  from.on('error', () => to.terminate());
  from.on('close', (code, reason) => {
    // 1005 and 1006 are said by nobody: there was no code, or no closing at all.
    if (code === 1006 || code === 1015) to.terminate();
    else if (code === 1005) to.close();
    else to.close(code, reason);
  });
}

function wholeOf(data: RawData): Buffer {
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.isBuffer(data) ? data : Buffer.from(data);
}

function hostOf({ headers: { host = '' } }: IncomingMessage): string {
  return host.replace(/:\d+$/u, '').toLowerCase();
}

function protocolsOf({ headers }: IncomingMessage): string[] {
  const offered = headers['sec-websocket-protocol'];
  return offered === undefined ? [] : offered.split(',').map((one) => one.trim());
}

function passedOf({ headers }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || ownHeaders.test(name) ? [] : [[name, String(value)]],
    ),
  );
}

/** The path is put into the address by parts: as a relative address, `//name` would lead to another machine. */
function targetOf(url: string, { url: asked = '/' }: IncomingMessage): URL {
  const target = new URL(url);
  if (asked === '/') return target;
  const query = asked.indexOf('?');
  target.pathname = query === -1 ? asked : asked.slice(0, query);
  target.search = query === -1 ? '' : asked.slice(query);
  return target;
}

function refuse(socket: Duplex, status: number, words: string): void {
  socket.end(`HTTP/1.1 ${status} ${words}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}

function listening(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      resolve();
    });
  });
}
