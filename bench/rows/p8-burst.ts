// P8: a burst of one session to many readers, and what the rest of the gateway notices of it.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import type { Order } from '../agents/order.ts';
import { startServer } from '../clients.ts';
import { benchProgram, cpuOf, emitter, type Running, start } from '../processes.ts';
import { atMost, type Family, type Figure, none, short, WrongResult } from '../report.ts';
import { quantile } from '../rounds.ts';
import { sized } from '../size.ts';
import {
  type Loop,
  loopOf,
  openSession,
  ownLoopDelay,
  probe,
  type Stretch,
  said,
  tail,
  wait,
  within,
} from '../watch.ts';

interface Size {
  readonly deltas: number;
  readonly readers: number;
  /** Only the cost is asked for. */
  readonly isCostAlone?: boolean;
}

const sizes: readonly Size[] = sized(
  [
    { deltas: 100_000, readers: 1, isCostAlone: true },
    { deltas: 100_000, readers: 10, isCostAlone: true },
    { deltas: 50_000, readers: 100 },
    { deltas: 20_000, readers: 1000 },
  ],
  [
    { deltas: 5000, readers: 1, isCostAlone: true },
    { deltas: 10_000, readers: 20 },
  ],
);
/** Frames that the relay delivers in one of its turns, at most: it takes long, and each costs it the same. */
const mostRelayed = sized(2_000_000, 100_000);
const aloneMs = sized(10_000, 1000);

const sample = 5000;
const once = { dialect: 'delta-only', bytes: 25_000, sample } as const satisfies Order;
/** Longer than any run of this row takes. */
const stream = { dialect: 'delta-only', bytes: 1, sample: 50 * 600, perSecond: 50 } as const satisfies Order;

/** Why goals are missed. */
const whys = {
  cost:
    'each reader has a write of its own for each turn: 270 to 630 of them for 50,000 deltas. The kernel’s part of these writes ' +
    'takes 10 to 15 us a delta for 100 readers, and the first such run of a process costs twice the later ones, for V8 ' +
    'compiles meanwhile; the relay that writes once a read pays the kernel’s part too.',
  turn:
    'one turn writes to every reader that has room, and a write costs the same for each; the machine has two cores, and ' +
    'the readers, the agent and the probes ask for them too.',
  cores:
    'the readers’ process takes a core for itself while it looks at every byte, so gateway, agent and probe share the ' +
    'other; the bare server and the relay beside it show how much of the figure that is.',
} as const;

const Address = z.looseObject({ url: z.string() });
const Tally = z.looseObject({ deltas: z.int(), resets: z.int() });

