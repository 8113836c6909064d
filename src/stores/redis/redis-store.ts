// Sessions in Redis, for several gateways: each session has one owner, whose lease lasts while the owner renews it (decision 0030).
import { randomUUID } from 'node:crypto';
import type { Clock } from '../../core/contract/clock.ts';
import type { FollowableStore } from '../../core/contract/store/followed-log.ts';
import type {
  SessionStore,
  StoredHead,
  StoredLogOwner,
  StoredPast,
  StoredRecord,
  StoredSnapshot,
} from '../../core/contract/store/session-store.ts';
import { GatewayError } from '../../core/model/errors.ts';
import { createReservations, createWake } from '../owned-log.ts';
import { connectRedis, type RedisConnection, reasonOf } from './connection.ts';
import { createLogReader, type LogReader } from './log-reader.ts';
import { RedisLog, type RedisLogPorts } from './redis-log.ts';
import {
  factsKey,
  indexKey,
  keysOf,
  leaseKey,
  nameOf,
  placeOf,
  recordsKey,
  sessionOf,
  snapshotKey,
} from './scripts.ts';

/** How a store in Redis is opened. */
export interface RedisStoreOptions {
  /** `redis://…` or `rediss://…`. */
  readonly url: string;
  /** Put before the names of all keys, for several stores in one Redis; default nothing. */
  readonly prefix?: string;
  readonly clock: Clock;
  /** Where other gateways reach this one; in the lease. */
  readonly nodeUrl?: string;
  /** How long sessions stay with a gateway that is not heard of, ms; default 10 s. Renewed three times in it. */
  readonly leaseMs?: number;
  /** Time after which a command that Redis did not answer has failed, ms; default 5 s. */
  readonly answerMs?: number;
  /** Characters of records after which a snapshot replaces them; default 4 Mi. */
  readonly segmentBytes?: number;
  /** The most characters that wait for Redis: of one session, 32 Mi, and of all, 64 Mi. */
  readonly queue?: RedisLogPorts['queue'];
  /** Takes what the owner of a log throws when it is called. */
  readonly thrown?: (thrown: unknown) => void;
}

/** A store that several gateways share. */
export interface RedisStore extends SessionStore, FollowableStore {}

const mebi = 1024 * 1024;
/** docs/limits.md 11.1 to 11.5 */
const defaults = {
  leaseMs: 10_000,
  answerMs: 5_000,
  segmentBytes: 4 * mebi,
  queue: { perSession: 32 * mebi, all: 64 * mebi },
};
/** Time until a log that Redis refused is tried again, ms. */
const againMs = 1_000;

/** Connects to Redis. Rejects with `invalid` without the library, and with `internal` if Redis cannot be reached. */
export async function openRedisStore(options: RedisStoreOptions): Promise<RedisStore> {
  const { clock, prefix = '', nodeUrl = '', leaseMs = defaults.leaseMs } = options;
  const token = randomUUID();
  const owned = new Map<string, RedisLog>();
  const failed = new Set<RedisLog>();
  /** Sessions that were given up while Redis was away. */
  const unfinished = new Set<() => Promise<unknown>>();
  let isOver = false;
  let cancelRenewal = (): void => {};
  let cancelRetry: (() => void) | null = null;

  const connection = await connectRedis({
    url: options.url,
    prefix,
    answerMs: options.answerMs ?? defaults.answerMs,
    back: () => void back(),
  });

  async function renew(): Promise<void> {
    const hadLasted = await connection.run('renew', [leaseKey(token), nodeUrl, leaseMs]);
    // Meanwhile others may have taken sessions; each log asks for itself.
    if (hadLasted === 0) for (const log of owned.values()) void log.settled();
  }

  function planRenewal(): void {
    cancelRenewal = clock.after(leaseMs / 3, () => {
      void renew().catch(() => {});
      planRenewal();
    });
  }

  async function back(): Promise<void> {
    if (isOver) return;
    await renew().catch(() => {});
    await again();
  }

  async function again(): Promise<void> {
    cancelRetry?.();
    cancelRetry = null;
    if (isOver || connection.obstacle() !== null) return;
    for (const finish of [...unfinished]) {
      await finish().then(
        () => unfinished.delete(finish),
        () => {},
      );
    }
    await Promise.all([...failed].map((log) => log.tryAgain()));
    if (unfinished.size + failed.size > 0) planRetry();
  }

  function planRetry(): void {
    if (!isOver) cancelRetry ??= clock.after(againMs, () => void again());
  }

  const ports: RedisLogPorts = {
    segmentBytes: options.segmentBytes ?? defaults.segmentBytes,
    queue: options.queue ?? defaults.queue,
    waiting: { chars: 0 },
    wake: createWake(),
    thrown: (thrown) => options.thrown?.(thrown),
    create: async ({ session, head }) =>
      Number(await connection.run('create', [...keysOf(session), token, JSON.stringify(head), nameOf(session)])),
    remake: async ({ session, fence }, head, snapshot) => {
      // The lease is forgotten too.
      await renew();
      const parts = [head?.text ?? '', head?.version ?? 0, JSON.stringify(snapshot), snapshot.place];
      return Number(await connection.run('remake', [...keysOf(session), fence, token, ...parts, nameOf(session)]));
    },
    async append({ session, fence }, { first, records, head, snapshot }) {
      const parts = [head?.text ?? '', head?.version ?? 0, snapshot?.text ?? '', snapshot?.place ?? 0];
      const gap = snapshot?.gap === true ? 1 : 0;
      const args = [...keysOf(session), fence, token, first, ...parts, gap, ...records];
      return (await connection.run('append', args)) as [number, number];
    },
    failed(log) {
      failed.add(log);
      planRetry();
    },
    recovered: (log) => failed.delete(log),
    async over(log, how) {
      failed.delete(log);
      owned.delete(log.session);
      if (how === 'fenced' || log.fence === 0) return;
      const args = [...keysOf(log.session), log.fence, token, nameOf(log.session)];
      const finish = () => connection.run(how === 'removed' ? 'remove' : 'release', args);
      const done = await finish().catch((): null => {
        unfinished.add(finish);
        planRetry();
        return null;
      });
      if (how !== 'removed') return;
      if (done === null)
        throw new GatewayError('timeout', 'Redis does not answer; it forgets the session once it does');
      if (done === 0) throw new GatewayError('conflict', 'another gateway has the session now');
    },
  };

  await renew();
  planRenewal();
  const reader = createLogReader({ connection, clock, token, thrown: ports.thrown });
  return {
    ...storeOf({ connection, owned, ports, prefix, token, reader, isOver: () => isOver }),
    obstacles() {
      const reason = connection.obstacle();
      const reasons = new Set(reason === null ? [...failed].flatMap((log) => log.obstacle ?? []) : [reason]);
      return [...reasons].map((text) => `Redis cannot be written (${text}); sessions are kept in memory only`);
    },
    async close() {
      await Promise.all([...owned.values()].map((log) => log.take('released')));
      isOver = true;
      reader.close();
      cancelRenewal();
      cancelRetry?.();
      await connection.redis.del(leaseKey(token)).catch(() => {});
      connection.close();
    },
  };
}

