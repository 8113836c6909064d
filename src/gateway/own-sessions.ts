// The sessions that one connection has opened.
import type { Hub } from '../core/session/hub.ts';
import type { Session } from '../core/session/session.ts';
import type { IdleSessions } from './idle-sessions.ts';

/** What the sessions of one connection need. */
export interface OwnSessionsPorts {
  readonly hub: Hub;
  readonly idle: Pick<IdleSessions, 'reserve' | 'release'>;
  /** The client owns this process: its sessions end with the connection. */
  readonly isOurs: boolean;
  /** Called for each session before its first command. */
  opened?(session: Session): void;
}

/** The sessions of one connection. */
export class OwnSessions {
  readonly #ports: OwnSessionsPorts;
  /** Weak: a connection may open thousands of sessions one after the other. */
  readonly #opened = new WeakSet<Session>();
  #isAttended = true;
  #isGone = false;

  constructor(ports: OwnSessionsPorts) {
    this.#ports = ports;
  }

  /** The connection has opened a session. */
  add(session: Session): void {
    this.#opened.add(session);
    // A connection that is gone never subscribes to the session.
    if (!this.#isGone) this.#ports.idle.reserve(session);
    if (!this.#isAttended) session.setUnattended();
    this.#ports.opened?.(session);
  }

  /** False once the connection is gone, if its sessions end with it. */
  get mayOpen(): boolean {
    return !(this.#isGone && this.#ports.isOurs);
  }

  /** Nobody can answer questions any more in these sessions and those to come. */
  setUnattended(): void {
    this.#isAttended = false;
    for (const session of this.#list()) session.setUnattended();
  }

  /** Aborts the runs, and drops the prompts that wait behind them. */
  abort(): void {
    for (const session of this.#list()) {
      if (session.state === 'running') session.submit({ type: 'abort', target: 'run', waiting: 'drop' }, () => {});
    }
  }

  /** Calls back once, when none of the sessions is running; at once if that is so now. */
  whenIdle(callback: () => void): void {
    // Looks again after each session: others may have started meanwhile.
    const running = this.#list().find(({ state }) => state === 'running');
    if (running === undefined) callback();
    else running.whenIdle(() => this.whenIdle(callback));
  }

  /** The connection is gone. */
  end(): void {
    const { hub, idle, isOurs } = this.#ports;
    this.#isGone = true;
    for (const session of this.#list()) {
      idle.release(session);
      if (isOurs) hub.remove(session.id, 'the client is gone');
    }
  }

  #list(): readonly Session[] {
    return this.#ports.hub.list().flatMap(({ session }) => (this.#opened.has(session) ? [session] : []));
  }
}
