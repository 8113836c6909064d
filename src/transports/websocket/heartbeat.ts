// Detects that a WebSocket peer is gone although its connection is still open.
import type { WebSocket } from 'ws';

/** Times in ms. */
export interface HeartbeatOptions {
  /** Interval between pings. Default 20,000. */
  readonly pingMs?: number;
  /** Longest silence of the peer. Default 50,000. */
  readonly silenceMs?: number;
}

/** A running heartbeat. */
export interface Heartbeat {
  /** Must be called for each message. Pongs are counted by the heartbeat itself. */
  heard(): void;
  stop(): void;
}

/** A class with a single timer, because every idle connection has one. */
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
    // After a blocked event loop the timer fires before the pending reads, so read one more round first (docs/faults.md F30).
    setImmediate(() => {
      if (this.#stopped) return;
      const isSilent = this.#heardAt === late;
      // While paused, we read nothing, so silence means nothing.
      if (isSilent && !this.#socket.isPaused) return this.#lost();
      if (isSilent) this.heard();
      this.#timer = this.#wait();
    });
  }
}

/** Pings an open socket and calls `lost` once after `silenceMs` without any message while reading. */
export function startHeartbeat(socket: WebSocket, options: HeartbeatOptions, lost: () => void): Heartbeat {
  return new PingingHeartbeat(socket, options, lost);
}