/** What the functions of a store share. */
interface Parts {
  readonly connection: RedisConnection;
  readonly owned: Map<string, RedisLog>;
  readonly ports: RedisLogPorts;
  readonly prefix: string;
  readonly token: string;
  readonly reader: LogReader;
  isOver(): boolean;
}

function storeOf(parts: Parts): Omit<RedisStore, 'close' | 'obstacles'> {
  const { connection, owned, ports, prefix, token, reader, isOver } = parts;
  const { redis } = connection;
  const reserving = createReservations(owned, isOver);

  async function claim(session: string, owner: StoredLogOwner) {
    const fence = Number(
      await answered(connection.run('claim', [...keysOf(session), token, `${prefix}${leaseKey('')}`])),
    );
    if (fence === -1) throw notFound();
    if (fence === 0) throw new GatewayError('conflict', 'another gateway has the session');
    const { past, place } = await readPast(connection, session);
    const log = new RedisLog(past.head, fence, place, owner, ports);
    owned.set(session, log);
    return { log, past };
  }

  return {
    create: (head: StoredHead, owner) =>
      reserving(head.session, async () => {
        const log = new RedisLog(head, 0, 0, owner, ports);
        if (!(await log.begin())) throw new GatewayError('conflict', 'the session is stored already');
        owned.set(head.session, log);
        return log;
      }),
    claim: (session, owner) => reserving(session, () => claim(session, owner)),
    async read(session) {
      await owned.get(session)?.settled();
      return (await readPast(connection, session)).past;
    },
    async follow(session, follower) {
      const { past, place, fence } = await readPast(connection, session);
      return { past, ...reader.follow({ session, place, fence, follower }) };
    },
    async list(after, limit) {
      const from = after === null ? '-' : `(${nameOf(after)}`;
      const names = await answered(redis.zrangebylex(indexKey, from, '+', 'LIMIT', 0, limit));
      const sessions = names.map(sessionOf);
      const stored = await answered(Promise.all(sessions.map((session) => redis.hget(factsKey(session), 'head'))));
      const heads = sessions.map((session, at) => owned.get(session)?.head ?? headOf(stored[at]));
      return heads.filter((head) => head !== null);
    },
    async ownerOf(session) {
      const owner = await answered(redis.hget(factsKey(session), 'owner'));
      return owner ? answered(redis.get(leaseKey(owner))) : null;
    },
  };
}

const notFound = () => new GatewayError('not-found', 'no such session is stored');
const headOf = (text: string | null | undefined) => (text ? (JSON.parse(text) as StoredHead) : null);

/** A failure of Redis as an error of the gateway. */
async function answered<Result>(answer: Promise<Result>): Promise<Result> {
  return answer.catch((cause: unknown) => {
    throw new GatewayError('timeout', `Redis does not answer (${reasonOf(cause)})`, { cause });
  });
}

/** In one step, so that snapshot and records belong together. Records are at most a segment, so they are read whole. */
async function readPast(
  { redis }: RedisConnection,
  session: string,
): Promise<{ readonly past: StoredPast; readonly place: number; readonly fence: number }> {
  const reading = redis
    .multi()
    .hmget(factsKey(session), 'head', 'place', 'fence', 'snapshotPlace')
    .get(snapshotKey(session))
    .xrange(recordsKey(session), '-', '+')
    .exec();
  const answers = (await answered(reading)) ?? [];
  const [[headText, place, fence, snapshotPlace] = [], snapshot, entries = []] = answers.map(([thrown, value]) => {
    if (thrown !== null) throw thrown;
    return value;
  }) as [(string | null)[]?, (string | null)?, [string, string[]][]?];
  const head = headOf(headText);
  if (head === null) throw notFound();
  const past: StoredPast = {
    head,
    snapshot: snapshot ? (JSON.parse(snapshot) as StoredSnapshot) : null,
    async *records() {
      for (const [id, fields] of entries)
        if (placeOf(id) > Number(snapshotPlace)) yield JSON.parse(fields[1] ?? '') as StoredRecord;
    },
    corrupt: null,
  };
  return { past, place: Number(place), fence: Number(fence) };
}
