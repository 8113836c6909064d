// Many sessions over one WebSocket that resumes (docs/protocols/resume.md 3.4): each session has a cursor of its own.
import { type BackoffOptions, createBackoff } from './backoff.ts';
import { SendRefused, type SentFrame, tokenProtocols, type WebSocketConstructor, type WebSocketLike } from './line.ts';
import { watchSilence } from './silence.ts';

/** `idle`: no session is attached; `waiting`: again at `until` (ms since 1970); `over`: never again. */
export type ManyState =
  | { readonly is: 'idle' | 'connecting' | 'open' }
  | { readonly is: 'waiting'; readonly until: number; readonly attempt: number; readonly code: number }
  | { readonly is: 'over'; readonly reason: string };

/** Where to connect. Callbacks are never called within a method of the client. */
export interface ManyOptions {
  /** Address of the WebSocket. */
  readonly url: string;
  /** The protocol to speak; one whose connections carry many sessions. */
  readonly frontend: string;
  /** Not for a page with a login. */
  readonly token?: string;
  readonly WebSocket?: WebSocketConstructor;
  readonly backoff?: BackoffOptions;
  /** Why a handshake failed is told to nobody. Asks whether another one would fail in the same way. */
  isTurnedAway?(): Promise<boolean>;
  onState?(state: ManyState): void;
}

/** Who hears a session. */
export interface SessionListener {
  onFrame(frame: unknown, cursor: string | null): void;
  /** All frames of the session so far are void: the state of now follows. */
  onReset?(reason: string): void;
  /** The session is over. Called once, last. */
  onClosed?(reason: string): void;
}

/** One attached session. */
export interface SessionLine {
  /** The place behind the last frame. */
  readonly cursor: string | null;
  /** Resolves once the gateway has taken the frame; rejects with {@link SendRefused}. Counts once however often it is cut. */
  send(frame: unknown): Promise<void>;
  /** Leaves the session, which stays open. Frames without an answer are refused. */
  detach(): void;
}

/** Attached sessions over one connection that comes back by itself. */
export interface ManyClient {
  readonly state: ManyState;
  attach(session: string, listener: SessionListener, cursor?: string | null): SessionLine;
  /** Connects now instead of at the end of the wait. */
  retry(): void;
  close(): void;
}

interface WaitingFrame extends SentFrame {
  settle(refusal: SendRefused | null): void;
}

interface Attached {
  readonly session: string;
  readonly listener: SessionListener;
  readonly waiting: Map<string, WaitingFrame>;
  cursor: string | null;
  hasTold: boolean;
}

interface Message {
  readonly type?: string;
  readonly session?: string;
  readonly frame?: unknown;
  readonly cursor?: string | null;
  readonly reason?: string;
  readonly id?: string;
  readonly code?: string;
  readonly message?: string;
  readonly frames?: readonly unknown[];
}

/** Codes with which another connection would end too: a frame is too large, bad messages, the token. */
const finalCodes: ReadonlySet<number> = new Set([1009, 4400, 4401, 4403]);

/** The code of an end without a close frame. */
const silentCode = 1006;

