// The connection to Redis, through the library ioredis. Only those who name a Redis need the library (decision 0030).
import type { Redis } from 'ioredis';
import { GatewayError } from '../../core/model/errors.ts';
import { scripts } from './scripts.ts';

/** An argument of a script. */
type Argument = string | number;

/** Commands to Redis. They reject at once while Redis is away, and once Redis has not answered for a while. */
export interface RedisConnection {
  /** Runs a script: its keys, then its arguments. */
  run(script: keyof typeof scripts, args: readonly Argument[]): Promise<unknown>;
  readonly redis: Redis;
  /** Why Redis cannot be reached; null while it can. */
  obstacle(): string | null;
  close(): void;
}

/** How a connection is made. */
export interface ConnectionOptions {
  /** `redis://…` or `rediss://…`, with user, password and number of the database where needed. */
  readonly url: string;
  /** Put before the names of all keys. */
  readonly prefix: string;
  /** Time after which a command that was not answered has failed, ms. */
  readonly answerMs: number;
  /** Called each time the connection is there again. */
  readonly back: () => void;
}

/** Connects. Rejects with `invalid` if the library is missing, and with `internal` if Redis cannot be reached. */
export async function connectRedis({ url, prefix, answerMs, back }: ConnectionOptions): Promise<RedisConnection> {
  const { Redis } = await import('ioredis').catch((cause: unknown) => {
    throw new GatewayError('invalid', 'a store in Redis needs the package ioredis: npm install ioredis@6', { cause });
  });
  let reason: string | null = 'no connection';
  const redis = new Redis(url, {
    keyPrefix: prefix,
    lazyConnect: true,
    // What Redis did not answer is sent again by the logs, which know what was taken.
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    commandTimeout: answerMs,
    connectTimeout: answerMs,
    retryStrategy: (times) => Math.min(times * 50, 1_000),
    // With a prefix, because Redis has commands with some of these names.
    scripts: Object.fromEntries(Object.entries(scripts).map(([name, script]) => [`patchbay_${name}`, script])),
  });
  redis.on('error', (thrown: NodeJS.ErrnoException) => {
    reason = reasonOf(thrown);
  });
  redis.on('close', () => {
    reason ??= 'the connection was closed';
  });
  try {
    await redis.connect();
    for (const { lua } of Object.values(scripts)) await redis.script('LOAD', lua);
  } catch (cause) {
    redis.disconnect();
    throw new GatewayError(
      'internal',
      `Redis cannot be reached (${reason === 'no connection' ? reasonOf(cause) : reason})`,
      { cause },
    );
  }
  reason = null;
  redis.on('ready', () => {
    // A Redis that was restarted does not know the scripts. Sent one by one on first use, they would overtake each other.
    Promise.all(Object.values(scripts).map(({ lua }) => redis.script('LOAD', lua))).then(
      () => {
        reason = null;
        back();
      },
      // The connection is gone again, or Redis says why with the next command.
      (thrown: unknown) => {
        reason = reasonOf(thrown);
        redis.disconnect(true);
      },
    );
  });
  const commands = redis as unknown as Record<string, (...args: Argument[]) => Promise<unknown>>;
  return {
    run: (script, args) =>
      commands[`patchbay_${script}`]?.call(redis, ...args) ?? Promise.reject(new Error(`there is no script ${script}`)),
    redis,
    obstacle: () => reason,
    close: () => redis.disconnect(),
  };
}

/** A code or a short text, without addresses and passwords. */
export function reasonOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return 'unknown';
  const { code } = thrown as NodeJS.ErrnoException;
  if (code !== undefined) return code;
  // Redis begins what it refuses with a word in capitals: OOM, READONLY, NOAUTH.
  const [word = ''] = thrown.message.split(' ');
  return /^[A-Z]{3,}$/u.test(word) ? word : thrown.message.slice(0, 100);
}
