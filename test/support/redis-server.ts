// Debian's redis-server on a free port, with its files in a folder of its own. A machine without one fails the test.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { freePort } from '../../src/conformance/runner/free-port.ts';

/** A running Redis. */
export interface RedisServer {
  readonly url: string;
  readonly port: number;
  /** Ends Redis at once, as a crash does. What it has written to its file stays. */
  kill(): Promise<void>;
  /** Starts Redis again, on the same port and the same files. */
  start(): Promise<void>;
  /** The same without the files: Redis comes back empty and keeps nothing. */
  startEmpty(): Promise<void>;
  signal(name: 'SIGSTOP' | 'SIGCONT'): void;
  /** Tells from now on when the time of a key is over, as that of a lease. */
  expiries(): Promise<Expiries>;
  /** Removes all data. */
  empty(): Promise<void>;
  dispose(): Promise<void>;
}

/** Keys whose time is over. */
export interface Expiries {
  /** Resolves with the next one. */
  next(): Promise<void>;
  end(): void;
}

/** Starts Redis with an append-only file, as docs/scale.md tells operators to. */
export async function startRedis(): Promise<RedisServer> {
  const folder = mkdtempSync(join(tmpdir(), 'patchbay-redis-'));
  for (let tries = 0; ; tries += 1) {
    const port = await freePort();
    const server = serverOn(port, folder);
    try {
      await server.start();
      return server;
    } catch (thrown) {
      // Somebody else may have taken the port meanwhile.
      if (tries === 3) throw thrown;
    }
  }
}

function serverOn(port: number, folder: string): RedisServer {
  let child: ChildProcess | null = null;

  async function kill(): Promise<void> {
    const ending = child;
    child = null;
    if (ending === null || ending.exitCode !== null || ending.signalCode !== null) return;
    const ended = once(ending, 'exit');
    ending.kill('SIGKILL');
    await ended;
  }

  async function start(appendonly: 'yes' | 'no'): Promise<void> {
    // With `everysec` Redis may put off its writes for two seconds while the disk is busy, and a kill loses them.
    const options = { port, bind: '127.0.0.1', dir: folder, appendonly, appendfsync: 'always', save: '' };
    // The last one is for `expiries`.
    const args = Object.entries({ ...options, 'notify-keyspace-events': 'Ex' }).flatMap(([name, value]) => [
      `--${name}`,
      String(value),
    ]);
    const started = spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'inherit'] });
    child = started;
    await new Promise<void>((resolve, reject) => {
      started.on('error', (cause) =>
        reject(new Error('these tests need redis-server (apt-get install redis-server)', { cause })),
      );
      started.on('exit', () => reject(new Error('redis-server did not start')));
      started.stdout.on('data', (text) => String(text).includes('Ready to accept connections') && resolve());
    });
  }

  return {
    port,
    url: `redis://127.0.0.1:${port}`,
    kill,
    start: () => start('yes'),
    startEmpty: () => start('no'),
    signal: (name) => child?.kill(name),
    async expiries() {
      const redis = new Redis(port);
      await redis.psubscribe('__keyevent@*__:expired');
      return {
        next: () => new Promise((resolve) => redis.once('pmessage', () => resolve())),
        end: () => redis.disconnect(),
      };
    },
    async empty() {
      const redis = new Redis(port);
      await redis.flushall();
      redis.disconnect();
    },
    async dispose() {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
