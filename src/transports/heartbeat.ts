// Finds out that a WebSocket peer is gone although its connection stands. Knows no protocol.
import type { WebSocket } from 'ws';

/** Both in ms. */
export interface HeartbeatOptions {
  /** How often we ask; default 20,000. */
  readonly pingMs?: number;
  /** How long nothing may come back; default 50,000. */
  readonly silenceMs?: number;
}

/** Asks and listens, from when it is made until it is stopped. */
export interface Heartbeat {
  /** To be called for each message; answers to our pings it hears itself. */
  heard(): void;
  stop(): void;
}

/** A class with a single timer: an idle connection weighs little more than this. */
class PingingHeartbeat implements Heartbeat {
  readonly #socket: WebSocket;
  readonly #lost: () => void;
  readonly #pingMs: number;
  readonly #silenceMs: number;
  /** Monotonic ms. */
  #heardAt = performance.now();
  #pingAt: number;
  #timer: NodeJS.Timeout;
  #stopped = false;

  constructor(socket: WebSocket, { pingMs = 20_000, silenceMs = 50_000 }: HeartbeatOptions, lost: () => void) {
    this.#socket = socket;
    this.#lost = lost;
    this.#pingMs = pingMs;
    this.#silenceMs = silenceMs;
    this.#pingAt = this.#heardAt + pingMs;
    const heard = () => this.heard();
    socket.on('pong', heard).on('ping', heard);
    this.#timer = this.#wait();
  }

  heard(): void {
    this.#heardAt = performance.now();
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  #wait(): NodeJS.Timeout {
    const due = Math.min(this.#pingAt, this.#heardAt + this.#silenceMs);
    return setTimeout(() => this.#look(), Math.max(1, Math.ceil(due - performance.now())));
  }

  #look(): void {
    const now = performance.now();
    if (now >= this.#pingAt) {
      this.#socket.ping();
      this.#pingAt = now + this.#pingMs;
    }
    if (now < this.#heardAt + this.#silenceMs) {
      this.#timer = this.#wait();
      return;
    }
    const late = this.#heardAt;
    // The timer fires before a blocked event loop gets to read, so one more round of reading comes first (docs/faults.md F30).
    setImmediate(() => {
      if (this.#stopped) return;
      const isSilent = this.#heardAt === late;
      // Who does not read hears nothing.
      if (isSilent && !this.#socket.isPaused) return this.#lost();
      if (isSilent) this.heard();
      this.#timer = this.#wait();
    });
  }
}

/** Pings an open socket and calls `lost` once when nothing was heard for `silenceMs` while we were reading. */
export function startHeartbeat(socket: WebSocket, options: HeartbeatOptions, lost: () => void): Heartbeat {
  return new PingingHeartbeat(socket, options, lost);
}
