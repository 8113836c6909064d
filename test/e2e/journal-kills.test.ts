// A gateway on a journal is killed at random moments while its clients prompt, answer approvals, name sessions and hear runs end.
// The next one on the same folder has all that was acknowledged. `npm run test:full` kills 500 times, and PATCHBAY_GATEWAY_KILLS
// any number of times.
import { once } from 'node:events';
import { watch } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isFull } from '../support/full.ts';
import { type GatewayServer, spawnServer } from '../support/gateway.ts';
import { createGateways } from '../support/gateway-pair.ts';
import { createDraw, rounds } from '../support/seeded.ts';
import { noFigures, Witness } from '../support/witness.ts';

const usual = 5;
const kills = Number(process.env.PATCHBAY_GATEWAY_KILLS ?? (isFull ? 500 : usual));
/** Sessions that are in use at the same time, and kills that each of them lives through. */
const sessionsAtOnce = 3;
const killsOfSession = 8;

let gateways: ReturnType<typeof createGateways>;
beforeEach(() => {
  gateways = createGateways();
});
afterEach(() => gateways.end());

/** Kills the gateway when its clients have heard and said so much, and so many rounds of the event loop later. */
function createKill({ child }: GatewayServer, after: number, later: number) {
  let left = after;
  const state = { isDue: false };
  const gone = once(child, 'exit');
  const kill = async () => {
    await rounds(later);
    state.isDue = true;
    child.kill('SIGKILL');
  };
  return {
    gone,
    state,
    happened() {
      left -= 1;
      if (left === 0) void kill();
    },
  };
}

async function actUntilKilled(witness: Witness, gateway: GatewayServer, kill: ReturnType<typeof createKill>) {
  try {
    while (!kill.state.isDue) await witness.step(gateway);
  } catch (thrown) {
    if (!kill.state.isDue) throw thrown;
  }
}

test(`nothing that a gateway has acknowledged is lost by ${kills} kills`, { timeout: 7_200_000 }, async () => {
  const journal = join(gateways.folder, 'journal');
  await mkdir(journal, { mode: 0o700 });
  const draw = createDraw(1919);
  const figures = noFigures();
  let happened = () => {};
  let witnesses: { readonly witness: Witness; kills: number }[] = [];
  /** Sessions that were made, and not deleted. */
  const made = new Set<string>();
  const start = () => gateways.start('a', { defaultAgent: 'demo', journal });

  /** Kills a gateway that has touched the folder, perhaps before it is ready. */
  async function killAtStart(): Promise<void> {
    const watcher = watch(journal);
    const child = spawnServer(join(gateways.folder, 'a.json'));
    const exited = once(child, 'exit');
    await Promise.race([once(watcher, 'change'), exited]);
    await rounds(draw(3_000));
    child.kill('SIGKILL');
    await exited;
    watcher.close();
  }

  for (let killed = 0; ; killed += 1) {
    if (killed > 0 && draw(16) === 0) await killAtStart();
    const gateway = await start();
    const listed = await fetch(`${gateway.url}/v1/sessions`, { headers: gateway.headers });
    const { sessions } = (await listed.json()) as { sessions: { id: string }[] };
    expect(sessions.map(({ id }) => id).sort(), `after ${killed} kills`).toEqual([...made].sort());
    for (const { witness } of witnesses) {
      const answer = await fetch(`${gateway.url}/v1/sessions/${witness.session}`, { headers: gateway.headers });
      expect(await answer.json(), 'no run is left open').toMatchObject({ state: 'idle' });
      const faults = [...(await witness.comeBack(gateway)), ...(await witness.repeat(gateway))];
      expect(faults, `after ${killed} kills`).toEqual([]);
    }
    // A long run says how far it is.
    if (kills !== usual && (killed === kills || killed % 50 === 0))
      console.log(`${killed} kills, nothing lost: ${JSON.stringify(figures)}`);
    expect(figures.resets, 'a cursor of what was acknowledged leads on').toBe(0);
    if (killed === kills) break;

    for (const { witness } of witnesses.filter((one) => one.kills >= killsOfSession)) {
      witness.end();
      const { url, headers } = gateway;
      const { status } = await fetch(`${url}/v1/sessions/${witness.session}`, { method: 'DELETE', headers });
      expect(status).toBe(204);
      made.delete(witness.session);
    }
    witnesses = witnesses.filter((one) => one.kills < killsOfSession);
    while (witnesses.length < sessionsAtOnce) {
      const session = await gateway.createSession();
      made.add(session);
      const options = { session, draw, figures, happened: () => happened() };
      const witness = new Witness(options);
      await witness.comeBack(gateway);
      // The first ones begin at different ages.
      witnesses.push({ witness, kills: killed === 0 ? witnesses.length * 2 : 0 });
    }
    const kill = createKill(gateway, 1 + draw(400), draw(60));
    happened = kill.happened;
    await Promise.all(
      witnesses.map(async (one) => {
        one.kills += 1;
        await actUntilKilled(one.witness, gateway, kill);
      }),
    );
    await kill.gone;
    happened = () => {};
    for (const { witness } of witnesses) {
      await witness.left();
      witness.end();
    }
  }
});
