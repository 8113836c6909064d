// P8: a burst of one session to many readers, and what the rest of the gateway notices of it.
import { Agent, request } from 'node:http';
import WebSocket from 'ws';
import { z } from 'zod';
import { type Order, wordsOf } from '../agents/order.ts';
import { startServer } from '../clients.ts';
import { benchProgram, cpuOf, emitter, type Running, start } from '../processes.ts';
import { atMost, type Family, type Figure, short, WrongResult } from '../report.ts';
import { quantile } from '../rounds.ts';

/** `P8_DELTAS` and `P8_READERS` choose another size. */
const readers = Number(process.env.P8_READERS ?? 100);
const deltas = Number(process.env.P8_DELTAS ?? 20_000);
const aloneMs = 5000;

const sample = 10_000;
const burst = { dialect: 'delta-only', bytes: 50_000, sample, plays: deltas / sample } as const satisfies Order;
/** Longer than any run of this row takes. */
const stream = { dialect: 'delta-only', bytes: 1, sample: 50 * 600, perSecond: 50 } as const satisfies Order;

export const burstToMany: Family = {
  rows: ['P8'],
  how:
    `P8: \`patchbay serve\`; ${deltas} deltas as fast as they are taken, to ${readers} readers of one session in a process ` +
    'of their own, half WebSockets, half event streams. Beside it, a neighbour session streams 50 deltas a second to one ' +
    'WebSocket, and /healthz is asked every 10 ms, in turns with a bare server. Alone: the same for 5 s before the burst. ' +
    'The longest delay of the loop is that of a timer of 1 ms inside the gateway, by the clock and by CPU time.',
  async run(progress) {
    const loopDelay = benchProgram('agents/loop-delay.js');
    const server = await startServer(['--backend', 'pi', '--', ...emitter], ['--import', loopDelay]);
    const bare = start([process.execPath, '--import', loopDelay, benchProgram('agents/bare-server.js')]);
    const bareUrl = Address.parse(await said(bare, '{"type":"ready"')).url;
    const { url, token } = server;
    const probes = { gateway: probe(`${url}/healthz`), bare: probe(bareUrl) };
    const neighbour = await openSession(server, 'neighbour');
    await openSession(server, 'burst');
    const crowd = start([process.execPath, benchProgram('agents/readers.js'), url, token, 'burst', String(readers)]);
    try {
      await said(crowd, '{"type":"open"');
      const socket = await openSession(server, 'burst');
      neighbour.prompt(stream);
      progress('the neighbour alone');
      await wait(1000);
      const begun = performance.now();
      await wait(aloneMs);
      await loopOf(server.program);
      await loopOf(bare);
      const struck = performance.now();
      const cpu = cpuOf(server.program.pid);
      progress('the burst');
      const over = said(crowd, '{"type":"done"');
      socket.prompt(burst);
      const { deltas: got, resets } = Tally.parse(await over);
      const ended = performance.now();
      const spent = cpuOf(server.program.pid) - cpu;
      const loops = { gateway: await loopOf(server.program), bare: await loopOf(bare) };
      const alone = (samples: readonly Sample[]) => within(samples, begun, struck);
      const during = (samples: readonly Sample[]) => within(samples, struck, ended);
      return figures({
        lost: readers * deltas - got,
        resets,
        seconds: (ended - struck) / 1000,
        perDelivery: spent / (readers * deltas),
        loops,
        health: { alone: alone(probes.gateway.samples), during: during(probes.gateway.samples) },
        bare: { alone: alone(probes.bare.samples), during: during(probes.bare.samples) },
        neighbour: { alone: alone(neighbour.samples), during: during(neighbour.samples) },
      });
    } finally {
      probes.gateway.stop();
      probes.bare.stop();
      neighbour.close();
      // Its run would hold the server's end up.
      await fetch(`${url}/v1/sessions/neighbour`, { method: 'DELETE', headers: { authorization: `Bearer ${token}` } });
      await Promise.all([crowd.stop(), bare.stop(), server.program.stop()]);
    }
  },
};

const Address = z.looseObject({ url: z.string() });
const Tally = z.looseObject({ deltas: z.int(), resets: z.int() });
const Loop = z.looseObject({ longestMs: z.number(), busiestMs: z.number() });

/** One measurement: when it was complete, and how long it took, ms. */
interface Sample {
  readonly at: number;
  readonly ms: number;
}

interface Pair {
  readonly alone: readonly number[];
  readonly during: readonly number[];
}

