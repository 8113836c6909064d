// A client of one session that comes back by itself: each frame is told once, and what is sent counts once.
import { type BackoffOptions, createBackoff } from './backoff.ts';
import { openEventsLine } from './events-line.ts';
import type { ClientFrameOf, FrameOf } from './frames.ts';
import {
  type Line,
  type LineListener,
  type Place,
  SendRefused,
  type SentFrame,
  type WebSocketConstructor,
} from './line.ts';
import { openWebSocketLine } from './websocket-line.ts';

/** `connecting`: now; `waiting`: again in a while; `over`: never again. */
export type ClientState = 'connecting' | 'open' | 'waiting' | 'over';

/** Where to connect, and who is told. Callbacks are called one after the other, never within `connect` or `send`. */
export interface ClientOptions<Frontend extends string> {
  /** Address of the gateway, `http://127.0.0.1:8137`. */
  readonly url: string;
  /** The protocol to speak, e.g. `claude`. */
  readonly frontend: Frontend;
  /** Id of an open session; `POST /v1/sessions` opens one. */
  readonly session: string;
  readonly token?: string;
  /** Default `websocket`. */
  readonly transport?: 'websocket' | 'sse';
  /** Options of the protocol. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Where to go on, from {@link Client.cursor} of a client before. Default null: begins with a snapshot. */
  readonly cursor?: string | null;
  /** Default the global one, which Node has from version 22 on. */
  readonly WebSocket?: WebSocketConstructor;
  /** Default the global one. */
  readonly fetch?: typeof fetch;
  readonly backoff?: BackoffOptions;
  /** A frame of the session: each once, in order. */
  onFrame(frame: FrameOf<Frontend>, cursor: string | null): void;
  /** All frames so far are void: the state of now follows. `restart`: the connection was cut within a snapshot. */
  onReset?(reason: 'window' | 'epoch' | 'unknown' | 'restart'): void;
  /** The session is over, or out of reach for good. Called once, last. */
  onClosed?(reason: string): void;
  onState?(state: ClientState): void;
}

/** A running client. */
export interface Client<Frontend extends string> {
  /** The place behind the last frame; null before there is one. */
  readonly cursor: string | null;
  readonly state: ClientState;
  /**
   * Sends a frame. Resolves once the gateway has taken it, over as many connections as that takes. Rejects with
   * {@link SendRefused} if it is refused, or if the client is over before the answer.
   */
  send(frame: ClientFrameOf<Frontend>): Promise<void>;
  /** Leaves. The session stays open. */
  close(): void;
}

/** Frames without an answer. The gateway remembers the names of the newest 1,024. */
const mostWaiting = 1000;

interface WaitingFrame extends SentFrame {
  settle(refusal: SendRefused | null): void;
}

/** A class: its callbacks, connections and timers share one state. */
class ResumingClient<Frontend extends string> implements Client<Frontend> {
  readonly #options: ClientOptions<Frontend>;
  readonly #place: Place;
  readonly #backoff;
  /** By id, in the order of sending. */
  readonly #waiting = new Map<string, WaitingFrame>();
  readonly #name = randomName();
  #sent = 0;
  #cursor: string | null;
  #state: ClientState = 'connecting';
  #line: Line | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Frames were told that a connection without a cursor would tell again. */
  #hasTold = false;