export const burstToMany: Family = {
  rows: ['P8'],
  how:
    `P8: \`patchbay serve\`; ${sizes.map(({ deltas, readers }) => `${deltas} deltas to ${readers}`).join(' and ')} readers of ` +
    'one session, as fast as they are taken. The readers are in a process of their own, half WebSockets, half event ' +
    'streams, and look at every byte. Before it and after it: a bare relay with `ws` that sends the same frames to as ' +
    'many WebSockets, and once one that writes the frames of each read as one, past `ws`. All the time a neighbour session streams 50 deltas a second to one WebSocket, and ' +
    `/healthz and a bare server are asked every 10 ms; alone: ${aloneMs / 1000} s before. The loop's delay is the gateway's own ` +
    'figure; CPU time of one turn and collections are measured by a timer of 1 ms inside it.',
  async *run(progress) {
    const loopDelay = benchProgram('agents/loop-delay.js');
    const folder = mkdtempSync(path.join(tmpdir(), 'patchbay-bench-'));
    const server = await startServer(['--backend', 'pi', '--', ...emitter], ['--import', loopDelay]);
    const bare = start([process.execPath, '--import', loopDelay, benchProgram('agents/bare-server.js')]);
    const bareUrl = Address.parse(await said(bare, '{"type":"ready"')).url;
    const probes = { gateway: probe(`${server.url}/healthz`), bare: probe(bareUrl) };
    const neighbour = await openSession(server, 'neighbour');
    try {
      const frames = path.join(folder, 'frames');
      writeFileSync(frames, await framesOf(server));
      neighbour.prompt(stream);
      progress('the neighbour alone');
      await wait(1000);
      const alone = { from: performance.now(), to: performance.now() + aloneMs };
      await wait(aloneMs);
      for (const size of sizes) {
        progress(`${size.deltas} deltas to ${size.readers} readers`);
        const { relayed, during, ...burst } = await compare(server, bare, frames, size);
        const at = (samples: Parameters<typeof within>[0]) => ({
          alone: within(samples, [alone]),
          relayed: within(samples, relayed),
          during: within(samples, [during]),
        });
        const seen = {
          health: at(probes.gateway.samples),
          bare: at(probes.bare.samples),
          neighbour: at(neighbour.samples),
        };
        yield* figures(size, { ...burst, ...seen, seconds: (during.to - during.from) / 1000 });
      }
    } finally {
      probes.gateway.stop();
      probes.bare.stop();
      await neighbour.close();
      await Promise.all([bare.stop(), server.program.stop()]);
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

/** The frames of all deltas that a client of the gateway gets for one play of the sample, one a line. */
async function framesOf(server: Awaited<ReturnType<typeof startServer>>): Promise<string> {
  const session = await openSession(server, 'model');
  const frames = session.untilResult();
  session.prompt(once);
  const deltas = (await frames).filter((frame) => frame.includes('"content_block_delta"'));
  await session.close();
  if (deltas.length !== sample) throw new WrongResult(`${deltas.length} deltas of ${sample} arrived`);
  return deltas.map((frame) => `${frame.trimEnd()}\n`).join('');
}

/** The gateway, and before and after it the relay with half of the deltas each. */
async function compare(
  server: Awaited<ReturnType<typeof startServer>>,
  bare: Running,
  frames: string,
  { deltas, readers }: Size,
) {
  const plays = deltas / sample;
  const relayed = Math.min(deltas / 2, mostRelayed / readers);
  const script = 'while :; do cat "$2" || exit; done 2>/dev/null | head -n "$1"; echo "$3"';
  const player = ['sh', '-c', script, 'sh', String(relayed), frames, '{"type":"result"}'];
  const relayOf = (way: string) => start([process.execPath, benchProgram('agents/broadcast.js'), way, ...player]);
  const [relay, floor] = [relayOf('each'), relayOf('joined')];
  const [relayUrl, floorUrl] = await Promise.all([urlOf(relay), urlOf(floor)]);
  const session = await openSession(server, 'burst');
  const readersOf = (url: string, token: string, kinds: string) =>
    start([process.execPath, benchProgram('agents/readers.js'), url, token, 'burst', String(readers), kinds]);
  const crowd = readersOf(server.url, server.token, 'both');
  const crowdOfRelay = readersOf(relayUrl, '-', 'sockets');
  const crowdOfFloor = readersOf(floorUrl, '-', 'sockets');
  try {
    await Promise.all([crowd, crowdOfRelay, crowdOfFloor].map((one) => said(one, '{"type":"open"')));
    const before = await play(relay.pid, crowdOfRelay, () => relay.send('play'));
    await Promise.all([loopOf(server.program), loopOf(bare), ownLoopDelay(server)]);
    const ours = await play(server.program.pid, crowd, () => session.prompt({ ...once, plays }));
    const loops = { gateway: await loopOf(server.program), bare: await loopOf(bare), own: await ownLoopDelay(server) };
    const after = await play(relay.pid, crowdOfRelay, () => relay.send('play'));
    const least = await play(floor.pid, crowdOfFloor, () => floor.send('play'));
    const expected = readers * deltas;
    const byRelay = relayed * readers;
    if ([before, after, least].some((turn) => turn.deltas !== byRelay))
      throw new WrongResult('the bare relay has lost deltas');
    return {
      lost: expected - ours.deltas,
      resets: ours.resets,
      cpu: {
        gateway: ours.cpu / expected,
        relay: (before.cpu + after.cpu) / (2 * byRelay),
        floor: least.cpu / byRelay,
      },
      loops,
      during: ours.stretch,
      relayed: [before.stretch, after.stretch],
    };
  } finally {
    const programs = [crowd, crowdOfRelay, crowdOfFloor, relay, floor];
    await Promise.all([session.close(), ...programs.map((program) => program.stop())]);
  }
}

const urlOf = async (program: Running) => Address.parse(await said(program, '{"type":"ready"')).url;

/** One turn of a side; its CPU time is that of the process with this id, us. */
async function play(pid: number, crowd: Running, begin: () => void) {
  const from = performance.now();
  const spent = cpuOf(pid);
  const over = said(crowd, '{"type":"done"');
  begin();
  const { deltas, resets } = Tally.parse(await over);
  const stretch: Stretch = { from, to: performance.now() };
  return { deltas, resets, cpu: cpuOf(pid) - spent, stretch };
}

/** Durations: with nothing else going on, beside the relay's turns, during the burst; ms. */
interface Watched {
  readonly alone: readonly number[];
  readonly relayed: readonly number[];
  readonly during: readonly number[];
}

interface Outcome {
  readonly lost: number;
  readonly resets: number;
  readonly seconds: number;
  readonly cpu: Readonly<Record<'gateway' | 'relay' | 'floor', number>>;
  readonly loops: Readonly<{ gateway: Loop; bare: Loop; own: number }>;
  readonly health: Watched;
  readonly bare: Watched;
  readonly neighbour: Watched;
}

function figures({ deltas, readers, isCostAlone = false }: Size, outcome: Outcome): Figure[] {
  const { lost, resets, seconds, cpu, loops, health, bare, neighbour } = outcome;
  const { gateway, own } = loops;
  const { collected } = gateway;
  const row = (figure: Omit<Figure, 'row'>): Figure => ({
    ...figure,
    row: 'P8',
    what: `${deltas} deltas to ${readers} readers: ${figure.what}`,
  });
  const p99 = (values: readonly number[]) => quantile(values, 0.99);
  const all = ({ alone, relayed, during }: Watched) =>
    `alone ${tail(alone)}; beside the relay ${tail(relayed)}; during ${tail(during)}`;
  const cost = row({
    what: 'CPU for a delta, all readers together',
    value: cpu.gateway * readers,
    unit: 'us',
    ...(readers === 100 && { goal: atMost(20, whys.cost), moonshot: atMost(12) }),
    detail: `us for each of them: gateway ${short(cpu.gateway)}, relay ${short(cpu.relay)}, relay with one write a read ${short(cpu.floor)}`,
    points: (['gateway', 'relay', 'floor'] as const).map((side) => ({
      plot: 'readers',
      line: ({ gateway: 'patchbay', relay: 'peer', floor: 'floor' } as const)[side],
      x: readers,
      y: cpu[side] * readers,
    })),
  });
  if (isCostAlone) {
    if (lost > 0) throw new WrongResult(`${lost} deltas were lost`);
    return [cost];
  }
  if (neighbour.during.length === 0 || health.during.length === 0) throw new WrongResult('nothing was measured');
  return [
    cost,
    row({
      what: 'deltas lost',
      value: lost,
      unit: '',
      goal: none,
      wrong: lost !== 0,
      detail: `${resets} readers were reset; ${short(seconds)} s`,
    }),
    row({
      what: 'longest loop delay',
      value: own,
      unit: 'ms',
      goal: atMost(25, whys.turn),
      detail:
        `by a timer of 1 ms ${short(gateway.longestMs)} ms, of which it waited for a core ${short(gateway.waitedMs)} ms; ` +
        `bare server ${short(loops.bare.longestMs)} ms`,
    }),
    row({
      what: 'CPU time of the longest turn',
      value: gateway.busiestMs,
      unit: 'ms',
      goal: atMost(25, whys.turn),
      detail:
        `one turn in a thousand takes ${short(gateway.raresMs)} ms; ${collected.count} collections take ${short(collected.ms)} ms ` +
        `(${short(collected.ms / seconds / 10)} % of the time), the longest ${short(collected.longestMs)} ms, in that turn ` +
        `${short(collected.inBusiestMs)} ms; bare server ${short(loops.bare.busiestMs)} ms`,
    }),
    row({
      what: 'p99 of /healthz',
      value: p99(health.during),
      unit: 'ms',
      goal: atMost(50, whys.cores),
      detail: `${all(health)}. Bare server: ${all(bare)}`,
    }),
    row({
      what: 'p99 of a neighbour at 50/s, against alone',
      value: p99(neighbour.during) / p99(neighbour.alone),
      unit: 'x',
      goal: atMost(2, whys.cores),
      detail: all(neighbour),
    }),
    row({
      what: 'CPU for a delivered delta, against a bare relay with ws',
      value: cpu.gateway / cpu.relay,
      unit: 'x',
      detail: `us: gateway ${short(cpu.gateway)}, relay ${short(cpu.relay)}`,
    }),
  ];
}