interface Outcome {
  readonly lost: number;
  readonly resets: number;
  readonly seconds: number;
  readonly perDelivery: number;
  readonly loops: Readonly<Record<'gateway' | 'bare', z.output<typeof Loop>>>;
  readonly health: Pair;
  readonly bare: Pair;
  readonly neighbour: Pair;
}

function figures({ lost, resets, seconds, perDelivery, loops, health, bare, neighbour }: Outcome): Figure[] {
  const what = `${deltas} deltas to ${readers} readers`;
  const p99 = (values: readonly number[]) => quantile(values, 0.99);
  const both = ({ alone, during }: Pair) =>
    `p99 ${short(p99(alone))} ms alone, ${short(p99(during))} ms during; longest ${short(Math.max(...alone))}, ${short(Math.max(...during))} ms`;
  if (neighbour.during.length === 0 || health.during.length === 0) throw new WrongResult('nothing was measured');
  return [
    {
      row: 'P8',
      what: `${what}: deltas lost`,
      value: lost,
      unit: '',
      goal: atMost(0),
      wrong: lost !== 0,
      detail: `${resets} readers were reset; ${short(seconds)} s`,
    },
    {
      row: 'P8',
      what: `${what}: longest loop delay`,
      value: loops.gateway.longestMs,
      unit: 'ms',
      goal: atMost(25),
      detail: `in CPU time ${short(loops.gateway.busiestMs)} ms; bare server: ${short(loops.bare.longestMs)} ms, in CPU time ${short(loops.bare.busiestMs)} ms`,
    },
    {
      row: 'P8',
      what: `${what}: p99 of /healthz`,
      value: p99(health.during),
      unit: 'ms',
      goal: atMost(50),
      detail: `${both(health)}; bare server: ${both(bare)}`,
    },
    {
      row: 'P8',
      what: `${what}: p99 of a neighbour at 50/s, against alone`,
      value: p99(neighbour.during) / p99(neighbour.alone),
      unit: 'x',
      goal: atMost(2),
      detail: both(neighbour),
    },
    { row: 'P8', what: `${what}: us of CPU per delivered delta`, value: perDelivery, unit: 'us' },
  ];
}

function within(samples: readonly Sample[], from: number, to: number): readonly number[] {
  return samples.filter(({ at }) => at >= from && at < to).map(({ ms }) => ms);
}

/** The line that begins in that way. */
async function said(program: Running, beginning: string): Promise<unknown> {
  const text = Buffer.concat(await program.until(beginning)).toString();
  return JSON.parse(text.slice(text.indexOf(beginning)).split('\n')[0] ?? '');
}

async function loopOf(program: Running): Promise<z.output<typeof Loop>> {
  const answer = said(program, '{"type":"loop"');
  program.signal('SIGUSR2');
  return Loop.parse(await answer);
}

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Asks again and again, over one connection. An answer that has not come yet counts once it comes. */
function probe(address: string): { readonly samples: Sample[]; stop(): void } {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const samples: Sample[] = [];
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  function ask(): void {
    const start = performance.now();
    request(address, { agent }, (response) => {
      response.resume().on('end', () => {
        const at = performance.now();
        samples.push({ at, ms: at - start });
        if (!isOver) timer = setTimeout(ask, 10);
      });
    })
      .on('error', () => {})
      .end();
  }
  ask();
  return {
    samples,
    stop() {
      isOver = true;
      clearTimeout(timer);
      agent.destroy();
    },
  };
}

/** A WebSocket of a session of that name, which is opened if there is none. */
async function openSession({ url, token }: Awaited<ReturnType<typeof startServer>>, id: string) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  await fetch(`${url}/v1/sessions`, { method: 'POST', headers, body: JSON.stringify({ id }) });
  const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/claude/ws?session=${id}`, [`bearer.${token}`], {
    perMessageDeflate: false,
  });
  const samples: Sample[] = [];
  socket.on('message', (frame: Buffer) => {
    const stamp = /"text":"(\d{9,}) "/u.exec(frame.subarray(0, 512).toString('latin1'))?.[1];
    if (stamp === undefined) return;
    const now = process.hrtime.bigint();
    samples.push({ at: performance.now(), ms: Number(now - BigInt(stamp)) / 1e6 });
  });
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  return {
    samples,
    prompt: (order: Order) =>
      socket.send(JSON.stringify({ type: 'user', message: { role: 'user', content: wordsOf(order) } })),
    close: () => socket.terminate(),
  };
}
