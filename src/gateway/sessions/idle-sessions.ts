// Closes sessions that were unused for a while, or whose last client is done with them.
import type { Clock } from '../../core/contract/clock.ts';
import { guarded } from '../../core/contract/guarded.ts';
import type { Limited } from '../../core/contract/limits/limit-rule.ts';
import type { Hub } from '../../core/session/hub.ts';
import type { Session } from '../../core/session/session.ts';

/** Longest time between two sweeps, ms. */
const mostSweepMs = 60_000;

/** Who is told what happens in a sweep. */
export interface IdleSessionsPorts {
  readonly limited: Limited;
  /** Takes what a sweep throws. */
  failed(thrown: unknown): void;
}

/** Sweeps the hub until `stop`. */
export class IdleSessions {
  readonly #hub: Hub;
  readonly #clock: Clock;
  readonly #idleMs: number;
  readonly #limited: Limited;
  readonly #idleSince = new WeakMap<Session, number>();
  readonly #reserved = new WeakSet<Session>();
  readonly #timer: NodeJS.Timeout;

  /** `idleMs`: how long a session may stay open without clients and without a run, ms. */
  constructor(hub: Hub, clock: Clock, idleMs: number, { limited, failed }: IdleSessionsPorts) {
    this.#hub = hub;
    this.#limited = limited;
    this.#clock = clock;
    this.#idleMs = idleMs;
    this.#timer = setInterval(() => guarded(() => this.#sweep(), failed), Math.min(mostSweepMs, idleMs));
    this.#timer.unref();
  }

  /** Keeps the session open without readers, until `release`: its client is connected and may still subscribe. */
  reserve(session: Session): void {
    this.#reserved.add(session);
  }

  release(session: Session): void {
    this.#reserved.delete(session);
  }

  /** Closes the session now, unless it is used. A session that is kept can be opened again. Unknown ids are ignored. */
  closeUnused(id: string): void {
    const found = this.#hub.list().find(({ session }) => session.id === id);
    if (found !== undefined && !this.#isUsed(found.session)) this.#hub.leave(id, 'its client has closed it');
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #isUsed(session: Session): boolean {
    return session.readers > 0 || session.state === 'running' || this.#reserved.has(session);
  }

  #sweep(): void {
    const now = this.#clock.now();
    for (const { session } of this.#hub.list()) {
      if (this.#isUsed(session)) {
        this.#idleSince.delete(session);
        continue;
      }
      const since = this.#idleSince.get(session) ?? now;
      this.#idleSince.set(session, since);
      if (now - since < this.#idleMs) continue;
      this.#limited('idleSessionMs');
      this.#hub.leave(session.id, 'the session was idle for too long');
    }
  }
}
