// A gateway on a journal is killed at random moments while its clients prompt, answer approvals, name sessions and hear runs end.
// The next one on the same folder has all that was acknowledged. In a second loop snapshots replace the records so often that kills
// fall before, in and behind them. `npm run test:full` kills 500 and 100 times, PATCHBAY_GATEWAY_KILLS and
// PATCHBAY_SNAPSHOT_KILLS any number of times.
import { once } from 'node:events';
import { watch } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { unfinished } from '../../src/stores/journal/names.ts';
import { folderIn } from '../stores/journal/journal-rig.ts';
import { isFull } from '../support/full.ts';
import { type GatewayServer, spawnServer } from '../support/gateway.ts';
import { createGateways } from '../support/gateway-pair.ts';
import { createDraw, rounds } from '../support/seeded.ts';
import { noFigures, Witness } from '../support/witness.ts';

interface Loop {
  readonly kills: number;
  /** A loop that tells how far it is. */
  readonly isLong: boolean;
  readonly seed: number;
  /** Bytes of records after which a snapshot replaces them. Absent: more than there are. */
  readonly segmentBytes?: number;
}

const loopOf = (wanted: string | undefined, usual: number, full: number) => {
  const kills = Number(wanted ?? (isFull ? full : usual));
  return { kills, isLong: kills !== usual };
};
const { PATCHBAY_GATEWAY_KILLS, PATCHBAY_SNAPSHOT_KILLS } = process.env;
const plain: Loop = { ...loopOf(PATCHBAY_GATEWAY_KILLS, 4, 500), seed: 1919 };
const withSnapshots: Loop = { ...loopOf(PATCHBAY_SNAPSHOT_KILLS, 3, 100), seed: 2525, segmentBytes: 24_576 };
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
  let isPlanned = false;
  const kill = async () => {
    if (isPlanned) return;
    isPlanned = true;
    await rounds(later);
    state.isDue = true;
    child.kill('SIGKILL');
  };
  return {
    gone,
    state,
    /** Kills now, so many rounds later. */
    plan: () => void kill(),
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

/** Where kills fall, by sessions: in a session whose next segment has its snapshot, or is being written. */
type Fallen = Record<'before' | 'in' | 'behind', number>;

async function placeIn(folder: string, session: string): Promise<keyof Fallen> {
  const files = await readdir(folderIn(folder, session)).catch((): string[] => []);
  const segments = files.filter((name) => /^\d+\.jsonl$/u.test(name));
  // The older segment goes when the snapshot is safe.
  if (segments.length > 1 || files.some((name) => name.endsWith(`.jsonl${unfinished}`))) return 'in';
  return segments.some((name) => Number.parseInt(name, 10) > 1) ? 'behind' : 'before';
}

/** Calls back when a snapshot of one of the sessions begins. Returns the function that stops looking. */
function onSnapshot(folder: string, sessions: readonly string[], begun: () => void): () => void {
  const watchers = sessions.map((session) =>
    watch(folderIn(folder, session), (_, file) => void (file?.endsWith(`.jsonl${unfinished}`) && begun())),
  );
  return () => {
    for (const watcher of watchers) watcher.close();
  };
}

async function killAgainAndAgain({ kills, isLong, seed, segmentBytes }: Loop): Promise<Fallen> {
  const journal = join(gateways.folder, 'journal');
  await mkdir(journal, { mode: 0o700 });
  const draw = createDraw(seed);
  const figures = noFigures();
  const fallen: Fallen = { before: 0, in: 0, behind: 0 };
  let happened = () => {};
  let witnesses: { readonly witness: Witness; kills: number }[] = [];
  /** Sessions that were made, and not deleted. */
  const made = new Set<string>();
  const limits = segmentBytes === undefined ? {} : { segmentBytes };
  const start = () => gateways.start('a', { defaultAgent: 'demo', journal, limits });

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
    if (isLong && (killed === kills || killed % 50 === 0))
      console.log(`${killed} kills, nothing lost: ${JSON.stringify({ ...figures, ...fallen })}`);
    // A snapshot has the conversation, and no frames.
    if (segmentBytes === undefined) expect(figures.resets, 'a cursor of what was acknowledged leads on').toBe(0);
    if (killed === kills) return fallen;

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
    const waitsForSnapshot = segmentBytes !== undefined && (killed === 0 || draw(3) > 0);
    const kill = createKill(gateway, waitsForSnapshot ? Number.POSITIVE_INFINITY : 1 + draw(400), draw(60));
    happened = kill.happened;
    const inUse = witnesses.map(({ witness }) => witness.session);
    const stopLooking = waitsForSnapshot ? onSnapshot(journal, inUse, kill.plan) : () => {};
    await Promise.all(
      witnesses.map(async (one) => {
        one.kills += 1;
        await actUntilKilled(one.witness, gateway, kill);
      }),
    );
    await kill.gone;
    happened = () => {};
    stopLooking();
    for (const session of inUse) fallen[await placeIn(journal, session)] += 1;
    for (const { witness } of witnesses) {
      await witness.left();
      witness.end();
    }
  }
}

test(`nothing that a gateway has acknowledged is lost by ${plain.kills} kills`, { timeout: 7_200_000 }, async () => {
  await killAgainAndAgain(plain);
});

test(`nor by ${withSnapshots.kills} kills before, in and behind snapshots`, { timeout: 7_200_000 }, async () => {
  const fallen = await killAgainAndAgain(withSnapshots);
  expect(fallen.in + fallen.behind).toBeGreaterThan(0);
  if (withSnapshots.isLong) expect(Math.min(...Object.values(fallen))).toBeGreaterThan(0);
});
