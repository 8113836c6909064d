// P12: clients that do not read, and what the others and the memory of the gateway notice of them.
import { z } from 'zod';
import type { Order } from '../agents/order.ts';
import { openRawSocket, type RawSocket } from '../agents/raw-socket.ts';
import { piPrompt, startServer } from '../clients.ts';
import { benchProgram, emitter, peakOf, residentOf, start } from '../processes.ts';
import { atMost, type Family, type Figure, none, short } from '../report.ts';
import { isQuick, sized } from '../size.ts';
import { said } from '../watch.ts';

interface Size {
  readonly sessions: number;
  /** Clients of each session that stop reading. */
  readonly stalled: number;
  /** Runs of each session. */
  readonly runs: number;
  readonly growth?: Pick<Figure, 'goal' | 'moonshot'>;
  /** The bound of the others' p99 against that without stalled clients. */
  readonly slower: number;
}

const growthWhy =
  'the window of a dialect keeps what its slowest reader has not read up to its limits, and the allocator gives pages back ' +
  'late: the peak differs by tens of MB between runs without a stalled client too.';
const slowerWhy =
  'a stalled client is patiently waited for once, and the rest is chance: the p99 of two runs without stalled clients differs ' +
  'as much.';
const nothingWhy =
  'a stalled client has nothing to be told while all that was said since fits into the buffers of the kernel and the window.';
const sizes: readonly Size[] = sized<readonly Size[]>(
  [
    { sessions: 1, stalled: 50, runs: 30, slower: 2 },
    {
      sessions: 2,
      stalled: 10,
      runs: 10,
      growth: { goal: atMost(32, growthWhy), moonshot: atMost(16) },
      slower: 1.05,
    },
  ],
  [{ sessions: 1, stalled: 4, runs: 2, slower: 2 }],
);
const clients = 4;
/** 5 MB of text a run, which is below what a session may keep; each message comes three more times with its end. */
const messages = 25;
const order: Order = { dialect: 'delta-only', bytes: 1, sample: 100, messages, perSecond: 4000, padding: 2000 };
const deltasOfRun = messages * order.sample;

const Delays = z.looseObject({ p50: z.number(), p99: z.number(), longest: z.number() });
const Done = z.looseObject({ deltas: z.int(), resets: z.int(), early: Delays, late: Delays });
const Told = z.looseObject({ counts: z.record(z.string(), z.int()), bytes: z.number() });

type Server = Awaited<ReturnType<typeof startServer>>;

export const stalledClients: Family = {
  rows: ['P12'],
  how:
    `P12: \`patchbay serve\`, ${sizes.map(({ sessions, runs }) => `${sessions === 1 ? 'one session' : `${sessions} sessions`} of ${runs} runs`).join(', and ')} ` +
    `of ${messages} messages, each of 100 stamped deltas of 2 KB at up to 4000 a second, the conversation begun ` +
    `anew for each run. ${sizes.map(({ stalled }) => stalled).join(' and ')} clients of each session stop reading after their first ` +
    'frames, the others, one for each kind, read on: Claude and pi (delta-only), each by WebSocket and by event stream. Before and after it, ' +
    'with a fresh gateway each: half of the runs without the stalled ones. Once all is over the stalled ones read again.',
  async *run(progress) {
    for (const size of sizes) {
      const without = { ...size, runs: size.runs / 2, stalled: 0 };
      progress('without stalled clients');
      const before = await turn(without);
      progress(`with ${size.stalled} of each of ${size.sessions} sessions`);
      const ours = await turn(size);
      if (isQuick) yield* figures(size, ours, [before]);
      else {
        progress('without');
        yield* figures(size, ours, [before, await turn(without)]);
      }
    }
  },
};

/** Memory in bytes, times in s. */
interface Turn extends z.output<typeof Done> {
  readonly lost: number;
  readonly seconds: number;
  readonly agentBytes: number;
  readonly memory: Readonly<Record<'before' | 'after' | 'peak', number>>;
  readonly told: z.output<typeof Told> | null;
}

async function turn({ sessions, runs, stalled }: Size): Promise<Turn> {
  const server = await startServer(['--backend', 'pi', '--', ...emitter]);
  const { program } = server;
  const names = Array.from({ length: sessions }, (_, place) => `long-${place}`);
  const opened: Crowd[] = [];
  try {
    for (const name of names) opened.push(await openCrowd(server, name, runs, stalled));
    const before = residentOf(program.pid);
    const from = performance.now();
    const outcomes = await Promise.all(opened.map(({ done }) => done()));
    const seconds = (performance.now() - from) / 1000;
    const memory = { before, after: residentOf(program.pid), peak: peakOf(program.pid) };
    const agentBytes = await readFromAgents(server);
    const told = await Promise.all(opened.flatMap(({ tell }) => (tell === null ? [] : [tell()])));
    const heard = outcomes.reduce((sum, { deltas }) => sum + deltas, 0);
    return {
      deltas: heard,
      resets: outcomes.reduce((sum, { resets }) => sum + resets, 0),
      early: worst(outcomes.map(({ early }) => early)),
      late: worst(outcomes.map(({ late }) => late)),
      lost: sessions * clients * runs * deltasOfRun - heard,
      seconds,
      agentBytes,
      memory,
      told: stalled === 0 ? null : together(told),
    };
  } finally {
    await Promise.all(opened.map(({ stop }) => stop()));
    await program.stop();
  }
}

/** The clients of one session. */
interface Crowd {
  /** Carries out the runs. */
  done(): Promise<z.output<typeof Done>>;
  /** Lets the stalled clients read again; null without them. */
  readonly tell: (() => Promise<z.output<typeof Told>>) | null;
  stop(): Promise<unknown>;
}

