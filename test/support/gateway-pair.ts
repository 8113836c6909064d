// Several gateways as processes, each on a port that is known before, and clients that come back with their cursors.
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { within } from '../../src/conformance/bounded-wait.ts';
import { type GatewayServer, startServerWith } from './gateway.ts';
import type { RedisServer } from './redis-server.ts';
import { type Connection, connectEvents, connectResumable, type Heard } from './resuming-readers.ts';

/** The token and the secret of all gateways of a test. */
export const token = 'a-token-for-all-gateways';
export const nodeSecret = 'a-secret-of-gateways-that-is-long-enough';

/** Gateways that a test starts and must end. */
export function createGateways() {
  const folder = mkdtempSync(join(tmpdir(), 'patchbay-gateways-'));
  const servers: GatewayServer[] = [];
  return {
    folder,
    /** Starts a gateway with that configuration. */
    async start(name: string, config: object, env: Readonly<Record<string, string>> = {}): Promise<GatewayServer> {
      const file = join(folder, `${name}.json`);
      writeFileSync(file, JSON.stringify(config));
      const server = await startServerWith(file, {
        PATCHBAY_TOKEN: token,
        PATCHBAY_NODE_SECRET: nodeSecret,
        ...env,
      });
      servers.push(server);
      return server;
    },
    async end(): Promise<void> {
      const gone = servers.splice(0).map(async ({ child }) => {
        if (child.exitCode !== null || child.signalCode !== null) return;
        const exit = once(child, 'exit');
        child.kill('SIGKILL');
        await exit;
      });
      await Promise.all(gone);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A client that keeps what it has heard. */
export interface Listener {
  readonly heard: readonly Heard[];
  readonly connection: Connection;
  /** Resolves as soon as that has been heard. */
  until(isSo: (heard: readonly Heard[]) => boolean, label: string): Promise<void>;
}

const transports = { ws: connectResumable, sse: connectEvents };

/** Connects to a session of that gateway, behind the cursor. `options`: the query. */
export function listen(
  { url }: Pick<GatewayServer, 'url'>,
  session: string,
  transport: keyof typeof transports,
  {
    frontend = 'pi',
    cursor = null,
    options = '',
  }: { frontend?: string; cursor?: string | null; options?: string } = {},
): Listener {
  const heard: Heard[] = [];
  const watchers = new Set<() => void>();
  const place = { port: Number(new URL(url).port), token, frontend, session, options };
  const connection = transports[transport](place, cursor, (one) => {
    heard.push(one);
    for (const watcher of watchers) watcher();
  });
  const said = () => `\n${heard.map(({ frame }) => frame.slice(0, 200)).join('\n')}`;
  return {
    heard,
    connection,
    until: async (isSo, label) =>
      void (await within(`${label} (${transport})`, watchers, () => (isSo(heard) ? true : undefined), said)),
  };
}

/** Posts a frame to the session. With a key, the answer comes once everything before is kept. */
export async function post(
  { url, headers }: Pick<GatewayServer, 'url' | 'headers'>,
  session: string,
  frame: object,
  key?: string,
  frontend = 'pi',
): Promise<{ readonly status: number; readonly text: string }> {
  const more = { 'content-type': 'application/json', ...(key === undefined ? {} : { 'idempotency-key': key }) };
  const answer = await fetch(`${url}/v1/${frontend}/sessions/${session}/frames`, {
    method: 'POST',
    headers: { ...headers, ...more },
    body: JSON.stringify(frame),
  });
  return { status: answer.status, text: await answer.text() };
}

/**
 * Resolves once the gateway has the session itself: asks now, and again whenever a lease in Redis ends. Until then the owner of
 * before is heard of.
 */
export async function untilOwned(
  server: GatewayServer,
  session: string,
  redis: Pick<RedisServer, 'expiries'>,
): Promise<void> {
  const leases = await redis.expiries();
  try {
    for (;;) {
      const ended = leases.next();
      // A gateway that stands still does not answer what is forwarded to it.
      const asking = new AbortController();
      const asked = fetch(`${server.url}/v1/sessions/${session}`, { headers: server.headers, signal: asking.signal });
      const status = await Promise.race([asked.then((answer) => answer.status), ended.then(() => null)]);
      asking.abort();
      await asked.catch(() => {});
      if (status === 200) return;
      // 408: a gateway that stood still answers what had come before it could read.
      if (status !== null && ![408, 409, 503].includes(status)) throw new Error(`${status} ${server.log()}`);
      await ended;
    }
  } finally {
    leases.end();
  }
}
