// Dials a WebSocket as a client.
import { WebSocket } from 'ws';
import type { FramingName } from '../../core/contract/adapter/adapter.ts';
import type { Channel } from '../../core/contract/channel.ts';
import type { Traffic } from '../../core/contract/traffic.ts';
import { messageOf } from '../../core/model/errors.ts';
import { nullChannel } from '../memory.ts';
import { webSocketChannel, webSocketLimits } from './channel.ts';
import type { HeartbeatOptions } from './heartbeat.ts';

export { webSocketChannel } from './channel.ts';

/** The options of the connection. Times in ms. */
export interface ConnectOptions extends HeartbeatOptions {
  /** Sent as `Authorization: Bearer`. */
  readonly token?: string;
  /** Subprotocols to offer. */
  readonly protocols?: readonly string[];
  readonly label?: string;
  /** `text` (default) or `lines`; see WebSocketChannelOptions. */
  readonly framing?: FramingName;
  /** Default 32 MiB: the peer is an agent. */
  readonly maxFrameBytes?: number;
  /** Counts the bytes of both directions and the sent frames. */
  readonly traffic?: Traffic;
  /** Default 10,000. */
  readonly handshakeTimeoutMs?: number;
}

/**
 * Returns a channel that can be used at once: frames sent before the connection is open are queued. Never throws: a
 * failed connection calls `end` (`could not connect: …`). Redirects are not followed, because they would receive the
 * token.
 */
export function connectWebSocket(url: string, options: ConnectOptions = {}): Channel {
  const { token, protocols = [], maxFrameBytes = 32 * 1024 * 1024, handshakeTimeoutMs = 10_000 } = options;
  const label = options.label ?? `websocket ${withoutSecrets(url)}`;
  try {
    const socket = new WebSocket(url, [...protocols], {
      ...webSocketLimits(maxFrameBytes),
      handshakeTimeout: handshakeTimeoutMs,
      ...(token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } }),
    });
    return webSocketChannel(socket, { ...options, label, maxFrameBytes });
  } catch (thrown) {
    const nobody = nullChannel(label);
    nobody.close('error', `could not connect: ${messageOf(thrown)}`);
    return nobody;
  }
}

/** The URL without credentials: it may carry a password or a ticket (docs/threats.md T6). */
function withoutSecrets(url: string): string {
  if (!URL.canParse(url)) return '(not a URL)';
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}
