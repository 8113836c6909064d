// Serves access checks, routes and upgrades on one port.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, isIP, type Socket } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { GatewayApi } from '../../core/contract/gateway-api.ts';
import type { ObstacleSource } from '../../core/contract/obstacles.ts';
import { GatewayError, messageOf } from '../../core/model/errors.ts';
import type { EventStream, EventStreamOptions } from '../sse.ts';
import { createApp } from './app.ts';
import { createGates, type Refusal } from './gates.ts';
import { corsHeaders, isPreflight, preflightHeaders, securityHeaders } from './headers.ts';
import { errorBody } from './status.ts';
import { generateToken } from './token.ts';
import { createUpgradeHandler } from './upgrade.ts';

/** Where to listen, and who may connect. */
export interface ListenOptions {
  readonly board: GatewayApi;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Default 0: any. */
  readonly port?: number;
  /** Generated if absent. Required to listen beyond loopback. */
  readonly token?: string;
  /** Exact origins of foreign pages that may connect. */
  readonly allowedOrigins?: readonly string[];
  /** Further valid Host values, `name:port`, e.g. behind a proxy. */
  readonly allowedHosts?: readonly string[];
  /** Longest frame of a client, bytes; default 8 MiB. */
  readonly maxFrameBytes?: number;
  readonly stream?: EventStreamOptions;
  /** Receives the errors that clients only see as `internal`. */
  readonly onError?: (error: unknown) => void;
}

/** A listening server. */
export interface Listening {
  readonly url: string;
  readonly port: number;
  readonly token: string;
  /** Ends streams, closes WebSockets with 1001 and lets answers finish. Resolves when the port is free. Idempotent. */
  close(): Promise<void>;
}

/** Times in ms (docs/threats.md T16). A stream is a response, so `requestTimeout` does not affect it. */
const limits = { headersTimeout: 10_000, requestTimeout: 30_000, connectionsCheckingInterval: 1000 };
const maxConnections = 512;
/** Wildcard hosts. No client may name them, although browsers reach loopback by 0.0.0.0 (docs/threats.md T5). */
const wildcards: ReadonlySet<string> = new Set(['', '::', '0.0.0.0']);
/** How long `close` waits for connections, ms. */
const closeGraceMs = 5000;

/**
 * Starts to listen. Throws a GatewayError `busy` if the address is in use, and `invalid` if it is not loopback and no token is
 * given (docs/threats.md T5).
 */
export async function listen(options: ListenOptions): Promise<Listening> {
  const { board, host = '127.0.0.1', port = 0, token = generateToken(), maxFrameBytes, stream, onError } = options;
  if (!isLoopback(host) && options.token === undefined) {
    throw new GatewayError('invalid', `to listen on ${host || 'every address'}, which others can reach, set a token`);
  }
  const allowedOrigins = new Set(options.allowedOrigins);
  const allowedHosts = new Set(options.allowedHosts?.map((name) => name.toLowerCase()));
  const gates = createGates({ token, allowedOrigins, allowedHosts });
  let closing: Promise<void> | undefined;
  const check = (request: IncomingMessage) => (closing === undefined ? gates(request) : shuttingDown);

  const streams = new Set<EventStream>();
  const connections = createConnectionCount();
  const app = createApp({ board, connections, streams, maxFrameBytes, stream, onError });
  // Keep the global Request and Response of this process unchanged.
  const answer = getRequestListener(app.fetch, { overrideGlobalObjects: false });
  const upgrades = createUpgradeHandler(board, check, maxFrameBytes);

  const server = createServer(limits, (request, response) => {
    for (const [name, value] of Object.entries({ ...securityHeaders, ...corsHeaders(request, allowedOrigins) })) {
      response.setHeader(name, value);
    }
    const refusal = check(request);
    if (refusal !== null) {
      board.refused(refusal.code);
      refuse(response, refusal);
    } else if (isPreflight(request, allowedOrigins)) response.writeHead(204, preflightHeaders).end();
    else void answer(request, response);
  });
  server.maxConnections = maxConnections;
  server.on('connection', connections.add);
  server.on('drop', () => board.limited('connections'));
  server.on('upgrade', upgrades.handle);

  const bound = await bind(server, host, port);
  if (!wildcards.has(host)) allowedHosts.add(`${host.toLowerCase()}:${bound.port}`);

  function close(): Promise<void> {
    closing ??= new Promise((resolve) => {
      const sweep = setInterval(() => server.closeIdleConnections(), 50);
      const force = setTimeout(() => server.closeAllConnections(), closeGraceMs);
      server.close(() => {
        clearInterval(sweep);
        clearTimeout(force);
        resolve();
      });
      upgrades.closeAll(shuttingDown.message);
      for (const open of streams) open.end();
    });
    return closing;
  }
  return { url: urlOf(host, bound.port), port: bound.port, token, close };
}

/** Counts the open connections, upgraded ones included. */
function createConnectionCount(): ObstacleSource & { add(socket: Socket): void } {
  let open = 0;
  return {
    add(socket) {
      open += 1;
      socket.once('close', () => {
        open -= 1;
      });
    },
    obstacles: () => (open < maxConnections ? [] : [`all ${maxConnections} connections are in use`]),
  };
}

const shuttingDown: Refusal = {
  status: 503,
  code: 'shutting-down',
  message: 'the gateway is shutting down',
  headers: { 'retry-after': '1', connection: 'close' },
};

function refuse(response: ServerResponse, { status, code, message, headers }: Refusal): void {
  response.writeHead(status, { ...headers, 'content-type': 'application/json' }).end(errorBody({ code, message }));
}

function bind(server: Server, host: string, port: number): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    const failed = (error: unknown) => {
      reject(new GatewayError('busy', `cannot listen on ${host}:${port}: ${messageOf(error)}`, { cause: error }));
    };
    server.once('error', failed);
    server.listen(port, host, () => {
      server.off('error', failed);
      const address = server.address();
      if (address === null || typeof address === 'string') failed('not a network address');
      else resolve(address);
    });
  });
}

/** Whether a host certainly is loopback. A name could resolve to anything. */
function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

function urlOf(host: string, port: number): string {
  const name = host === '0.0.0.0' || host === '' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}