/** A class: its callbacks, connections and timers share one state. */
class ResumingMany implements ManyClient {
  readonly #options: ManyOptions;
  readonly #backoff;
  readonly #sessions = new Map<string, Attached>();
  readonly #name = [...crypto.getRandomValues(new Uint8Array(12))].map((byte) => byte.toString(36)).join('');
  #sent = 0;
  #attempt = 0;
  #state: ManyState = { is: 'idle' };
  #socket: WebSocketLike | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: ManyOptions) {
    this.#options = options;
    this.#backoff = createBackoff(options.backoff);
  }

  get state(): ManyState {
    return this.#state;
  }

  attach(session: string, listener: SessionListener, cursor: string | null = null): SessionLine {
    if (this.#sessions.has(session)) throw new Error(`session ${session} is attached`);
    const attached: Attached = { session, listener, cursor, waiting: new Map(), hasTold: false };
    this.#sessions.set(session, attached);
    if (this.#state.is === 'open') this.#say({ type: 'attach', session, cursor });
    else if (this.#state.is === 'idle') this.#open();
    return {
      get cursor() {
        return attached.cursor;
      },
      send: (frame) => this.#send(attached, frame),
      detach: () => this.#detach(attached),
    };
  }

  #detach(attached: Attached): void {
    if (this.#sessions.get(attached.session) !== attached) return;
    this.#sessions.delete(attached.session);
    settleAll(attached, 'this client has left the session');
    if (this.#state.is === 'open') this.#say({ type: 'detach', session: attached.session });
  }

  retry(): void {
    if (this.#state.is !== 'waiting') return;
    clearTimeout(this.#timer);
    this.#open();
  }

  close(): void {
    this.#end('this client was closed', false);
  }

  #send(attached: Attached, frame: unknown): Promise<void> {
    if (this.#state.is === 'over') return Promise.reject(new SendRefused(this.#state.reason));
    return new Promise((resolve, reject) => {
      this.#sent += 1;
      const id = `${this.#name}-${this.#sent}`;
      const settle = (refusal: SendRefused | null) => (refusal === null ? resolve() : reject(refusal));
      attached.waiting.set(id, { id, frame, settle });
      if (this.#state.is === 'open') this.#say({ type: 'send', session: attached.session, id, frame });
    });
  }

  #say(message: object): void {
    this.#socket?.send(JSON.stringify(message));
  }

  #open(): void {
    const { url, frontend, token, WebSocket = globalThis.WebSocket as unknown as WebSocketConstructor } = this.#options;
    this.#setState({ is: 'connecting' });
    const socket = new WebSocket(url, [`${frontend}.v1+resume`, ...tokenProtocols(token)]);
    const silence = watchSilence(() => {
      socket.close();
      over(silentCode, '');
    });
    let isOpen = false;
    this.#socket = socket;
    socket.onopen = () => {
      isOpen = true;
      this.#opened();
    };
    socket.onmessage = ({ data }: { readonly data: unknown }) => {
      silence.heard();
      this.#take(JSON.parse(String(data)));
    };
    // The close event follows, and says more.
    socket.onerror = () => {};
    const over = (code: number, reason: string) => {
      silence.stop();
      if (this.#socket !== socket) return;
      this.#socket = null;
      if (finalCodes.has(code)) return this.#end(reason, true);
      this.#wait(code);
      if (!isOpen)
        void this.#options.isTurnedAway?.().then((isFinal) => {
          if (isFinal) this.#end('signed out', true);
        });
    };
    socket.onclose = ({ code, reason }: { readonly code: number; readonly reason: string }) => over(code, reason);
  }

  #opened(): void {
    this.#setState({ is: 'open' });
    for (const attached of this.#sessions.values()) {
      // The snapshot begins anew (docs/protocols/resume.md 2.2).
      if (attached.cursor === null && attached.hasTold) this.#reset(attached, 'restart');
      this.#say({ type: 'attach', session: attached.session, cursor: attached.cursor });
      for (const { id, frame } of attached.waiting.values())
        this.#say({ type: 'send', session: attached.session, id, frame });
    }
  }

  #take(message: Message): void {
    const attached = this.#sessions.get(message.session ?? '') ?? this.#ownerOf(message.id);
    if (attached === undefined) return;
    this.#attempt = 0;
    this.#backoff.reset();
    const { type, cursor = null, reason = '' } = message;
    if (type === undefined) {
      attached.hasTold = true;
      if (cursor !== null) attached.cursor = cursor;
      attached.listener.onFrame(message.frame, cursor);
    } else if (type === 'reset') this.#reset(attached, reason);
    else if (type === 'closed') {
      this.#sessions.delete(attached.session);
      settleAll(attached, reason);
      attached.listener.onClosed?.(reason);
    } else if (type === 'accepted') this.#answered(attached, message.id, null);
    else if (type === 'refused') {
      const { message: words = 'the frame was refused', code, frames } = message;
      this.#answered(attached, message.id, new SendRefused(words, code, frames));
    }
  }

  /** Answers to frames may name the frame alone. */
  #ownerOf(id: string | undefined): Attached | undefined {
    return id === undefined ? undefined : [...this.#sessions.values()].find(({ waiting }) => waiting.has(id));
  }

  #answered({ waiting }: Attached, id = '', refusal: SendRefused | null): void {
    waiting.get(id)?.settle(refusal);
    waiting.delete(id);
  }

  #reset(attached: Attached, reason: string): void {
    attached.cursor = null;
    attached.hasTold = false;
    attached.listener.onReset?.(reason);
  }

  #wait(code: number): void {
    const delay = this.#backoff.next();
    this.#attempt += 1;
    this.#timer = setTimeout(() => this.#open(), delay);
    this.#setState({ is: 'waiting', until: Date.now() + delay, attempt: this.#attempt, code });
  }

  #end(reason: string, isTold: boolean): void {
    if (this.#state.is === 'over') return;
    clearTimeout(this.#timer);
    this.#state = { is: 'over', reason };
    this.#socket?.close();
    this.#socket = null;
    for (const attached of this.#sessions.values()) settleAll(attached, reason);
    this.#sessions.clear();
    if (isTold) this.#options.onState?.(this.#state);
  }

  #setState(state: ManyState): void {
    this.#state = state;
    this.#options.onState?.(state);
  }
}

function settleAll({ waiting }: Attached, reason: string): void {
  for (const { settle } of waiting.values()) settle(new SendRefused(reason));
  waiting.clear();
}

/** A client for many sessions; it connects with the first one that is attached. */
export function connectMany(options: ManyOptions): ManyClient {
  return new ResumingMany(options);
}