async function openCrowd(server: Server, name: string, runs: number, stalled: number): Promise<Crowd> {
  const { url, token } = server;
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  await fetch(`${url}/v1/sessions`, { method: 'POST', headers, body: JSON.stringify({ id: name }) });
  const agent = (program: string, last: number) =>
    start([process.execPath, benchProgram(`agents/${program}.js`), url, token, name, String(last)]);
  const others = agent('others', runs);
  await said(others, '{"type":"open"');
  const idle = stalled === 0 ? null : agent('stalled', stalled);
  if (idle !== null) await said(idle, '{"type":"stalled"');
  return {
    async done() {
      const done = said(others, '{"type":"done"');
      const [outcome] = await Promise.all([done, play(server, name, runs)]);
      return Done.parse(outcome);
    },
    tell:
      idle &&
      (async () => {
        const answer = said(idle, '{"type":"told"');
        idle.send('read');
        return Told.parse(await answer);
      }),
    stop: () => Promise.all([others.stop(), idle?.stop()]),
  };
}

function worst(all: readonly z.output<typeof Delays>[]): z.output<typeof Delays> {
  const most = (name: 'p50' | 'p99' | 'longest') => Math.max(...all.map((delays) => delays[name]));
  return { p50: most('p50'), p99: most('p99'), longest: most('longest') };
}

function together(all: readonly z.output<typeof Told>[]): z.output<typeof Told> {
  const counts = new Map<string, number>();
  for (const [words, count] of all.flatMap((told) => Object.entries(told.counts))) {
    counts.set(words, (counts.get(words) ?? 0) + count);
  }
  return { counts: Object.fromEntries(counts), bytes: all.reduce((sum, { bytes }) => sum + bytes, 0) };
}

/** Carries out the runs, one after the other, as a client of pi. */
function play({ url, token }: Server, name: string, count: number): Promise<void> {
  return new Promise((resolve, reject) => {
    let left = count;
    let socket: RawSocket | undefined;
    function next(): void {
      left -= 1;
      socket?.send(piPrompt(order));
    }
    openRawSocket(`${url}/v1/pi/ws?session=${name}&dialect=delta-only`, `bearer.${token}`, {
      open(opened) {
        socket = opened;
        next();
      },
      message(bytes, start, end) {
        const head = bytes.toString('latin1', start, Math.min(end, start + 200));
        if (head.startsWith('{"id":"renew"')) next();
        if (!head.startsWith('{"type":"agent_settled"')) return;
        if (left > 0) socket?.send('{"id":"renew","type":"new_session"}');
        else {
          resolve();
          socket?.destroy();
        }
      },
      closed: (code, reason) => reject(new Error(`the prompting client was closed: ${code} ${reason}`)),
    });
  });
}

async function readFromAgents({ url, token }: Server): Promise<number> {
  const response = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } });
  const found = /^patchbay_bytes_total\{peer="agent",direction="in"[^}]*\} (\d+)$/mu.exec(await response.text())?.[1];
  return Number(found ?? Number.NaN);
}

function figures(size: Size, ours: Turn, without: readonly Turn[]): Figure[] {
  const { sessions, stalled } = size;
  const what = `${stalled * sessions} stalled clients${sessions === 1 ? '' : ` of ${sessions} sessions`}`;
  const megabytes = (bytes: number) => bytes / 1024 ** 2;
  const growth = ({ memory }: Turn) => megabytes(memory.peak - memory.before);
  const most = (pick: (turn: Turn) => number) => Math.max(...without.map(pick));
  const told = Object.entries(ours.told?.counts ?? {}).map(([words, count]) => `${count} x ${words}`);
  const both = (pick: (turn: Turn) => number) => without.map((turn) => short(pick(turn))).join(' and ');
  return [
    {
      row: 'P12',
      what: `${what}: deltas lost by the others`,
      value: ours.lost,
      unit: '',
      goal: none,
      wrong: ours.lost !== 0,
      detail:
        `${ours.resets} resets; ${short(megabytes(ours.agentBytes))} MB from the agent in ${short(ours.seconds)} s; without: ` +
        `${both(({ lost }) => lost)} lost, ${both(({ seconds }) => seconds)} s`,
    },
    {
      row: 'P12',
      what: `${what}: growth of resident memory, above that without them`,
      value: growth(ours) - most(growth),
      unit: 'MB',
      ...size.growth,
      detail: `peak above the start: ${short(growth(ours))} MB with, ${both(growth)} MB without; ${short(megabytes(ours.memory.before))} MB before`,
    },
    {
      row: 'P12',
      what: `${what}: of them told nothing`,
      value: ours.told?.counts.nothing ?? 0,
      unit: '',
      goal: atMost(0, nothingWhy),
      detail: `${told.join(', ')}; ${short(megabytes(ours.told?.bytes ?? 0))} MB read then`,
    },
    {
      row: 'P12',
      what: `${what}: p99 of the others, against without, after the first 4 s`,
      value: isQuick ? null : ours.late.p99 / most(({ late }) => late.p99),
      unit: 'x',
      goal: atMost(size.slower, slowerWhy),
      detail:
        (isQuick ? 'with --quick the load is over before; ' : '') +
        `ms: p50 ${short(ours.late.p50)}, without ${both(({ late }) => late.p50)}; p99 ${short(ours.late.p99)}, without ` +
        `${both(({ late }) => late.p99)}; in the first 4 s p99 ${short(ours.early.p99)}, longest ${short(ours.early.longest)}, without ` +
        `${both(({ early }) => early.p99)} and longest ${both(({ early }) => early.longest)}`,
    },
  ];
}
