// P10: many sessions at once, each at its own pace, through the gateway and through a bare relay.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import type { Order } from '../agents/order.ts';
import { claudePrompt, piPrompt, startServer } from '../clients.ts';
import { benchProgram, cpuOf, peakOf, residentOf, start } from '../processes.ts';
import { atMost, type Family, type Figure, none, short } from '../report.ts';
import { sized } from '../size.ts';
import { said } from '../watch.ts';

interface Size {
  readonly sessions: number;
  readonly seconds: number;
  /** The bounds of p50 and p99 against the relay's. */
  readonly delays?: Pick<Figure, 'goal' | 'moonshot'>;
  /** The bounds of the CPU time against the relay's. */
  readonly cost?: Pick<Figure, 'goal' | 'moonshot'>;
}

/** Why goals are missed. */
const whys = {
  delays:
    'the thread of the gateway is busy for longer than the relay’s with the same reads, so a delta waits longer for its turn, and a ' +
    'collection of the young generation stops all sessions for 5 to 10 ms; no timer and no lock is involved.',
  cost:
    'with one delta a read nothing travels together: each delta is a read, a wake-up, a session whose state has left the ' +
    'caches, and a write, where the relay has the read and the write alone.',
} as const;

const perSecond = 50;
const sizes: readonly Size[] = sized<readonly Size[]>(
  [
    { sessions: 100, seconds: 10, delays: { goal: atMost(1.3, whys.delays), moonshot: atMost(1.1) } },
    { sessions: 300, seconds: 10, cost: { goal: atMost(1.5, whys.cost), moonshot: atMost(1.2) } },
    { sessions: 1000, seconds: 20 },
  ],
  [{ sessions: 20, seconds: 2 }],
);
/** Time before that is not counted, s: V8 compiles meanwhile, on both sides. */
const warmUp = sized(5, 1);

const Address = z.looseObject({ url: z.string() });
const Over = z.looseObject({ seconds: z.number() });
const Done = z.looseObject({ deltas: z.int(), p50: z.number(), p99: z.number(), longest: z.number() });

export const manySessions: Family = {
  rows: ['P10'],
  how:
    `P10: ${sizes.map(({ sessions, seconds }) => `${sessions} sessions for ${seconds} s`).join(', ')}; each session's agent ` +
    `says ${perSecond} stamped deltas a second to one WebSocket. The agents are one process, each a WebSocket of its own ` +
    'from the gateway (`url` in patchbay.json): as many processes would be what is measured. The clients are one process ' +
    'too. In turns with the gateway, half of the time before it and half after: a relay with `ws` that has a connection ' +
    `to the agent for each client and passes messages on unread. CPU time, memory and delays from second ${warmUp} on, until ` +
    'then V8 compiles; up to the last delta.',
  async *run(progress) {
    for (const size of sizes) {
      const half = { ...size, seconds: size.seconds / 2 };
      progress(`${size.sessions} sessions`);
      const before = await turn(half, startRelay);
      const ours = await turn(size, startGateway);
      const after = await turn(half, startRelay);
      yield* figures(size, ours, [before, after]);
    }
  },
};

/** A program between the agents and the clients. */
interface Middle {
  readonly pid: number;
  /** Where clients connect, and the subprotocol that lets them in. */
  readonly address: string;
  readonly protocol: string;
  prompt(order: Order): string;
  stop(): Promise<void>;
}

async function startRelay(agent: string): Promise<Middle> {
  const relay = start([process.execPath, benchProgram('agents/relay-sockets.js'), agent]);
  const { url } = Address.parse(await said(relay, '{"type":"ready"'));
  return { pid: relay.pid, address: url.replace('ws:', 'http:'), protocol: 'pi', prompt: piPrompt, stop: relay.stop };
}

