// Serves access checks, routes and upgrades on one port.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, isIP, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { getRequestListener } from '@hono/node-server';
import type { Clock } from '../../core/contract/clock.ts';
import type { GatewayApi } from '../../core/contract/gateway/gateway-api.ts';
import { owner, type Principal } from '../../core/contract/principal.ts';
import { GatewayError, messageOf } from '../../core/model/errors.ts';
import type { EventStream, EventStreamOptions } from '../sse/stream.ts';
import { createApp, type RequestBindings } from './app.ts';
import { maxBodyBytes } from './body.ts';
import { type ConnectionLimits, type Crowding, createConnectionTable } from './connection-table.ts';
import { createForwarder, placeOf, sessionUse } from './forwarder.ts';
import { createGates, type Refusal, type Verdict, withPort } from './gates.ts';
import { corsHeaders, isPreflight, preflightHeaders, securityHeaders } from './headers.ts';
import { createHopCheck, type HopSecret } from './hop.ts';
import { createInspector, type InspectorOptions } from './inspector/inspector.ts';
import { errorBody } from './status.ts';
import { createTokenCheck, generateToken, type TokenEntry, tokenHash } from './token.ts';
import { createUpgradeHandler, refuse as refuseSocket } from './upgrade.ts';

export { generateToken };

/** Where to listen, and who may connect. */
export interface ListenOptions {
  readonly board: GatewayApi;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Default 0: any. */
  readonly port?: number;
  /** The single token. Generated if there is neither it nor `tokens`. To listen beyond loopback, one of both is required. */
  readonly token?: string | undefined;
  /** Further tokens, each with its rights. */
  readonly tokens?: readonly TokenEntry[];
  /** Default 4,096 connections on loopback, 512 beyond, all of them for any token. */
  readonly connections?: Partial<ConnectionLimits> | undefined;
  /** Exact origins of foreign pages that may connect. */
  readonly allowedOrigins?: readonly string[];
  /** Further valid Host values, `name:port`, e.g. behind a proxy. */
  readonly allowedHosts?: readonly string[];
  /** Longest frame of a client, bytes; default 8 MiB. */
  readonly maxFrameBytes?: number;
  readonly stream?: EventStreamOptions;
  /** A WebSocket that resumes attaches a session within this time, ms; default 10,000. */
  readonly attachMs?: number;
  /** What gateways that forward to each other know; default: nothing is forwarded. */
  readonly hop?: HopSecret | null;
  /** The page at `/`; absent: none. */
  readonly inspector?: InspectorOptions | undefined;
  /** Receives the errors that clients only see as `internal`. */
  readonly onError?: (error: unknown) => void;
}

/** A listening server. */
export interface Listening {
  readonly url: string;
  readonly port: number;
  /** The single token; undefined if only `tokens` count. */
  readonly token: string | undefined;
  /** The address of the inspector with its login code; null without an inspector. */
  readonly inspector: string | null;
  /** Ends streams, closes WebSockets with 1001 and lets answers finish. Resolves when the port is free. Idempotent. */
  close(): Promise<void>;
}

/** Times in ms (docs/limits.md 7.6). A stream is a response, so `requestTimeout` does not affect it. */
const limits = { headersTimeout: 3000, requestTimeout: 30_000, connectionsCheckingInterval: 500 };
/** Most streams and WebSockets, on loopback and beyond (docs/limits.md 7.1). */
const defaultConnections = { loopback: 4096, beyond: 512 };
/** Silence after which the system probes a connection, ms. */
const keepAliveMs = 30_000;
/** Shortest token beyond loopback, characters (docs/threats.md T7). */
const shortestToken = 16;
/** Wildcard hosts. No client may name them, although browsers reach loopback by 0.0.0.0 (docs/threats.md T5). */
const wildcards: ReadonlySet<string> = new Set(['', '::', '0.0.0.0']);
/** How long `close` waits for connections, ms. */
const closeGraceMs = 5000;

/**
 * Starts to listen. Throws a GatewayError `busy` if the address is in use, and `invalid` if it is not loopback and no token is
 * given (docs/threats.md T5).
 */
