// What goes from the log of a session to Redis, and what the log needs of its store for that.
import type { StoredSnapshot } from '../../core/contract/store/session-store.ts';
import type { OwnedLogPorts, Waiter } from '../owned-log.ts';

/** What goes to Redis at once. */
export interface RedisBatch {
  /** Place of the first record. */
  readonly first: number;
  /** Records as JSON. */
  readonly records: readonly string[];
  /** Null: unchanged. */
  readonly head: { readonly text: string; readonly version: number } | null;
  readonly snapshot: { readonly text: string; readonly place: number; readonly gap: boolean } | null;
}

/** A batch that Redis has not answered. */
export interface Sent {
  readonly upTo: number;
  readonly snapshot: RedisBatch['snapshot'];
  readonly waiters: readonly Waiter[];
}

/** What a log needs of its store. `Log`: the logs. */
export interface RedisPorts<Log> extends OwnedLogPorts<Log> {
  /** Makes the session in Redis. Returns the fence, or 0 if somebody else has made one with this id. */
  create(log: Log): Promise<number>;
  /** Makes a session again that Redis has forgotten, from its snapshot. Returns the fence, or 0 as `create` does. */
  remake(log: Log, head: RedisBatch['head'], snapshot: StoredSnapshot): Promise<number>;
  /** Returns the status of the batch (`batchStatus`) and the last place that Redis has. */
  append(log: Log, batch: RedisBatch): Promise<readonly [status: number, place: number]>;
  /** Redis has answered a log that had failed. */
  recovered(log: Log): void;
  /** The log does not reach Redis; call `tryAgain` until it has recovered. */
  failed(log: Log): void;
  /** The log has no owner any more. */
  over(log: Log, how: 'released' | 'removed' | 'fenced'): Promise<void>;
}
