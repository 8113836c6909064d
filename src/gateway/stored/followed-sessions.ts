// Sessions of other gateways that clients of this one read: followed while anybody reads them, and given up as soon as nobody has
// them any more, so that whoever comes back takes them over.
import type { Clock } from '../../core/contract/clock.ts';
import type { Deliver } from '../../core/contract/delivery.ts';
import { guarded } from '../../core/contract/guarded.ts';
import type { FollowableStore } from '../../core/contract/store/followed-log.ts';
import type { FollowedPorts, FollowedSession } from '../../core/session/kept/follow-session.ts';
import type { DialectOf } from '../../core/session/kept/restoration.ts';
import type { Session } from '../../core/session/session.ts';
import { OwnerLine } from './owner-line.ts';
import { SessionHead } from './session-head.ts';

/** How often followed sessions are looked at, ms: whether somebody reads them, and has them (docs/limits.md 11.10). */
const lookMs = 5_000;

/** The dependencies of the following. */
export interface FollowedSessionsPorts {
  readonly store: FollowableStore;
  readonly clock: Clock;
  readonly dialectOf: DialectOf;
  /** Brings commands to owners; absent: commands are refused. */
  readonly deliver: Deliver | undefined;
  portsOf(head: SessionHead): FollowedPorts;
  /** Shows the session to clients. Throws `limit` and `shutting-down`. */
  show(head: SessionHead, session: Session): void;
  /** Takes what a look throws. */
  failed(thrown: unknown): void;
}

interface Followed {
  readonly session: FollowedSession;
  /** Nobody read it at the latest look. */
  wasUnread: boolean;
}

/** The followed sessions of one gateway. */
export class FollowedSessions {
  readonly #ports: FollowedSessionsPorts;
  readonly #followed = new Map<string, Followed>();
  #isLooking = false;

  constructor(ports: FollowedSessionsPorts) {
    this.#ports = ports;
  }

  has(id: string): boolean {
    return this.#followed.has(id);
  }

  /** Begins to follow. Rejects with `not-found`, `limit` and `shutting-down`. */
  async follow(id: string): Promise<void> {
    const { store, dialectOf, deliver, portsOf, show } = this.#ports;
    // Loaded on demand: a gateway without a shared store needs none of the schemas.
    const { followSession } = await import('../../core/session/kept/follow-session.ts');
    const ownerOf = (session: string) => store.ownerOf(session);
    const parted = (reason: string) => this.end(id, reason);
    const learn = (version: number) => this.#followed.get(id)?.session.session.version.learn(version);
    const line = deliver && new OwnerLine({ session: id, deliver, ownerOf, learn, parted });
    let head: SessionHead | undefined;
    const session = await followSession({
      store,
      session: id,
      dialectOf,
      portsOf(stored) {
        head = SessionHead.parse(stored);
        return portsOf(head);
      },
      forward: line?.forward,
      forwardPosts: line,
    });
    try {
      if (head !== undefined) show(head, session.session);
    } catch (thrown) {
      session.end('there is no room for it');
      throw thrown;
    }
    this.#followed.set(id, { session, wasUnread: false });
    this.#lookLater();
  }

  /**
   * Resolves once a client can come with that cursor. False: nobody has the session, and it is not followed any more.
   */
  async reached(id: string, cursor: string | null): Promise<boolean> {
    const followed = this.#followed.get(id);
    if (followed === undefined) return false;
    // While Redis does not answer, what was read stays there.
    const owner = await this.#ports.store.ownerOf(id).catch(() => '');
    if (owner === null) this.end(id, 'the gateway of the session is gone');
    else if (cursor !== null) await followed.session.reached(cursor);
    return this.#followed.has(id);
  }

  /** Tells the clients to come back. Unknown ids are ignored. */
  end(id: string, reason: string): void {
    const followed = this.#followed.get(id);
    this.#followed.delete(id);
    followed?.session.end(reason);
  }

  #lookLater(): void {
    if (this.#isLooking || this.#followed.size === 0) return;
    this.#isLooking = true;
    this.#ports.clock.after(lookMs, () => {
      this.#isLooking = false;
      guarded(() => this.#look(), this.#ports.failed);
      this.#lookLater();
    });
  }

  #look(): void {
    for (const [id, followed] of this.#followed) {
      const isUnread = followed.session.session.readers === 0;
      if (isUnread && followed.wasUnread) this.end(id, 'nobody has read it for a while');
      else if (!isUnread) void this.reached(id, null).catch(this.#ports.failed);
      followed.wasUnread = isUnread;
    }
  }
}