export async function listen(options: ListenOptions): Promise<Listening> {
  const { board, host = '127.0.0.1', port = 0, maxFrameBytes, stream, attachMs, onError } = options;
  const { token, entries } = tokensOf(options, isLoopback(host));
  const allowedOrigins = new Set(options.allowedOrigins);
  const allowedHosts = new Set(options.allowedHosts?.map((name) => withPort(name.toLowerCase())));
  const secret = options.hop ?? null;
  const hop = secret === null ? null : createHopCheck(secret);
  const longestBody = () => Math.max(maxFrameBytes ?? maxBodyBytes, board.maxFrameBytes?.() ?? 0);
  const forwarder = secret === null ? null : createForwarder(secret.secret, longestBody);
  const holderOf = createTokenCheck(entries);
  // Does not keep the process alive.
  const clock: Clock = {
    now: () => performance.now(),
    after(ms, callback) {
      const timer = setTimeout(callback, ms).unref();
      return () => clearTimeout(timer);
    },
  };
  const inspector =
    options.inspector === undefined ? null : createInspector(options.inspector, { board, holderOf, clock });
  const isOwnDoor = (path: string) => inspector?.owns(path) === true;
  const gates = createGates({ tokens: entries, allowedOrigins, allowedHosts, hop, isOwnDoor });
  let closing: Promise<void> | undefined;
  const check = (request: IncomingMessage): Verdict =>
    closing === undefined ? gates(request) : { refusal: shuttingDown };

  const streams = new Set<EventStream>();
  const most = isLoopback(host) ? defaultConnections.loopback : defaultConnections.beyond;
  const places = options.connections?.connections ?? most;
  const connections = { perToken: places, ...options.connections, connections: places };
  const table = createConnectionTable(connections, (socket) => {
    board.limited('connections');
    refuseSocket(socket, crowded(connections, 'port'));
  });
  const app = createApp({ board, connections: table, streams, maxFrameBytes, stream, onError });
  // Keep the global Request and Response of this process unchanged.
  const principals = new WeakMap<object, Pick<RequestBindings, 'principal' | 'hop'>>();
  const answer = getRequestListener(
    // A request without a token asks only for what is public (gates.ts).
    async (request, { incoming, outgoing }) => {
      const [path = ''] = (incoming.url ?? '').split('?');
      const paged =
        inspector?.owns(path) === true ? await inspector.answer(request, incoming as IncomingMessage) : null;
      if (paged !== null) return paged;
      return app.fetch(request, { ...(principals.get(incoming) ?? nobody), cut: () => void outgoing.destroy() });
    },
    { overrideGlobalObjects: false },
  );

  function hold(socket: Duplex, { name }: Principal): Refusal | null {
    const crowding = table.hold(socket as Socket, name);
    if (crowding === null) return null;
    board.limited('connections');
    return crowded(connections, crowding);
  }
  const upgrades = createUpgradeHandler({ board, check, hold, forwarder, inspector, maxFrameBytes, attachMs, onError });

  const server = createServer(limits, (request, response) => {
    for (const [name, value] of Object.entries({ ...securityHeaders, ...corsHeaders(request, allowedOrigins) })) {
      response.setHeader(name, value);
    }
    const verdict = check(request);
    if (verdict.refusal !== null) return turnAway(response, verdict.refusal);
    if (isPreflight(request, allowedOrigins)) return void response.writeHead(204, preflightHeaders).end();
    const { principal, hop: hopped } = verdict;
    if (principal === null) return void answer(request, response);
    principals.set(request, { principal, hop: hopped });
    const refusal = take(request, response, principal);
    if (refusal !== null) return turnAway(response, refusal);
    // What was forwarded once is answered here, whoever has the session by now.
    const use = forwarder === null || hopped !== null ? null : sessionUse(request);
    if (forwarder === null || use === null) return void answer(request, response);
    void placeOf(board, use.session, use.use).then((to) => {
      if (to === null) return void answer(request, response);
      forwarder.answer({ to, request, principal }, response, (refused) => turnAway(response, refused));
    });
  });

  function turnAway(response: ServerResponse, refusal: Refusal): void {
    board.refused(refusal.code);
    refuse(response, refusal);
  }

  /** Counts a request with a token. */
  function take(request: IncomingMessage, response: ServerResponse, principal: Principal): Refusal | null {
    const { socket } = request;
    table.asked(socket);
    response.once('close', () => table.answered(socket));
    if (table.isCrowded) response.setHeader('connection', 'close');
    if (!isStream(request)) return null;
    response.once('close', () => table.release(socket));
    return hold(socket, principal);
  }
  server.on('connection', (socket) => {
    // Finds out that the host of a silent client is gone (docs/threats.md T16).
    socket.setKeepAlive(true, keepAliveMs);
    table.opened(socket);
  });
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
      forwarder?.close();
      for (const open of streams) open.end();
    });
    return closing;
  }
  const url = urlOf(host, bound.port);
  const code = inspector?.code ?? null;
  const page = inspector === null || code === null ? null : `${url}/#code=${code}`;
  return { url, port: bound.port, token, inspector: page, close };
}

const shuttingDown: Refusal = {
  status: 503,
  code: 'shutting-down',
  message: 'the gateway is shutting down',
  headers: { 'retry-after': '1', connection: 'close' },
};

/** The refusal of a connection for which there is no room (docs/limits.md 7.5). */
function crowded({ connections, perToken }: ConnectionLimits, by: Crowding): Refusal {
  const headers = { 'retry-after': '1' };
  const [status, message] =
    by === 'port'
      ? [503, `the gateway serves as many connections as it may (${connections})`]
      : [429, `this token has as many streams and WebSockets as it may have (${perToken})`];
  return { status, code: 'limit', message, headers };
}

/** A refused client may not keep its connection, and its body stays unread (docs/limits.md 7.4). */
function refuse(response: ServerResponse, { status, code, message, headers }: Refusal): void {
  const fixed = { connection: 'close', 'content-type': 'application/json' };
  response.writeHead(status, { ...headers, ...fixed }).end(errorBody({ code, message }));
}

const streamRoute = /^\/v1\/[^/]+\/sessions\/[^/]+\/events(?:\?|$)/;

/** Whether the answer is a stream, which keeps its connection for long. */
function isStream({ method, url = '' }: IncomingMessage): boolean {
  return method === 'GET' && streamRoute.test(url);
}

/** Who asks without a token: reaches nothing. */
const nobody = {
  principal: { name: 'nobody', role: 'observer', agents: new Set<string>(), sessions: 'own' },
  hop: null,
} as const;

/** The single token, if there is one, and all tokens that count. Throws `invalid` for a token that is too weak. */
function tokensOf({ token: given, tokens = [], host }: ListenOptions, isNear: boolean) {
  if (!isNear && given === undefined && tokens.length === 0) {
    throw new GatewayError('invalid', `to listen on ${host || 'every address'}, which others can reach, set a token`);
  }
  const token = given ?? (tokens.length === 0 ? generateToken() : undefined);
  if (token === undefined) return { token, entries: tokens };
  const single: TokenEntry = { hash: tokenHash(token), principal: owner };
  if (!isNear && token.length < shortestToken) {
    throw new GatewayError('invalid', `beyond loopback a token has at least ${shortestToken} characters`);
  }
  return { token, entries: [single, ...tokens] };
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
