// The sessions that one connection has opened.
import type { Hub } from '../../core/session/hub.ts';
import type { Session } from '../../core/session/session.ts';
import type { IdleSessions } from '../sessions/idle-sessions.ts';

/** The dependencies of the sessions of one connection. */
export interface ConnectionSessionsPorts {
  readonly hub: Hub;
  readonly idle: Pick<IdleSessions, 'reserve' | 'release'>;
  /** The client owns this process: its sessions end with the connection. */
  readonly isOurs: boolean;
  /** Called for each session before its first command. */
  opened?(session: Session): void;
}

/** The sessions of one connection. */
export class ConnectionSessions {
  readonly #ports: ConnectionSessionsPorts;
  /** Weak: a connection may open thousands of sessions one after the other. */
  readonly #opened = new WeakSet<Session>();
  #isAttended = true;
  #isGone = false;

  constructor(ports: ConnectionSessionsPorts) {
    this.#ports = ports;
  }

  /** The connection has opened a session. */
  add(session: Session): void {
    this.#opened.add(session);
    // A closed connection never subscribes to the session, so do not reserve it.
    if (!this.#isGone) this.#ports.idle.reserve(session);
    if (!this.#isAttended) session.setUnattended();
    this.#ports.opened?.(session);
  }

  /** False once the connection is gone, if its sessions end with it. */
  get mayOpen(): boolean {
    return !(this.#isGone && this.#ports.isOurs);
  }

  /** Nobody can answer questions any more in present and later sessions of this connection. */
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

  /** Calls back once when none of the sessions is running, or at once if that is so now. */
  whenIdle(callback: () => void): void {
    // Check again after each session, because others may have started meanwhile.
    const running = this.#list().find(({ state }) => state === 'running');
    if (running === undefined) callback();
    else running.whenIdle(() => this.whenIdle(callback));
  }

  /** The connection has closed. */
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
