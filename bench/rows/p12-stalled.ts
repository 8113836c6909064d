// P12: clients that do not read, and what the others and the memory of the gateway notice of them.
import { z } from 'zod';
import type { Order } from '../agents/order.ts';
import { openRawSocket, type RawSocket } from '../agents/raw-socket.ts';
import { piPrompt, startServer } from '../clients.ts';
import { benchProgram, emitter, peakOf, type Running, residentOf, start } from '../processes.ts';
import { atMost, type Family, type Figure, short } from '../report.ts';
import { sized } from '../size.ts';
import { said } from '../watch.ts';

const stalled = sized(50, 12);
const runs = sized(50, 12);
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
    `P12: \`patchbay serve\`, one session of ${runs} runs of ${messages} messages, each of 100 stamped deltas of 2 KB at up to ` +
    `4000 a second, the conversation begun anew for each run. ${stalled} clients stop reading after their first frames, the ` +
    'others, one for each, read on: Claude and pi (delta-only), each by WebSocket and by event stream. Before and after it, ' +
    'with a fresh gateway each: half of the runs without the stalled ones. Once all is over the stalled ones read again.',
  async *run(progress) {
    progress('without stalled clients');
    const before = await turn(runs / 2, 0);
    progress(`with ${stalled}`);
    const ours = await turn(runs, stalled);
    progress('without');
    const after = await turn(runs / 2, 0);
    yield* figures(ours, [before, after]);
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

async function turn(count: number, idlers: number): Promise<Turn> {
  const server = await startServer(['--backend', 'pi', '--', ...emitter]);
  const { url, token, program } = server;
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  await fetch(`${url}/v1/sessions`, { method: 'POST', headers, body: JSON.stringify({ id: 'long' }) });
  const agent = (name: string, last: string) =>
    start([process.execPath, benchProgram(`agents/${name}.js`), url, token, 'long', last]);
  const others = agent('others', String(count));
  let idle: Running | null = null;
  try {
    await said(others, '{"type":"open"');
    if (idlers > 0) {
      idle = agent('stalled', String(idlers));
      await said(idle, '{"type":"stalled"');
    }
    const before = residentOf(program.pid);
    const done = said(others, '{"type":"done"');
    const from = performance.now();
    const [outcome] = await Promise.all([done.then((word) => Done.parse(word)), play(server, count)]);
    const seconds = (performance.now() - from) / 1000;
    const memory = { before, after: residentOf(program.pid), peak: peakOf(program.pid) };
    const agentBytes = await readFromAgents(server);
    let told: Turn['told'] = null;
    if (idle !== null) {
      const answer = said(idle, '{"type":"told"');
      idle.send('read');
      told = Told.parse(await answer);
    }
    return { ...outcome, lost: clients * count * deltasOfRun - outcome.deltas, seconds, agentBytes, memory, told };
  } finally {
    await Promise.all([others.stop(), idle?.stop()]);
    await program.stop();
  }
}

/** Carries out the runs, one after the other, as a client of pi. */
function play({ url, token }: Server, count: number): Promise<void> {
  return new Promise((resolve, reject) => {
    let left = count;
    let socket: RawSocket | undefined;
    function next(): void {
      left -= 1;
      socket?.send(piPrompt(order));
    }
    openRawSocket(`${url}/v1/pi/ws?session=long&dialect=delta-only`, `bearer.${token}`, {
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

function figures(ours: Turn, without: readonly [Turn, Turn]): Figure[] {
  const what = `${stalled} stalled clients`;
  const megabytes = (bytes: number) => bytes / 1024 ** 2;
  const growth = ({ memory }: Turn) => megabytes(memory.peak - memory.before);
  const most = (pick: (turn: Turn) => number) => Math.max(...without.map(pick));
  const told = Object.entries(ours.told?.counts ?? {}).map(([words, count]) => `${count} x ${words}`);
  const both = (pick: (turn: Turn) => number) => without.map((turn) => short(pick(turn))).join(' and ');
  const isToldAll = ours.told?.counts.nothing === undefined;
  return [
    {
      row: 'P12',
      what: `${what}: deltas lost by the others`,
      value: ours.lost,
      unit: '',
      goal: atMost(0),
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
      detail: `peak above the start: ${short(growth(ours))} MB with, ${both(growth)} MB without; ${short(megabytes(ours.memory.before))} MB before`,
    },
    {
      row: 'P12',
      what: `${what}: of them told nothing`,
      value: ours.told?.counts.nothing ?? 0,
      unit: '',
      goal: atMost(0),
      wrong: !isToldAll,
      detail: `${told.join(', ')}; ${short(megabytes(ours.told?.bytes ?? 0))} MB read then`,
    },
    {
      row: 'P12',
      what: `${what}: p99 of the others, against without, after the first 4 s`,
      value: ours.late.p99 / most(({ late }) => late.p99),
      unit: 'x',
      goal: atMost(2),
      detail:
        `ms: p50 ${short(ours.late.p50)}, without ${both(({ late }) => late.p50)}; p99 ${short(ours.late.p99)}, without ` +
        `${both(({ late }) => late.p99)}; in the first 4 s p99 ${short(ours.early.p99)}, longest ${short(ours.early.longest)}, without ` +
        `${both(({ early }) => early.p99)} and longest ${both(({ early }) => early.longest)}`,
    },
  ];
}