async function startGateway(agent: string): Promise<Middle> {
  const folder = mkdtempSync(path.join(tmpdir(), 'patchbay-bench-'));
  const config = path.join(folder, 'patchbay.json');
  // Its runs are open when it is stopped.
  const limits = { sessions: 2000, perToken: { agents: 2000 }, drainMs: 0 };
  writeFileSync(config, JSON.stringify({ agents: { many: { protocol: 'pi', url: agent } }, limits }));
  const { program, url, token } = await startServer(['--config', config, '--agent', 'many']);
  return {
    pid: program.pid,
    address: `${url}/v1/claude/ws`,
    protocol: `bearer.${token}`,
    prompt: claudePrompt,
    async stop() {
      await program.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** CPU time in us, memory in bytes, delays in ms. */
interface Turn extends z.output<typeof Done> {
  readonly lost: number;
  readonly cpu: number;
  /** How long the agents took to say it all. */
  readonly seconds: number;
  readonly memory: Readonly<Record<'before' | 'after' | 'peak', number>>;
}

async function turn({ sessions, seconds }: Size, open: (agent: string) => Promise<Middle>): Promise<Turn> {
  const agents = start([process.execPath, benchProgram('agents/many-pis.js'), String(sessions), String(warmUp)]);
  const middle = await open(Address.parse(await said(agents, '{"type":"ready"')).url);
  const order: Order = { dialect: 'delta-only', bytes: 1, sample: (warmUp + seconds) * perSecond, perSecond };
  const { pid, address, protocol, prompt } = middle;
  const prompted = said(agents, '{"type":"prompted"');
  const clients = start([
    process.execPath,
    benchProgram('agents/many-clients.js'),
    ...[address, protocol, String(sessions), prompt(order), String(order.sample), String(warmUp * perSecond)],
  ]);
  try {
    await said(clients, '{"type":"open"');
    await prompted;
    const done = said(clients, '{"type":"done"');
    const warm = said(agents, '{"type":"warm"');
    agents.send('go');
    await warm;
    const over = said(agents, '{"type":"over"');
    const cpu = cpuOf(pid);
    const before = residentOf(pid);
    const took = Over.parse(await over);
    const outcome = Done.parse(await done);
    const memory = { before, after: residentOf(pid), peak: peakOf(pid) };
    const lost = sessions * order.sample - outcome.deltas;
    return { ...outcome, lost, cpu: cpuOf(pid) - cpu, seconds: took.seconds - warmUp, memory };
  } finally {
    await clients.stop();
    await middle.stop();
    await agents.stop();
  }
}

function figures({ sessions, seconds, delays, cost }: Size, ours: Turn, relay: readonly [Turn, Turn]): Figure[] {
  const what = `${sessions} sessions x ${perSecond}/s x ${seconds} s`;
  const deltas = sessions * perSecond * seconds;
  const relayCpu = (relay[0].cpu + relay[1].cpu) / deltas;
  const core = (cpu: number, took: number) => `${short(cpu / took / 10_000)} % of a core`;
  const megabytes = (bytes: number) => bytes / 1024 ** 2;
  const both = (pick: (turn: Turn) => number) => relay.map((turn) => short(pick(turn))).join(' and ');
  const mean = (pick: (turn: Turn) => number) => (pick(relay[0]) + pick(relay[1])) / 2;
  const memoryOf = ({ memory }: Turn) => `${short(megabytes(memory.before))} -> ${short(megabytes(memory.after))} MB`;
  return [
    {
      row: 'P10',
      what: `${what}: deltas lost`,
      value: ours.lost,
      unit: '',
      goal: none,
      wrong: ours.lost !== 0,
      detail: `relay ${both(({ lost }) => lost)}; the agents took ${short(ours.seconds)} s, with the relay ${both((turn) => turn.seconds)} s`,
    },
    {
      row: 'P10',
      what: `${what}: p50, against the relay`,
      value: ours.p50 / mean(({ p50 }) => p50),
      unit: 'x',
      ...delays,
      detail: `ms: gateway ${short(ours.p50)}, relay ${both(({ p50 }) => p50)}`,
    },
    {
      row: 'P10',
      what: `${what}: p99, against the relay`,
      value: ours.p99 / mean(({ p99 }) => p99),
      unit: 'x',
      ...delays,
      detail:
        `ms: gateway ${short(ours.p99)}, relay ${both(({ p99 }) => p99)}; longest ${short(ours.longest)}, ` +
        `relay ${both(({ longest }) => longest)}`,
    },
    {
      row: 'P10',
      what: `${what}: CPU, against the relay`,
      value: ours.cpu / deltas / relayCpu,
      unit: 'x',
      ...cost,
      detail:
        `us for each delta: gateway ${short(ours.cpu / deltas)}, relay ${short(relayCpu)}; gateway ${core(ours.cpu, ours.seconds)}, ` +
        `relay ${core(relay[0].cpu + relay[1].cpu, relay[0].seconds + relay[1].seconds)}`,
    },
    {
      row: 'P10',
      what: `${what}: resident memory at the end`,
      value: megabytes(ours.memory.after),
      unit: 'MB',
      detail: `${memoryOf(ours)}, peak ${short(megabytes(ours.memory.peak))} MB; relay ${relay.map(memoryOf).join(' and ')}`,
    },
  ];
}
