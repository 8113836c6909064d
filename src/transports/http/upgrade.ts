// Handles WebSocket upgrades: access checks, route and gateway first, then 101. Node passes every request with an Upgrade header here
// and never to the routes.
import { randomUUID } from 'node:crypto';
import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { FramingName } from '../../core/contract/adapter/adapter.ts';
import type { Channel } from '../../core/contract/channel.ts';
import type { ClientRequest, GatewayApi } from '../../core/contract/gateway/gateway-api.ts';
import type { Principal } from '../../core/contract/principal.ts';
import { GatewayError } from '../../core/model/errors.ts';
import { serveResumable } from '../resume/connection.ts';
import { type WebSocketChannelOptions, webSocketChannel, webSocketLimits } from '../websocket/channel.ts';
import { clientRequest } from './client-request.ts';
import { type Forwarder, placeOf } from './forwarder.ts';
import type { Refusal, Verdict } from './gates.ts';
import { headerList, securityHeaders } from './headers.ts';
import type { Inspector, PageSocket } from './inspector/inspector.ts';
import { describeError, errorBody } from './status.ts';
import { chooseProtocol, subprotocols } from './token.ts';

/** Handles upgrade requests. */
export interface UpgradeHandler {
  /** The listener for the server's `upgrade` event. */
  handle(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Closes every WebSocket with 1001. */
  closeAll(reason: string): void;
}

const route = /^\/v1\/([^/]{1,64})\/ws$/;

/** The options of the channel of one upgrade. */
type ChannelOptions = Pick<WebSocketChannelOptions, 'framing' | 'maxFrameBytes'> & { readonly socket: Duplex };

/** What upgrades need from the server. */
export interface UpgradePorts {
  readonly board: GatewayApi;
  /** The access checks. */
  check(request: IncomingMessage): Verdict;
  /** Gives the connection a place among the WebSockets, or says why it gets none. */
  hold(socket: Duplex, principal: Principal): Refusal | null;
  /** Forwards to the gateway that has the session; null: there is no other one. */
  readonly forwarder: Pick<Forwarder, 'upgrade'> | null;
  readonly maxFrameBytes: number | undefined;
  /** Lets its page in; null: there is none. */
  readonly inspector?: Inspector | null;
  /** See ResumableOptions. */
  readonly attachMs?: number | undefined;
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** How a client is served once its WebSocket is open. */
interface Service {
  readonly framing: FramingName;
  opened?(webSocket: WebSocket): void;
  serve(channel: Channel): void;
}

/** Creates the handler of upgrades. */
export function createUpgradeHandler(ports: UpgradePorts): UpgradeHandler {
  const { board, check, hold, forwarder, maxFrameBytes, inspector = null, attachMs, onError } = ports;
  const channels = new Set<Channel>();
  let count = 0;
  const server = new WebSocketServer({
    ...webSocketLimits(Math.max(maxFrameBytes ?? 0, board.maxFrameBytes?.() ?? 0) || undefined),
    noServer: true,
    clientTracking: false,
    handleProtocols: (_offered, request) => protocolFor(request, frontendIn(urlOf(request), inspector) ?? '') ?? false,
  });

  server.on('headers', (lines, request) => {
    const frontend = frontendIn(urlOf(request), inspector);
    const name = frontend === undefined ? undefined : board.connectionHeader?.(frontend);
    if (name !== undefined) lines.push(`${name}: ${randomUUID()}`);
  });

  const frameLimit = (frontend: string) => board.maxFrameBytes?.(frontend) ?? maxFrameBytes;

  /** Separate from {@link accept}, so that the close listener does not keep the request alive. */
  function channelOver(webSocket: WebSocket, options: ChannelOptions): Channel {
    count += 1;
    const channel = webSocketChannel(webSocket, { label: `websocket ${count}`, ...options });
    channels.add(channel);
    // `once` would keep a wrapper of the listener for as long as the connection lives.
    webSocket.on('close', () => channels.delete(channel));
    return channel;
  }

  /** Throws a GatewayError if the gateway refuses. */
  function serviceFor(request: IncomingMessage, client: ClientRequest, page: PageSocket | null): Service {
    if (protocolFor(request, client.frontend) !== subprotocols(client.frontend).resumable) {
      return { framing: board.check(client), serve: (channel) => board.connect(channel, client) };
    }
    const carriesMany = board.checkResumable(client);
    const options = { board: boardOf(board, page), request: client, carriesMany, attachMs, onError };
    return { framing: 'text', serve: (channel) => serveResumable(channel, options) };
  }

  function accept(request: IncomingMessage, head: Buffer, service: Service, options: ChannelOptions): void {
    server.handleUpgrade(request, options.socket, head, (webSocket) => {
      service.opened?.(webSocket);
      const channel = channelOver(webSocket, options);
      try {
        service.serve(channel);
      } catch (thrown) {
        const { problem } = describeError(thrown);
        channel.close(problem.code === 'not-found' ? 'not-found' : 'error', problem.message);
      }
    });
  }

  /** Throws to refuse. */
  function admit(
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    client: ClientRequest,
    page: PageSocket | null,
  ): void {
    const service = { ...serviceFor(request, client, page), ...(page && { opened: endsWith(page) }) };
    const options = { socket, framing: service.framing, maxFrameBytes: frameLimit(client.frontend) };
    const crowded = hold(socket, client.principal);
    if (crowded !== null) return turnAway(socket, crowded);
    accept(request, head, service, options);
  }

  function turnAway(socket: Duplex, refusal: Refusal): void {
    board.refused(refusal.code);
    refuse(socket, refusal);
  }

  return {
    handle(request, socket, head) {
      socket.on('error', ignore);
      const verdict = check(request);
      if (verdict.refusal !== null) return turnAway(socket, verdict.refusal);
      const turnAwayFor = (thrown: unknown) => {
        const { status, problem, headers } = describeError(thrown);
        turnAway(socket, { status, ...problem, headers });
      };
      try {
        const page = inspector?.isSocket(urlOf(request).pathname) === true ? inspector.socket(request) : null;
        const client = requestedClient(request, page?.principal ?? verdict.principal, inspector);
        const wake = () => {
          const waking = client.session === undefined ? null : (board.wake?.(client.session) ?? null);
          if (waking === null) return admit(request, socket, head, client, page);
          // The session is only stored. What the client sends meanwhile stays in the socket.
          waking.then(() => admit(request, socket, head, client, page)).catch(turnAwayFor);
        };
        const { session } = client;
        // The page speaks a protocol of its own gateway.
        if (forwarder === null || verdict.hop !== null || session === undefined || page !== null) return wake();
        const arrive = (to: string | null): void => {
          if (to === null) return wake();
          const crowded = hold(socket, client.principal);
          if (crowded !== null) return turnAway(socket, crowded);
          const { principal } = client;
          forwarder.upgrade({ to, request, principal }, socket, head, (refusal) => turnAway(socket, refusal));
        };
        placeOf(board, session, 'read').then(arrive).catch(turnAwayFor);
      } catch (thrown) {
        turnAwayFor(thrown);
      }
    },
    closeAll(reason) {
      for (const channel of channels) channel.close('going-away', reason);
    },
  };
}

/**
 * A connection reset must not end the gateway. Not a closure: the listener lives as long as the WebSocket and would keep
 * the request.
 */
function ignore(): void {}

function urlOf({ url }: IncomingMessage): URL {
  // Join instead of resolve: resolving `//evil.example/v1/x/ws` would take the first part for a host.
  return new URL(`http://gateway${url}`);
}

/** What a page reads is watched. */
function boardOf(board: GatewayApi, page: PageSocket | null): GatewayApi {
  if (page === null) return board;
  const stream: GatewayApi['stream'] = (caller, cursor) => page.watched(caller.session, board.stream(caller, cursor));
  return { ...board, stream };
}

/** The WebSocket closes when its login is over. */
function endsWith(page: PageSocket): (webSocket: WebSocket) => void {
  return (webSocket) => {
    const forget = page.holds(() => webSocket.close(loggedOut, 'logged out'));
    webSocket.once('close', forget);
  };
}

/** The close code of a page that is logged out. */
const loggedOut = 4401;

function frontendIn({ pathname }: URL, inspector: Inspector | null): string | undefined {
  if (inspector?.isSocket(pathname) === true) return inspector.frontend;
  return route.exec(pathname)?.[1];
}

/** The subprotocol that the client and the gateway agree on. */
function protocolFor(request: IncomingMessage, frontend: string): string | undefined {
  return chooseProtocol(headerList(request, 'sec-websocket-protocol'), frontend);
}

function requestedClient(
  request: IncomingMessage,
  principal: Principal | null,
  inspector: Inspector | null,
): ClientRequest {
  const url = urlOf(request);
  const frontend = frontendIn(url, inspector);
  if (frontend === undefined || principal === null)
    throw new GatewayError('not-found', 'no WebSocket here; try /v1/:frontend/ws');
  // Ignored, the client would take a snapshot for the rest (docs/protocols/resume.md 1.4).
  if (url.searchParams.has('cursor')) {
    const { resumable } = subprotocols(frontend);
    throw new GatewayError('invalid', `a WebSocket resumes by an attach message, in the subprotocol ${resumable}`);
  }
  return clientRequest(frontend, url.searchParams, principal);
}

/** Answers a request on a bare socket and closes the socket. */
export function refuse(socket: Duplex, { status, code, message, headers = {} }: Refusal): void {
  const body = errorBody({ code, message });
  const lines = Object.entries({
    ...securityHeaders,
    ...headers,
    connection: 'close',
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
  }).map(([name, value]) => `${name}: ${value}`);
  // No server owns this socket, so it must be closed here.
  socket.once('finish', () => socket.destroy());
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`, ...lines, '', body].join('\r\n'));
}
