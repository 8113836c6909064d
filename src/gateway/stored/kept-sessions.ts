// Keeps the sessions of a gateway in a store, and brings them back when somebody asks for them (decision 0026).
import { faultText } from '../../core/contract/guarded.ts';
import type {
  SessionStore,
  StoredHead,
  StoredLog,
  StoredLogOwner,
  StoredPast,
} from '../../core/contract/store/session-store.ts';
import { GatewayError } from '../../core/model/errors.ts';
import type { Event } from '../../core/model/event.ts';
import type { KeptSession } from '../../core/session/kept/session-recorder.ts';
import type { Session } from '../../core/session/session.ts';
import type { Log } from '../log.ts';
import type { FollowedSessions } from './followed-sessions.ts';
import { LaterLog } from './later-log.ts';
import { SessionHead } from './session-head.ts';
import { SessionTitle, titleAfter, titleOf } from './session-title.ts';
import { StoredNames } from './stored-names.ts';

/** A head, whatever else a later version has put into it. */
type TitledHead = StoredHead & SessionTitle;

/** How the log of a session ends: once, by the first call. The promises of both calls say how that went. */
export interface KeptEnding {
  /** Nobody shall find the session again. */
  forget(): Promise<void>;
  /** Somebody may. */
  release(): Promise<void>;
}

/** What is there of a stored session when it is brought back. */
export interface Returning {
  readonly head: SessionHead;
  readonly past: StoredPast;
  readonly kept: Omit<KeptSession, 'place'>;
  /** To be called with the session before anything is recorded of it. */
  belongsTo(session: Session): void;
  readonly ending: KeptEnding;
}

/** The dependencies of the keeping. */
export interface KeptSessionsPorts {
  readonly store: SessionStore;
  readonly log: Log;
  /** Null: the store is no other gateway's. */
  readonly followed: FollowedSessions | null;
  /** Whether the session is open. */
  isOpen(session: string): boolean;
  /** Makes the session again and opens it. */
  restore(returning: Returning): Promise<void>;
  /** The session must end, and is not recorded any more. `isMoved`: another gateway has it. */
  lost(session: string, reason: string, isMoved: boolean): void;
  /** The session goes on, but what is said in it may be lost. */
  unkept(session: string): void;
}

/** A log, and the session that owns it. */
class Ownership implements StoredLogOwner {
  #session: Session | null = null;
  readonly #lost: (reason: string, isMoved: boolean) => void;

  constructor(lost: (reason: string, isMoved: boolean) => void) {
    this.#lost = lost;
  }

  take(session: Session): void {
    this.#session = session;
  }

  snapshot(): ReturnType<StoredLogOwner['snapshot']> {
    if (this.#session === null) throw new GatewayError('internal', 'the session is not made yet');
    return this.#session.snapshot();
  }

  lost(reason: Parameters<StoredLogOwner['lost']>[0]): void {
    if (reason === 'fenced') this.#lost('another gateway has the session now', true);
    else this.#lost('the store of sessions is closed', false);
  }
}

/** The sessions of one gateway. */
export class KeptSessions {
  readonly #ports: KeptSessionsPorts;
  /** Sessions on their way back. */
  readonly #returning = new Map<string, Promise<void>>();
  /** The heads of the sessions that are kept here, and how a new one is written. */
  readonly #heads = new Map<string, { readonly head: TitledHead; write(head: StoredHead): void }>();
  readonly #names: StoredNames;
  /** Sessions that have ended, until the store has let them go. */
  readonly #ending = new Map<string, Promise<void>>();

  constructor(ports: KeptSessionsPorts) {
    this.#ports = ports;
    this.#names = new StoredNames(ports.store);
  }

  /** Keeps a new session from its first record on. */
  keep(head: TitledHead): Omit<Returning, 'head' | 'past'> {
    const { store, log, lost, unkept } = this.#ports;
    const id = head.session;
    const later = new LaterLog();
    const ownership = new Ownership((reason, isMoved) => lost(id, reason, isMoved));
    const failed = (thrown: unknown) => {
      log('error', 'a session is not kept', { session: id, reason: faultText(thrown) });
      later.giveUp();
      if (thrown instanceof GatewayError && thrown.code === 'conflict') lost(id, thrown.message, false);
      else unkept(id);
    };
    this.#heads.set(id, { head, write: (next) => later.whenThere((made) => made.setHead(next)) });
    store.create(head, ownership).then((made) => later.begin(made), failed);
    return {
      kept: { log: later, unkept: () => unkept(id) },
      belongsTo: (session) => ownership.take(session),
      ending: this.#endingOf(id, (step, never) => later.whenThere(step, never)),
    };
  }