  constructor(options: ClientOptions<Frontend>) {
    const { url, frontend, session, token, parameters = {}, fetch = globalThis.fetch } = options;
    const { WebSocket = globalSocket() } = options;
    this.#options = options;
    this.#cursor = options.cursor ?? null;
    this.#backoff = createBackoff(options.backoff);
    this.#place = {
      url: url.replace(/\/+$/u, ''),
      frontend,
      session,
      token,
      // Under their own names, events of this frontend would hold parts of frames.
      parameters: frontend === 'eca' ? { ...parameters, events: 'frames' } : parameters,
      // Not a method: a page's fetch must not be called on another object.
      fetch: (...request) => fetch(...request),
      WebSocket,
    };
    this.#open();
  }

  get cursor(): string | null {
    return this.#cursor;
  }

  get state(): ClientState {
    return this.#state;
  }

  send(frame: ClientFrameOf<Frontend>): Promise<void> {
    if (this.#state === 'over') return Promise.reject(new SendRefused('this client is over'));
    if (this.#waiting.size >= mostWaiting) return Promise.reject(new SendRefused('too many frames have no answer yet'));
    return new Promise((resolve, reject) => {
      this.#sent += 1;
      const id = `${this.#name}-${this.#sent}`;
      const settle = (refusal: SendRefused | null) => (refusal === null ? resolve() : reject(refusal));
      const waiting = { id, frame, settle };
      this.#waiting.set(id, waiting);
      if (this.#state === 'open') this.#line?.send(waiting);
    });
  }

  close(): void {
    this.#end(null);
  }

  #open(): void {
    this.#setState('connecting');
    const { transport = 'websocket' } = this.#options;
    const open = transport === 'sse' ? openEventsLine : openWebSocketLine;
    let isOver = false;
    const whileOpen =
      <Values extends unknown[]>(act: (...values: Values) => void) =>
      (...values: Values) => {
        if (!isOver && this.#state !== 'over') act(...values);
      };
    const listener: LineListener = {
      opened: whileOpen(() => this.#opened()),
      heard: whileOpen((frame, cursor) => this.#heard(frame, cursor)),
      reset: whileOpen((reason) => this.#reset(reason)),
      closed: whileOpen((reason) => this.#end(reason)),
      accepted: whileOpen((id) => this.#answered(id, null)),
      refused: whileOpen((id, refusal) => this.#answered(id, refusal)),
      lost: whileOpen((reason, isFinal) => {
        isOver = true;
        if (isFinal) this.#end(reason);
        else this.#wait();
      }),
    };
    this.#line = open(this.#place, this.#cursor, listener);
  }

  #opened(): void {
    // The snapshot begins anew (docs/protocols/resume.md 2.2).
    if (this.#cursor === null && this.#hasTold) this.#reset('restart');
    this.#setState('open');
    for (const waiting of this.#waiting.values()) this.#line?.send(waiting);
  }

  #heard(frame: unknown, cursor: string | null): void {
    this.#backoff.reset();
    this.#hasTold = true;
    if (cursor !== null) this.#cursor = cursor;
    this.#call(() => this.#options.onFrame(frame as FrameOf<Frontend>, cursor));
  }

  #reset(reason: string): void {
    this.#cursor = null;
    this.#hasTold = false;
    this.#call(() => this.#options.onReset?.(reason as 'window'));
  }

  #answered(id: string, refusal: SendRefused | null): void {
    this.#backoff.reset();
    this.#waiting.get(id)?.settle(refusal);
    this.#waiting.delete(id);
  }

  #wait(): void {
    this.#line = null;
    this.#setState('waiting');
    // A callback may have closed the client.
    if (this.#state === 'waiting') this.#timer = setTimeout(() => this.#open(), this.#backoff.next());
  }

  /** `reason`: null if the client has left by itself. */
  #end(reason: string | null): void {
    if (this.#state === 'over') return;
    clearTimeout(this.#timer);
    this.#setState('over');
    this.#line?.close();
    this.#line = null;
    const refusal = new SendRefused(reason ?? 'this client was closed');
    for (const { settle } of this.#waiting.values()) settle(refusal);
    this.#waiting.clear();
    if (reason !== null) this.#call(() => this.#options.onClosed?.(reason));
  }

  #setState(state: ClientState): void {
    if (this.#state === state) return;
    this.#state = state;
    this.#call(() => this.#options.onState?.(state));
  }

  /** What a callback throws is for its owner, and must not end the connection. */
  #call(callback: () => void): void {
    try {
      callback();
    } catch (thrown) {
      queueMicrotask(() => {
        throw thrown;
      });
    }
  }
}

/** A name that no other client has. Pages without TLS have no randomUUID. */
function randomName(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

function globalSocket(): WebSocketConstructor | undefined {
  return (globalThis as { WebSocket?: WebSocketConstructor }).WebSocket;
}

/** Connects to a session, and stays connected until {@link Client.close} or the end of the session. */
export function connect<Frontend extends string>(options: ClientOptions<Frontend>): Client<Frontend> {
  return new ResumingClient(options);
}
