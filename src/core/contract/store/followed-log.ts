// A log that another gateway writes, as this gateway reads it (decision 0030).
import type { StoredPast, StoredRecord } from './session-store.ts';

/** Learns what becomes of a log that somebody else writes. Nothing is called any more after `broken` or `removed`. */
export interface LogFollower {
  /** The next records, in order and without gaps, also those of a new owner that has all records before. */
  records(records: readonly StoredRecord[]): void;
  /** What was read does not go on: records were lost, or were dropped before they were read. Read the session anew. */
  broken(): void;
  /** The session is forgotten. */
  removed(): void;
}

/** A log of somebody else. */
export interface FollowedLog {
  /** Everything up to now. The follower gets what comes behind it. */
  readonly past: StoredPast;
  /** Begins to call the follower. */
  begin(): void;
  /** Reads nothing for the time being, because nobody could take it. */
  pause(isPaused: boolean): void;
  end(): void;
}

/** A store whose logs can be read while others write them. */
export interface FollowableStore {
  /** Rejects with `not-found`. A process may follow a session once at a time: `conflict`. */
  follow(session: string, follower: LogFollower): Promise<FollowedLog>;
  /** Where the owner of the session is reached; null: nobody that is heard of has it. */
  ownerOf(session: string): Promise<string | null>;
}
