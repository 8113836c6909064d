// One connection of a client to its session. A client has one after the other, over either transport.

/** Where a client connects. */
export interface Place {
  /** Address of the gateway, without a slash at the end. */
  readonly url: string;
  readonly frontend: string;
  readonly session: string;
  readonly token: string | undefined;
  /** Options of the protocol. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly fetch: typeof fetch;
  readonly WebSocket: WebSocketConstructor | undefined;
}

/** As much of a WebSocket as the library uses. Node's own, a browser's and that of the package `ws` have it. */
export interface WebSocketLike {
  onopen: ((event: never) => void) | null;
  onmessage: ((event: never) => void) | null;
  onclose: ((event: never) => void) | null;
  onerror: ((event: never) => void) | null;
  send(text: string): void;
  close(): void;
}

/** A class like `WebSocket`. */
export type WebSocketConstructor = new (url: string, protocols: string[]) => WebSocketLike;

/** A frame to send, under a name with which the gateway counts it once. */
export interface SentFrame {
  readonly id: string;
  readonly frame: unknown;
}

/** The frame was not taken. Sending it again would change nothing. */
export class SendRefused extends Error {
  /** The gateway's code for the reason, if the gateway has refused it. */
  readonly code: string | undefined;
  /** The errors in the words of the protocol, if the protocol has refused it. */
  readonly frames: readonly unknown[];

  constructor(message: string, code?: string, frames: readonly unknown[] = []) {
    super(message);
    this.name = 'SendRefused';
    this.code = code;
    this.frames = frames;
  }
}

/** Learns what a connection brings. */
export interface LineListener {
  /** The session is attached: frames may be sent. */
  opened(): void;
  heard(frame: unknown, cursor: string | null): void;
  reset(reason: string): void;
  /** The session is over. */
  closed(reason: string): void;
  accepted(id: string): void;
  refused(id: string, refusal: SendRefused): void;
  /** The connection is over; called at most once. `isFinal`: another one would end in the same way. */
  lost(reason: string, isFinal: boolean): void;
}

/** An open connection. */
export interface Line {
  send(sent: SentFrame): void;
  close(): void;
}

/** Opens a connection behind that cursor. */
export type OpenLine = (place: Place, cursor: string | null, listener: LineListener) => Line;

/** The headers of each request. */
export function headersOf({ token }: Place): Record<string, string> {
  return token === undefined ? {} : { authorization: `Bearer ${token}` };
}

/** The options of the protocol as a query, with what else belongs into it. */
export function queryOf({ parameters }: Place, more: Readonly<Record<string, string>> = {}): string {
  const query = new URLSearchParams({ ...parameters, ...more }).toString();
  return query === '' ? '' : `?${query}`;
}

/** The subprotocol with a token: a page can set no headers on a WebSocket. */
export function tokenProtocols(token: string | undefined): string[] {
  if (token === undefined) return [];
  const encoded = btoa(token).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
  return [`bearer.${encoded}`];
}

/** Whether a request that was answered in this way would be again: the client, and not the moment, is the reason. */
export function isFinalStatus(status: number): boolean {
  return status >= 400 && status < 500 && status !== 408 && status !== 429;
}
