// `npm run soak [-- --minutes 20 | --quick] [--kind <part of a name>] [--snapshots <folder>]`: serves mixed cycles for
// that long, closes everything every 110 s, and prints what is left. Fails when a cycle failed or something stays.
import { mkdirSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { describeMachine } from '../machine.ts';
import { type Kind, kinds } from './cycles.ts';
import { type SoakedGateway, startGateway, workers } from './gateway.ts';
import { head, lineOf, type PlacedSample, verdicts } from './report.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '20' },
    quick: { type: 'boolean', default: false },
    kind: { type: 'string' },
    cycles: { type: 'string' },
    snapshots: { type: 'string' },
  },
});

/** Between two looks, ms; a look itself takes some 10 s. */
const phaseMs = values.quick ? 20_000 : 110_000;
const wholeMs = (values.quick ? 2 : Number(values.minutes)) * 60_000;
/** A cycle begins so long after the one before, ms: 1,500 of them in 20 minutes, and the machine is not busy. */
const paceMs = values.cycles !== undefined ? 0 : values.quick ? 1500 : 1900;
/** For each phase; default: as many as time allows. */
const cyclesPerPhase = values.cycles === undefined ? Number.POSITIVE_INFINITY : Number(values.cycles);

const chosen = kinds.filter(({ name }) => values.kind === undefined || name.includes(values.kind));
const failures: string[] = [];
const numbers = new Map<Kind, number>();
let cycles = 0;

async function cycle(gateway: SoakedGateway, worker: number): Promise<void> {
  const kind = chosen[cycles % chosen.length];
  if (kind === undefined) throw new Error(`no kind of cycle is called ${values.kind}`);
  cycles += 1;
  const number = numbers.get(kind) ?? 0;
  numbers.set(kind, number + 1);
  try {
    await kind.run({ gateway, worker, number });
  } catch (thrown) {
    failures.push(`${kind.name} ${number}: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
    process.stderr.write(`${failures.at(-1)}\n`);
  }
}

async function phase(gateway: SoakedGateway): Promise<void> {
  const until = performance.now() + phaseMs;
  const last = cycles + cyclesPerPhase;
  const work = async (worker: number) => {
    while (performance.now() < until && cycles < last) {
      const next = performance.now() + paceMs;
      await cycle(gateway, worker);
      const rest = next - performance.now();
      if (rest > 0) await new Promise((resolve) => setTimeout(resolve, rest));
    }
  };
  await Promise.all(Array.from({ length: workers }, (_, worker) => work(worker)));
  await gateway.closeAll();
}

if (values.snapshots !== undefined) mkdirSync(values.snapshots, { recursive: true });
process.stdout.write(`${describeMachine().join('\n')}\n\n${head}`);
const gateway = await startGateway(values.snapshots);
const samples: PlacedSample[] = [];
const started = performance.now();
async function look(): Promise<void> {
  const sample = { ...(await gateway.sample()), cycles, seconds: (performance.now() - started) / 1000 };
  samples.push(sample);
  process.stdout.write(lineOf(sample));
}
try {
  while (performance.now() - started < wholeMs) {
    await phase(gateway);
    await look();
  }
  const found = verdicts(samples, failures);
  process.stdout.write(`\n${found.map(({ text }) => text).join('\n')}\n`);
  if (found.some(({ isGood }) => !isGood)) process.exitCode = 1;
} finally {
  await gateway.stop();
}
