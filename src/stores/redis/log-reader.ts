// Reads the logs that other gateways write, on a connection of its own: one command waits for all of them.
import type { Clock } from '../../core/contract/clock.ts';
import type { FollowedLog, LogFollower } from '../../core/contract/store/followed-log.ts';
import type { StoredRecord } from '../../core/contract/store/session-store.ts';
import { GatewayError } from '../../core/model/errors.ts';
import type { RedisConnection } from './connection.ts';
import { factsKey, placeOf, recordsKey, wakeKey } from './scripts.ts';

/** Where a log is read on, and for whom. */
export interface LogToFollow {
  readonly session: string;
  /** Place and fence of the newest record that was read. */
  readonly place: number;
  readonly fence: number;
  readonly follower: LogFollower;
}

/** Reads logs. */
export interface LogReader {
  follow(log: LogToFollow): Omit<FollowedLog, 'past'>;
  close(): void;
}

/** What a reader needs of its store. */
export interface LogReaderPorts {
  readonly connection: RedisConnection;
  readonly clock: Clock;
  /** Of the store. */
  readonly token: string;
  /** Takes what a follower throws. */
  thrown(thrown: unknown): void;
}

/** A log that is read. */
interface Followed {
  readonly session: string;
  readonly follower: LogFollower;
  place: number;
  fence: number;
  isPaused: boolean;
  /** At the latest look Redis knew nothing of the session. */
  isMissing: boolean;
}

type Entry = readonly [id: string, fields: readonly string[]];

/**
 * Most records of a session in an answer, how long Redis waits for one, how often logs are looked at that bring nothing, and
 * the time behind a failure, ms.
 */
const limits = { records: 256, waitMs: 5_000, lookMs: 10_000, againMs: 50 };

