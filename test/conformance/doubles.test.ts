// Each broken pi-server is found by the checks that are meant to find it, and by no others. Its faults are made by a man in the
// middle in front of our own server.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Check, Result } from '../../src/conformance/check.ts';
import { departures } from '../../src/conformance/pi-server/departures.ts';
import { piServerChecks } from '../../src/conformance/pi-server/index.ts';
import { runChecks } from '../../src/conformance/runner.ts';
import { type Address, type Peer, startPeer, type Target } from '../../src/conformance/target.ts';
import { killAllChildren } from '../../src/transports/process-group.ts';
import type { Double } from './doubles/double.ts';
import { doubles } from './doubles/index.ts';
import { tampering } from './doubles/tamper.ts';
import { type Own, ownDemo } from './targets.ts';

const patienceMs = 8_000;
/** One of so many unrelated checks is tried at each double, another at the next; 1 tries them all. */
const spread = Number(process.env.PATCHBAY_CONFORMANCE_SPREAD ?? 6);

const checks = piServerChecks.checks.filter(({ id }) => !departures.has(id));
const nameOf = (id: string) => id.replace(/^pi-server\//u, '');
/** Needs no program of its own. */
const isQuick = ({ needs = {} }: Check<never>) =>
  needs.settings === undefined && needs.alone !== true && needs.transport !== 'stdio' && needs.binary !== true;

let own: Own;
let peer: Peer;
let address: Address;
beforeAll(async () => {
  own = ownDemo();
  const way = own.target.websocket;
  if (way === undefined || !('command' in way)) throw new Error('our own server is a program');
  const ready = (line: unknown): Address | null => {
    const found = way.ready(line);
    if (found !== null) address = found;
    return found;
  };
  const usual = { transport: 'websocket', settings: piServerChecks.usual, patienceMs: 30_000 } as const;
  peer = await startPeer({ ...own.target, websocket: { ...way, ready } }, usual);
});
afterAll(async () => {
  await peer?.stop();
  await own?.remove();
  killAllChildren();
});

const failedIn = (results: readonly Result[]) =>
  results.flatMap(({ id, verdict }) => (verdict === 'failed' ? [nameOf(id)] : []));

/** The checks that are meant for it, those that may find it, and some others. */
function chosen({ caught, kin = [] }: Double, index: number): (check: Check<never>) => boolean {
  return (check) => {
    const name = nameOf(check.id);
    if (caught.includes(name)) return true;
    const place = checks.findIndex(({ id }) => id === check.id);
    return isQuick(check) && place >= 0 && !kin.includes(name) && (place + index) % spread === 0;
  };
}

async function judge(double: Double, index: number): Promise<Result[]> {
  const only = chosen(double, index);
  const through = tampering(double.make());
  // Most share one server; those that need bounds of their own, or end it, start it themselves.
  const shared: Target = { ...own.target, websocket: address, settings: () => ({}), through };
  const quick = await runChecks(piServerChecks, shared, { patienceMs, only: (check) => isQuick(check) && only(check) });
  const target: Target = { ...own.target, through };
  const rest = await runChecks(piServerChecks, target, { patienceMs, only: (check) => !isQuick(check) && only(check) });
  return [...quick, ...rest];
}

const found = new Set<string>();

test.each(doubles.map((double, index) => [double.fault, double, index] as const))(
  '%s',
  { concurrent: true, timeout: 120_000 },
  async (_fault, double, index) => {
    const results = await judge(double, index);
    const failed = failedIn(results);
    expect(
      double.caught.filter((name) => !failed.includes(name)),
      'not found by',
    ).toEqual([]);
    const unrelated = results.filter(({ id }) => !double.caught.includes(nameOf(id)));
    expect(
      unrelated.flatMap(({ id, verdict, reason }) =>
        verdict === 'failed' || verdict === 'unclear' ? [`${id}: ${verdict}: ${reason}`] : [],
      ),
      'found by others',
    ).toEqual([]);
    for (const name of double.caught) found.add(name);
  },
);

test('every check can fail', () => {
  const never = checks
    .map(({ id }) => nameOf(id))
    .filter((name) => !doubles.some(({ caught }) => caught.includes(name)));
  console.log(`${doubles.length} doubles, found by ${found.size} of ${checks.length} checks`);
  expect(never).toEqual([]);
});

test('doubles name checks that there are', () => {
  const names = new Set(checks.map(({ id }) => nameOf(id)));
  const unknown = doubles.flatMap(({ caught, kin = [] }) => [...caught, ...kin]).filter((name) => !names.has(name));
  expect(unknown).toEqual([]);
});
