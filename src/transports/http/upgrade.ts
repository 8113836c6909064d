// Handles WebSocket upgrades: access checks, route and gateway first, then 101. Node passes every request with an Upgrade header here
// and never to the routes.
import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Channel } from '../../core/contract/channel.ts';
import type { ClientRequest, GatewayApi } from '../../core/contract/gateway-api.ts';
import { GatewayError } from '../../core/model/errors.ts';
import { type WebSocketChannelOptions, webSocketChannel, webSocketLimits } from '../websocket-channel.ts';
import { clientRequest } from './client-request.ts';
import type { Refusal } from './gates.ts';
import { headerList, securityHeaders } from './headers.ts';
import { describeError, errorBody } from './status.ts';
import { chooseProtocol } from './token.ts';

/** Handles upgrade requests. */
export interface UpgradeHandler {
  /** The listener for the server's `upgrade` event. */
  handle(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Closes every WebSocket with 1001. */
  closeAll(reason: string): void;
}

const route = /^\/v1\/([^/]{1,64})\/ws$/;

/** `check` runs the access checks; null means allowed. */
export function createUpgradeHandler(
  board: GatewayApi,
  check: (request: IncomingMessage) => Refusal | null,
  maxFrameBytes?: number,
): UpgradeHandler {
  const channels = new Set<Channel>();
  let count = 0;
  const server = new WebSocketServer({
    ...webSocketLimits(Math.max(maxFrameBytes ?? 0, board.maxFrameBytes?.() ?? 0) || undefined),
    noServer: true,
    clientTracking: false,
    handleProtocols: (_offered, request) => chooseProtocol(headerList(request, 'sec-websocket-protocol')) ?? false,
  });

  const frameLimit = (frontend: string) => board.maxFrameBytes?.(frontend) ?? maxFrameBytes;

  /** Separate from {@link accept}, so that the close listener does not keep the request alive. */
  function channelOver(
    webSocket: WebSocket,
    options: Pick<WebSocketChannelOptions, 'socket' | 'framing' | 'maxFrameBytes'>,
  ): Channel {
    count += 1;
    const channel = webSocketChannel(webSocket, { label: `websocket ${count}`, ...options });
    channels.add(channel);
    webSocket.once('close', () => channels.delete(channel));
    return channel;
  }

  function accept(request: IncomingMessage, socket: Duplex, head: Buffer, client: ClientRequest): void {
    const options = { socket, framing: board.check(client), maxFrameBytes: frameLimit(client.frontend) };
    server.handleUpgrade(request, socket, head, (webSocket) => {
      const channel = channelOver(webSocket, options);
      try {
        board.connect(channel, client);
      } catch (thrown) {
        const { problem } = describeError(thrown);
        channel.close(problem.code === 'not-found' ? 'not-found' : 'error', problem.message);
      }
    });
  }

  return {
    handle(request, socket, head) {
      // A connection reset must not end the gateway.
      socket.on('error', () => {});
      const refusal = check(request);
      if (refusal !== null) {
        board.refused(refusal.code);
        return refuse(socket, refusal);
      }
      try {
        accept(request, socket, head, requestedClient(request));
      } catch (thrown) {
        const { status, problem } = describeError(thrown);
        board.refused(problem.code);
        refuse(socket, { status, ...problem });
      }
    },
    closeAll(reason) {
      for (const channel of channels) channel.close('going-away', reason);
    },
  };
}

function requestedClient(request: IncomingMessage): ClientRequest {
  // Join instead of resolve: resolving `//evil.example/v1/x/ws` would take the first part for a host.
  const url = new URL(`http://gateway${request.url}`);
  const frontend = route.exec(url.pathname)?.[1];
  if (frontend === undefined) throw new GatewayError('not-found', 'no WebSocket here; try /v1/:frontend/ws');
  return clientRequest(frontend, url.searchParams);
}

function refuse(socket: Duplex, { status, code, message, headers = {} }: Refusal): void {
  const body = errorBody({ code, message });
  const lines = Object.entries({
    ...securityHeaders,
    ...headers,
    connection: 'close',
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
  }).map(([name, value]) => `${name}: ${value}`);
  // The server no longer owns this socket, so it must be closed here.
  socket.once('finish', () => socket.destroy());
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`, ...lines, '', body].join('\r\n'));
}
