// The connections of one port: how many there may be, and which one goes first when a new one needs room
// (docs/limits.md 7.1 to 7.7).
import type { Socket } from 'node:net';
import type { ObstacleSource } from '../../core/contract/gateway/obstacles.ts';

/** How many connections one port takes. */
export interface ConnectionLimits {
  /** Most streams and WebSockets together. Further connections have only the reserve. */
  readonly connections: number;
  /** Most streams and WebSockets of one token. */
  readonly perToken: number;
  /** Connections beyond `connections`, for `/healthz` and the REST routes. Default 64. */
  readonly reserve?: number;
}

/** Why a stream or WebSocket gets no place. */
export type Crowding = 'port' | 'token';

/** What a connection is used for. */
type Use =
  /** No token has been shown on the connection. */
  | { readonly is: 'unknown' }
  /** A token has been shown, and nothing is asked now. */
  | { readonly is: 'idle' }
  | { readonly is: 'asking'; readonly requests: number }
  /** The connection carries a stream or a WebSocket. */
  | { readonly is: 'held'; readonly token: string };

const unknown: Use = { is: 'unknown' };
const idle: Use = { is: 'idle' };
const defaultReserve = 64;

/** The connections of one port. Every method ignores sockets that are closed. */
export interface ConnectionTable extends ObstacleSource {
  /** Takes a new connection. Closes an older connection without a use, or tells the new one that there is no room. */
  opened(socket: Socket): void;
  /** A request with a valid token has begun. */
  asked(socket: Socket): void;
  /** The request is over. */
  answered(socket: Socket): void;
  /** The connection is to carry a stream or WebSocket. Returns why it may not, or null. */
  hold(socket: Socket, token: string): Crowding | null;
  /** The stream is over; the connection may serve other requests. */
  release(socket: Socket): void;
  /** Whether only the reserve is left, so that connections should not be kept alive. */
  readonly isCrowded: boolean;
}

/** `refuse` tells a connection that it must go, and closes it. */
export function createConnectionTable(limits: ConnectionLimits, refuse: (socket: Socket) => void): ConnectionTable {
  const { connections, perToken, reserve = defaultReserve } = limits;
  /** The share of connections without a token. */
  const mostUnknown = Math.max(1, Math.floor(connections / 4));
  const uses = new Map<Socket, Use>();
  // A set keeps the order of insertion, so the first entry is the oldest.
  const unknowns = new Set<Socket>();
  const idles = new Set<Socket>();
  const heldBy = new Map<string, number>();
  let held = 0;

  function set(socket: Socket, next: Use | null): void {
    const before = uses.get(socket);
    if (before === undefined) return;
    if (before.is === 'held') count(before.token, -1);
    if (next?.is === 'held') count(next.token, 1);
    if (next?.is !== before.is) {
      unknowns.delete(socket);
      idles.delete(socket);
      if (next?.is === 'idle') idles.add(socket);
    }
    if (next === null) uses.delete(socket);
    else uses.set(socket, next);
  }

  function count(token: string, step: 1 | -1): void {
    held += step;
    const left = (heldBy.get(token) ?? 0) + step;
    if (left === 0) heldBy.delete(token);
    else heldBy.set(token, left);
  }

  function drop(socket: Socket): void {
    set(socket, null);
    refuse(socket);
  }

  return {
    opened(socket) {
      const [oldestUnknown] = unknowns;
      const [oldestIdle] = idles;
      const isFull = uses.size >= connections + reserve;
      if (oldestUnknown !== undefined && (isFull || unknowns.size >= mostUnknown)) drop(oldestUnknown);
      else if (isFull && oldestIdle !== undefined) drop(oldestIdle);
      else if (isFull) return refuse(socket);
      uses.set(socket, unknown);
      unknowns.add(socket);
      // `once` would keep a wrapper of the listener for as long as the connection lives.
      socket.on('close', () => set(socket, null));
    },
    asked(socket) {
      const use = uses.get(socket);
      if (use?.is === 'held') return;
      set(socket, { is: 'asking', requests: use?.is === 'asking' ? use.requests + 1 : 1 });
    },
    answered(socket) {
      const use = uses.get(socket);
      if (use?.is !== 'asking') return;
      set(socket, use.requests > 1 ? { is: 'asking', requests: use.requests - 1 } : idle);
    },
    hold(socket, token) {
      if (held >= connections) return 'port';
      if ((heldBy.get(token) ?? 0) >= perToken) return 'token';
      set(socket, { is: 'held', token });
      return null;
    },
    release(socket) {
      if (uses.get(socket)?.is === 'held') set(socket, idle);
    },
    obstacles: () => (held < connections ? [] : [`all ${connections} connections are in use`]),
    get isCrowded() {
      return uses.size > connections;
    },
  };
}
