// A session that another gateway writes, as clients of this gateway read it: made from its records, and fed with what that
// gateway appends. It has the cursors and bytes of the other one. It records nothing and starts no agent.
import type { FollowableStore, LogFollower } from '../../contract/store/followed-log.ts';
import type { StoredHead, StoredRecord } from '../../contract/store/session-store.ts';
import { GatewayError, refused } from '../../model/errors.ts';
import { parseCursor } from '../../stream/cursor.ts';
import { beginRestoring, type RestoringSession } from '../open-session.ts';
import type { Session } from '../session.ts';
import type { Forward, ForwardPosts, SessionPorts } from '../session-ports.ts';
import type { DialectOf } from './restoration.ts';
import { pastOf, readRecord, takePast, unreadable } from './restore-session.ts';

/** How long a client waits for a place that its session has not yet reached here, ms (docs/limits.md 11.6). */
const reachMs = 1_000;

/** The surroundings of a session that is followed. `epoch` and `timeOrigin`: of its head. */
export interface FollowedPorts
  extends Omit<SessionPorts, 'info' | 'history' | 'kept' | 'connect' | 'forward' | 'forwardPosts' | 'paused'> {
  readonly timeOrigin: number;
}

/** What is to be followed. */
export interface FollowOptions {
  readonly store: FollowableStore;
  readonly session: string;
  readonly dialectOf: DialectOf;
  portsOf(head: StoredHead): FollowedPorts;
  /** Takes a command to the owner of the session. Absent: commands are refused with `conflict`. */
  readonly forward?: Forward | undefined;
  /** Absent: what is posted under an id is known here alone. */
  readonly forwardPosts?: ForwardPosts | undefined;
}

/** A session of another gateway. */
export interface FollowedSession {
  readonly session: Session;
  /** Resolves once the session has come to that place here, or is not expected to. Before a client attaches with it. */
  reached(cursor: string): Promise<void>;
  /** Stops following. Its clients are told to come back. Idempotent. */
  end(reason: string): void;
}

const refuse: Forward = (_, settle) => settle(refused('conflict', 'another gateway has the session'));

/**
 * Follows a session until it is removed or `end` is called. Where records are missing, its clients are told to come back,
 * and the session is to be followed anew. Rejects with `not-found`.
 */
export async function followSession(options: FollowOptions): Promise<FollowedSession> {
  const { store, session: id, dialectOf, forward = refuse, forwardPosts } = options;
  /** Who waits for the session to go on. */
  const watchers = new Set<() => void>();
  let restoring: RestoringSession | null = null;
  const over = (end: (restoring: RestoringSession) => void) => {
    followed.end();
    if (restoring !== null) end(restoring);
    tell();
  };
  const leave = (reason: string) => over(({ session }) => session.leave(reason));
  const tell = () => {
    for (const watcher of [...watchers]) watcher();
  };
  const follower: LogFollower = {
    records(records) {
      for (const stored of records) if (!takes(restoring, stored)) return leave('a record cannot be read');
      tell();
    },
    broken: () => leave('records of the session are missing'),
    removed: () => over((restored) => restored.removed('the session was closed')),
  };
  const followed = await store.follow(id, follower);
  const ports = options.portsOf(followed.past.head);
  const connect = (): never => {
    throw new GatewayError('conflict', 'another gateway has the session');
  };
  const isPaused = (isNow: boolean) => followed.pause(isNow);
  try {
    const open: Parameters<typeof takePast>[1] = (state) =>
      beginRestoring({ ...ports, connect, forward, forwardPosts, paused: isPaused }, pastOf(state), dialectOf);
    const taken = await takePast(followed.past, open);
    restoring = taken.restoring;
    restoring.follow();
    if (taken.corrupt === null) followed.begin();
    else restoring.session.retire(unreadable(taken.corrupt));
  } catch (thrown) {
    followed.end();
    throw thrown;
  }
  const { session } = restoring;
  return {
    session,
    reached(cursor) {
      const place = parseCursor(session.epoch, cursor);
      const isThere = () =>
        typeof place === 'string' || place.seq <= session.transcript.lastSeq || session.state === 'closed';
      if (isThere()) return Promise.resolve();
      return new Promise((resolve) => {
        const done = () => {
          cancel();
          watchers.delete(look);
          resolve();
        };
        const look = () => isThere() && done();
        const cancel = ports.clock.after(reachMs, done);
        watchers.add(look);
      });
    },
    end: leave,
  };
}

/** False: no record of this version. */
function takes(restoring: RestoringSession | null, stored: StoredRecord): boolean {
  const record = readRecord(stored);
  // A state comes first, before anybody can follow.
  if (record === null || record.kind === 'state') return false;
  restoring?.take(record);
  return true;
}
