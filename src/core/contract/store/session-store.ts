// Where the logs of sessions are kept beyond the process: in memory, in a journal on disk, or in a store that several
// gateways share (decision 0025). All stores pass one contract suite (test/contract/session-store.ts).

/**
 * One record of a session's log. A store reads no more of a record than these fields; the other fields are JSON and
 * belong to core/log/stored-records.ts.
 */
export interface StoredRecord {
  /** Counts the records of one session from 1 without gaps. */
  readonly place: number;
  readonly [field: string]: unknown;
}

/** The whole state of a session after the record `place`, as JSON. Records up to `place` may be dropped. */
export interface StoredSnapshot {
  readonly place: number;
  readonly state: unknown;
}

/** What lists show of a stored session, as JSON. Small: a store may keep the heads of all sessions in memory. */
export interface StoredHead {
  readonly session: string;
  readonly [field: string]: unknown;
}

/**
 * Whether a record is kept. `memory`: the store cannot write now, goes on in memory, and marks the gap once it can write again.
 */
export type Durability = 'kept' | 'memory';

/** Why the store takes no more records of a session. `fenced`: another owner has the session. */
export type StoreLoss = 'fenced' | 'released';

/** What was kept of a session. */
export interface StoredPast {
  readonly head: StoredHead;
  readonly snapshot: StoredSnapshot | null;
  /** The records after the snapshot, in order. A torn last record is left out. */
  records(): AsyncIterable<StoredRecord>;
  /** Set if a record in the middle cannot be read: the session may be shown up to there, and not continued. */
  readonly corrupt: string | null;
}

/** The log of one session, owned by this gateway until it is released or lost. */
export interface StoredLog {
  /** Rises with each owner of the session. A record of an earlier owner is never taken after a record of a later one. */
  readonly fence: number;
  /** Takes the next record. Written with all records of the same turn of the event loop. Does not throw. */
  append(record: StoredRecord): void;
  /** Calls back once all records that were appended before are on disk, or once it is known that they are not. */
  sync(done: (durability: Durability) => void): void;
  /** Replaces what lists show. */
  setHead(head: StoredHead): void;
  /** Gives up the session. What was appended stays. */
  release(): Promise<void>;
  /** Gives up the session and forgets it. Rejects if the session is still there; a store may try again by itself. */
  remove(): Promise<void>;
}

/** What a store asks and tells the owner of a log. */
export interface StoredLogOwner {
  /** The state of the session now, for the beginning of a new segment. */
  snapshot(): StoredSnapshot;
  /** The session belongs to somebody else: stop its agent and close its clients. Called at most once. */
  lost(reason: StoreLoss): void;
}

/** A store of sessions. */
export interface SessionStore {
  /** Makes the log of a new session. Rejects with `conflict` if the session exists. */
  create(head: StoredHead, owner: StoredLogOwner): Promise<StoredLog>;
  /** Takes over a stored session. Rejects with `not-found`, or with `conflict` while another owner has it. */
  claim(session: string, owner: StoredLogOwner): Promise<{ readonly log: StoredLog; readonly past: StoredPast }>;
  /** Reads a session without owning it. Rejects with `not-found`. */
  read(session: string): Promise<StoredPast>;
  /** Heads of all stored sessions by id, at most `limit` of those behind `after`. */
  list(after: string | null, limit: number): Promise<readonly StoredHead[]>;
  /** Why the store cannot keep anything now; empty while it can. For `/readyz` and `health_check`. */
  obstacles(): readonly string[];
  /** Writes all that is appended and releases all logs. */
  close(): Promise<void>;
}