/** Creates a reader. It connects with the first log. */
export function createLogReader({ connection, clock, token, thrown }: LogReaderPorts): LogReader {
  /** By key of the records. */
  const logs = new Map<string, Followed>();
  const redis = connection.redis.duplicate({ lazyConnect: true, commandTimeout: limits.waitMs + limits.lookMs });
  const { keyPrefix: prefix = '' } = redis.options;
  // What went wrong is seen by the command that fails.
  redis.on('error', () => {});
  let wokenAt = '0';
  let lookAt = 0;
  let isRunning = false;
  let isOver = false;

  /** Makes the command that waits come back, if there is one, or the next. */
  function wake(): void {
    const key = wakeKey(token);
    const more = connection.redis.multi().xadd(key, 'MAXLEN', 1, '*', 'w', '1').pexpire(key, 60_000).exec();
    more.catch(() => {});
  }

  async function run(): Promise<void> {
    isRunning = true;
    while (!isOver && logs.size > 0) {
      try {
        await connected();
        if (clock.now() >= lookAt) await look();
        for (const [key, entries] of await wait()) {
          if (key === wakeKey(token)) wokenAt = entries.at(-1)?.[0] ?? wokenAt;
          else await take(key, entries);
        }
      } catch {
        // Redis is away, or stands still. What is missing then is seen afterwards.
        lookAt = 0;
        if (!isOver && redis.status === 'ready') redis.disconnect(true);
        // Commands fail at once then. Without a turn of the event loop nobody would hear that a connection has ended.
        await new Promise<void>((resolve) => void clock.after(limits.againMs, resolve));
      }
    }
    isRunning = false;
    redis.disconnect();
  }

  async function connected(): Promise<void> {
    if (redis.status === 'ready') return;
    if (redis.status === 'wait' || redis.status === 'end') return redis.connect();
    await new Promise<void>((resolve) => {
      redis.once('ready', resolve);
      redis.once('end', resolve);
    });
  }

  async function wait(): Promise<readonly (readonly [key: string, entries: readonly Entry[]])[]> {
    const read = [...logs].filter(([, { isPaused }]) => !isPaused);
    const keys = [wakeKey(token), ...read.map(([key]) => key)];
    const ids = [wokenAt, ...read.map(([, { place }]) => `0-${place}`)];
    const { records, waitMs } = limits;
    const answer = await redis.call('XREAD', 'COUNT', records, 'BLOCK', waitMs, 'STREAMS', ...keys, ...ids);
    // ioredis speaks RESP3, in which this is a map, and gives it as a list: key, entries, key, entries.
    const flat = (answer as (string | Entry[])[] | null) ?? [];
    return Array.from({ length: flat.length / 2 }, (_, at) => {
      // The library puts the prefix before the keys of a command, and leaves it in the answer.
      const [key, entries] = flat.slice(at * 2, at * 2 + 2) as [string, Entry[]];
      return [key.slice(prefix.length), entries] as const;
    });
  }

  async function take(key: string, entries: readonly Entry[]): Promise<void> {
    const log = logs.get(key);
    if (log === undefined || log.isPaused) return;
    const records: StoredRecord[] = [];
    let end: 'broken' | 'removed' | null = null;
    for (const [id, fields] of entries) {
      // Asked for by somebody who followed the session before.
      if (placeOf(id) <= log.place) continue;
      const { r: record, f: fence, x: removal } = fieldsOf(fields);
      const isNext = placeOf(id) === log.place + 1;
      if (isNext && removal !== undefined) end = 'removed';
      else if (!isNext || record === undefined || !(await continues(log, Number(fence)))) end = 'broken';
      if (end !== null || record === undefined) break;
      records.push(JSON.parse(record) as StoredRecord);
      log.place += 1;
    }
    tell(key, log, records, end);
  }

  /** Whether a record with that fence goes on where this log ends. */
  async function continues(log: Followed, fence: number): Promise<boolean> {
    if (fence === log.fence) return true;
    const facts = factsKey(log.session);
    const [now, before, at] = await connection.redis.hmget(facts, 'fence', 'fenceBefore', 'claimedAt');
    if (Number(now) !== fence || Number(before) !== log.fence || Number(at) !== log.place) return false;
    log.fence = fence;
    return true;
  }

  function tell(key: string, log: Followed, records: readonly StoredRecord[], end: 'broken' | 'removed' | null): void {
    // The follower may have left while Redis was asked.
    if (logs.get(key) !== log) return;
    if (end !== null) logs.delete(key);
    try {
      if (records.length > 0) log.follower.records(records);
      if (end !== null) log.follower[end]();
    } catch (fault) {
      thrown(fault);
    }
  }

  /** Finds logs that are gone, or that have lost what was read of them, without a record that would tell. */
  async function look(): Promise<void> {
    const looked = [...logs];
    const found = await Promise.all(
      looked.map(([, { session }]) => connection.redis.hmget(factsKey(session), 'fence', 'claimedAt')),
    );
    lookAt = clock.now() + limits.lookMs;
    for (const [at, [key, log]] of looked.entries()) {
      const [fence = null, claimedAt = null] = found[at] ?? [];
      // Its owner may make it again.
      const wasMissing = log.isMissing;
      log.isMissing = fence === null;
      if (fence === null && wasMissing) tell(key, log, [], 'removed');
      if (fence !== null && Number(fence) !== log.fence && Number(claimedAt) < log.place) tell(key, log, [], 'broken');
    }
  }

  return {
    follow({ session, place, fence, follower }) {
      const key = recordsKey(session);
      if (isOver) throw new GatewayError('shutting-down', 'the store is closed');
      if (logs.has(key)) throw new GatewayError('conflict', 'the session is followed already');
      const log: Followed = { session, follower, place, fence, isPaused: true, isMissing: false };
      logs.set(key, log);
      const pause = (isPaused: boolean) => {
        if (log.isPaused === isPaused || logs.get(key) !== log) return;
        log.isPaused = isPaused;
        if (!isPaused) wake();
      };
      return {
        begin() {
          pause(false);
          if (!isRunning) void run();
        },
        pause,
        end() {
          if (logs.get(key) === log) logs.delete(key);
          if (logs.size === 0) wake();
        },
      };
    },
    close() {
      isOver = true;
      logs.clear();
      redis.disconnect();
    },
  };
}

function fieldsOf(fields: readonly string[]): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(Array.from({ length: fields.length / 2 }, (_, at) => fields.slice(at * 2, at * 2 + 2)));
}