  /** Clients have given these names to the session. */
  named(id: string, names: readonly string[]): void {
    this.#change(id, (head) => ({ ...head, names }));
  }

  /** The session begins with this conversation. */
  begun({ id, transcript }: Session): void {
    this.#change(id, (head) => {
      const title = titleOf(transcript, head.firstWords);
      return head.name === title.name && head.firstWords === title.firstWords ? head : { ...head, ...title };
    });
  }

  /** Takes each event but deltas. */
  logged(id: string, event: Event): void {
    this.#change(id, (head) => titleAfter(head, event));
  }

  /** Writes the head anew if it is another one after the change. */
  #change(id: string, change: (head: TitledHead) => TitledHead): void {
    const known = this.#heads.get(id);
    if (known === undefined) return;
    const head = change(known.head);
    if (head === known.head) return;
    this.#heads.set(id, { ...known, head });
    known.write(head);
  }

  /** Brings a stored session back. Null: nothing is to be done. Resolves also if there is no such session. */
  wake(id: string, cursor: string | null): Promise<void> | null {
    const { followed } = this.#ports;
    const isFollowed = followed?.has(id) === true;
    if (this.#ports.isOpen(id) && !isFollowed) return null;
    const ready = isFollowed ? followed.reached(id, cursor) : Promise.resolve(false);
    const woken = ready.then((isThere) => (isThere ? undefined : this.#wakeOnce(id)));
    return followed === null ? woken : woken.then(() => followed.reached(id, cursor)).then(() => {});
  }

  #wakeOnce(id: string): Promise<void> | undefined {
    if (this.#ports.isOpen(id)) return undefined;
    const known = this.#returning.get(id);
    if (known !== undefined) return known;
    const woken = this.#wake(id).finally(() => this.#returning.delete(id));
    this.#returning.set(id, woken);
    return woken;
  }

  async #wake(id: string): Promise<void> {
    const { store, restore, log, followed, lost, unkept } = this.#ports;
    await this.#ending.get(id);
    const ownership = new Ownership((reason, isMoved) => lost(id, reason, isMoved));
    const claimed = await store.claim(id, ownership).catch((thrown: unknown) => {
      if (!(thrown instanceof GatewayError)) throw thrown;
      if (thrown.code === 'not-found') return null;
      if (thrown.code === 'conflict' && followed !== null) return 'elsewhere';
      throw thrown;
    });
    if (claimed === null) {
      const named = await this.#names.find(id);
      return named === null ? undefined : this.#wakeOnce(named);
    }
    if (claimed === 'elsewhere') return followed?.follow(id);
    const head = { ...claimed.past.head, ...SessionTitle.safeParse(claimed.past.head).data };
    this.#heads.set(id, { head, write: (next) => claimed.log.setHead(next) });
    try {
      await restore({
        head: SessionHead.parse(claimed.past.head),
        past: claimed.past,
        kept: { log: claimed.log, unkept: () => unkept(id) },
        belongsTo: (session) => ownership.take(session),
        ending: this.#endingOf(id, (step) => step(claimed.log)),
      });
    } catch (thrown) {
      this.#heads.delete(id);
      await claimed.log.release();
      log('error', 'a stored session cannot be made again', { session: id, reason: faultText(thrown) });
      if (thrown instanceof GatewayError) throw thrown;
      throw new GatewayError('internal', 'the stored session cannot be made again');
    }
  }

  #endingOf(id: string, whenThere: (step: (log: StoredLog) => void, never: () => void) => void): KeptEnding {
    let ended: Promise<void> | null = null;
    const end = (how: 'remove' | 'release', failed: string): Promise<void> => {
      if (ended !== null) return ended;
      this.#heads.delete(id);
      ended = new Promise((resolve, reject) => whenThere((log) => void log[how]().then(resolve, reject), resolve));
      const over = ended
        .catch((thrown: unknown) => this.#ports.log('error', failed, { session: id, reason: faultText(thrown) }))
        .finally(() => this.#ending.delete(id));
      this.#ending.set(id, over);
      return ended;
    };
    return {
      forget: () => end('remove', 'the records of a deleted session stay'),
      release: () => end('release', 'a session stays with this gateway'),
    };
  }
}
