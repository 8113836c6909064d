// Every broken pi-server is caught by its checks and by no unrelated ones. An interceptor in front of our own server
// makes the faults.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Check, Result, Settings } from '../../../src/conformance/check/check.ts';
import { piServerChecks } from '../../../src/conformance/pi-server/checks/index.ts';
import { departures } from '../../../src/conformance/pi-server/own-departures.ts';
import { type Peer, startPeer } from '../../../src/conformance/runner/peer.ts';
import { runChecks } from '../../../src/conformance/runner/runner.ts';
import type { Address, Target } from '../../../src/conformance/runner/target.ts';
import { killAllChildren } from '../../../src/transports/child/process-group.ts';
import { intercepting } from '../support/intercept.ts';
import { type Own, ownDemo } from '../support/targets.ts';
import { mutants } from './mutants/index.ts';
import type { Mutant } from './mutants/mutant.ts';

const patienceMs = 10_000;
/** Each mutant runs one in this many unrelated checks, in turn; 1 runs them all. */
const spread = Number(process.env.PATCHBAY_CONFORMANCE_SPREAD ?? 48);

const { usual } = piServerChecks;
const checks = piServerChecks.checks.filter(({ id }) => !departures.has(id));
const nameOf = (id: string) => id.replace(/^pi-server\//u, '');
/** The check needs no program of its own. */
const isQuick = ({ needs = {} }: Check<never>) =>
  needs.settings === undefined && needs.exclusive !== true && needs.transport !== 'stdio' && needs.binary !== true;

let own: Own;
const servers = new Map<string, Promise<{ readonly peer: Peer; readonly address: Address }>>();
beforeAll(() => {
  own = ownDemo();
});
afterAll(async () => {
  for (const server of servers.values()) await (await server).peer.stop();
  await own.remove();
  killAllChildren();
});

async function start(settings: Settings) {
  const way = own.target.websocket;
  if (way === undefined || !('command' in way)) throw new Error('our own server is a program');
  let address: Address | null = null;
  const ready: typeof way.ready = (line, port) => {
    address = way.ready(line, port);
    return address;
  };
  const options = { transport: 'websocket', settings, patienceMs: 30_000 } as const;
  const peer = await startPeer({ ...own.target, websocket: { ...way, ready } }, options);
  if (address === null) throw new Error('it has no address');
  return { peer, address };
}

/** The address of a server with these limits, shared by all mutants. */
async function addressWith(settings: Settings): Promise<Address> {
  const whole = { ...usual, ...settings };
  const key = JSON.stringify(whole);
  const starting = servers.get(key) ?? start(whole);
  servers.set(key, starting);
  return (await starting).address;
}

const failedIn = (results: readonly Result[]) =>
  results.flatMap(({ id, verdict }) => (verdict === 'failed' ? [nameOf(id)] : []));

/** The checks of the mutant, those that may catch it too, and some others. */
function chosen({ caughtBy, alsoCaughtBy = [] }: Mutant, index: number): (check: Check<never>) => boolean {
  return (check) => {
    const name = nameOf(check.id);
    if (caughtBy.includes(name)) return true;
    const place = checks.findIndex(({ id }) => id === check.id);
    return isQuick(check) && place >= 0 && !alsoCaughtBy.includes(name) && (place + index) % spread === 0;
  };
}

async function judge(mutant: Mutant, index: number): Promise<Result[]> {
  const picked = checks.filter(chosen(mutant, index));
  const through = intercepting(mutant.make());
  const target: Target = { ...own.target, through };
  const results: Result[] = [];
  async function run(some: readonly Check<never>[], whom: Target) {
    const ids = new Set(some.map(({ id }) => id));
    if (ids.size > 0)
      results.push(...(await runChecks(piServerChecks, whom, { patienceMs, only: ({ id }) => ids.has(id) })));
  }
  // A check that ends or fills the server gets its own; all others share a server for each set of limits.
  const isApart = ({ needs = {} }: Check<never>) => needs.exclusive === true || needs.transport === 'stdio';
  await run(picked.filter(isApart), target);
  const shared = picked.filter((check) => !isApart(check));
  for (const settings of new Set(shared.map(({ needs }) => needs?.settings ?? usual))) {
    const websocket = await addressWith(settings);
    const some = shared.filter(({ needs }) => (needs?.settings ?? usual) === settings);
    await run(some, { ...target, websocket, settings: () => ({}) });
  }
  return results;
}

const found = new Set<string>();

test.each(mutants.map((mutant, index) => [mutant.fault, mutant, index] as const))(
  '%s',
  { concurrent: true, timeout: 120_000 },
  async (_fault, mutant, index) => {
    const results = await judge(mutant, index);
    const failed = failedIn(results);
    expect(
      mutant.caughtBy.filter((name) => !failed.includes(name)),
      'not found by',
    ).toEqual([]);
    const unrelated = results.filter(({ id }) => !mutant.caughtBy.includes(nameOf(id)));
    expect(
      unrelated.flatMap(({ id, verdict, reason }) =>
        verdict === 'failed' || verdict === 'unclear' ? [`${id}: ${verdict}: ${reason}`] : [],
      ),
      'found by others',
    ).toEqual([]);
    for (const name of mutant.caughtBy) found.add(name);
  },
);

test('every check can fail', () => {
  const never = checks
    .map(({ id }) => nameOf(id))
    .filter((name) => !mutants.some(({ caughtBy }) => caughtBy.includes(name)));
  console.log(`${mutants.length} doubles, found by ${found.size} of ${checks.length} checks`);
  // The demo agent asks during prompts only; these checks run against the real pi.
  const elsewhere = ['select', 'confirm', 'input', 'editor'].map((method) => `18-96:${method}`);
  expect(never).toEqual(elsewhere);
});

test('mutants name existing checks', () => {
  const names = new Set(piServerChecks.checks.map(({ id }) => nameOf(id)));
  const unknown = mutants
    .flatMap(({ caughtBy, alsoCaughtBy = [] }) => [...caughtBy, ...alsoCaughtBy])
    .filter((name) => !names.has(name));
  expect(unknown).toEqual([]);
});
