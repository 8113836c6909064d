// Two gateways, one Redis, and schedules of kills, stops, cuts and restarts while a client prompts, answers approvals, names its
// session and hears runs end: the owner of a session goes away or loses Redis, the other gateway takes over, and has all that was
// acknowledged, once and in the same order (decision 0033). PATCHBAY_GATEWAY_SCHEDULES names a number of schedules.
import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../src/conformance/runner/free-port.ts';
import { type CuttableProxy, createCuttableProxy } from '../support/cuttable-proxy.ts';
import type { GatewayServer } from '../support/gateway.ts';
import { createGateways, untilOwned } from '../support/gateway-pair.ts';
import { type RedisServer, startRedis } from '../support/redis-server.ts';
import { createDraw, type Draw, rounds } from '../support/seeded.ts';
import { noFigures, Witness } from '../support/witness.ts';

const schedules = Number(process.env.PATCHBAY_GATEWAY_SCHEDULES ?? 200);
const actionsOfOne = 4;

let redis: RedisServer;
let gateways: ReturnType<typeof createGateways>;
/** One in front of Redis for each gateway. */
const proxies: CuttableProxy[] = [];
beforeAll(async () => {
  redis = await startRedis();
  gateways = createGateways();
  for (const _ of ['a', 'b']) proxies.push(await createCuttableProxy(() => redis.port));
});
afterAll(async () => {
  await gateways.end();
  for (const proxy of proxies) proxy.close();
  await redis.dispose();
});

async function start(at: number): Promise<GatewayServer> {
  const port = await freePort();
  return gateways.start(`gateway-${at}`, {
    defaultAgent: 'demo',
    server: { port },
    store: `redis://127.0.0.1:${proxies[at]?.port}/0?prefix=test:`,
    advertise: `http://127.0.0.1:${port}`,
    limits: { leaseMs: 1_500 },
  });
}

/** An answer may come from memory while Redis is away, so whoever goes on waits until nothing is in the way. */
async function ready({ url, headers }: GatewayServer): Promise<void> {
  await expect.poll(async () => (await fetch(`${url}/readyz`, { headers })).status, { timeout: 60_000 }).toBe(200);
}

interface Pair {
  readonly both: GatewayServer[];
  owner: number;
  takeovers: number;
}

/** What goes wrong. Resolves when the session is in use again. */
type Action = (pair: Pair, session: string, draw: Draw) => Promise<void>;

async function takenOver(pair: Pair, session: string): Promise<void> {
  pair.owner = 1 - pair.owner;
  pair.takeovers += 1;
  await untilOwned(pair.both[pair.owner] as GatewayServer, session, redis);
}

const kill: Action = async (pair, session) => {
  const gone = pair.owner;
  const { child } = pair.both[gone] as GatewayServer;
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
  await takenOver(pair, session);
  pair.both[gone] = await start(gone);
};

const standStill: Action = async (pair, session) => {
  const { child } = pair.both[pair.owner] as GatewayServer;
  child.kill('SIGSTOP');
  await takenOver(pair, session);
  child.kill('SIGCONT');
};

const cut: Action = async (pair) => void proxies[pair.owner]?.cut('');

const restartRedis: Action = async (_pair, _session, draw) => {
  await redis.kill();
  await rounds(draw(2_000));
  await redis.start();
};

const redisStandsStill: Action = async (_pair, _session, draw) => {
  redis.signal('SIGSTOP');
  await rounds(draw(20_000));
  redis.signal('SIGCONT');
};

const others = [kill, standStill, cut, cut, restartRedis, redisStandsStill];

test(`nothing is lost or doubled in ${schedules} schedules`, { timeout: 7_200_000 }, async () => {
  const pair: Pair = { both: [await start(0), await start(1)], owner: 0, takeovers: 0 };
  const figures = noFigures();
  for (let seed = 1; seed <= schedules; seed += 1) {
    const draw = createDraw(seed * 7_919);
    pair.owner = draw(2);
    const session = await (pair.both[pair.owner] as GatewayServer).createSession();
    let happened = () => {};
    const witness = new Witness({ session, draw, figures, happened: () => happened() });
    await witness.comeBack(pair.both[pair.owner] as GatewayServer);
    for (let at = 0; at < actionsOfOne; at += 1) {
      // Each schedule has owners that go away: at its end as well, so that nothing waits any more when it is looked for.
      const goesAway = at === 0 || at === actionsOfOne - 1;
      const action = (goesAway ? [kill, standStill][draw(2)] : others[draw(others.length)]) ?? kill;
      const owner = pair.both[pair.owner] as GatewayServer;
      const isOver = action === kill || action === standStill;
      let isDue = false;
      const due = new Promise<void>((resolve) => {
        let left = 1 + draw(120);
        happened = () => {
          left -= 1;
          if (left === 0) resolve();
        };
      });
      const acting = (async () => {
        try {
          while (!isDue) await witness.step(owner);
        } catch (thrown) {
          if (!isDue) throw thrown;
        }
      })();
      await Promise.race([due, acting]);
      isDue = true;
      await action(pair, session, draw);
      await acting;
      happened = () => {};
      // Whoever is gone has told everything; others are still talking.
      if (isOver) await witness.left();
      witness.end();
      for (const one of pair.both) await ready(one);
      const now = pair.both[pair.owner] as GatewayServer;
      const faults = [...(await witness.comeBack(now, !isOver)), ...(await witness.repeat(now))];
      expect(faults, `schedule ${seed}, behind action ${at + 1} (${action.name})`).toEqual([]);
    }
    witness.end();
    const { url, headers } = pair.both[pair.owner] as GatewayServer;
    expect((await fetch(`${url}/v1/sessions/${session}`, { method: 'DELETE', headers })).status).toBe(204);
    if (seed % 10 === 0 || seed === schedules)
      console.log(`${seed} schedules, ${pair.takeovers} take-overs, nothing lost: ${JSON.stringify(figures)}`);
  }
  expect(figures.resets, 'a cursor of what was acknowledged leads on').toBe(0);
});
