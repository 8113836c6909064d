// What the rest of a gateway notices of a load: its health, a neighbour session, and its own event loop.
import { Agent, request } from 'node:http';
import WebSocket from 'ws';
import { z } from 'zod';
import { type Order, wordsOf } from './agents/order.ts';
import type { startServer } from './clients.ts';
import type { Running } from './processes.ts';
import { short } from './report.ts';
import { quantile } from './rounds.ts';

type Server = Awaited<ReturnType<typeof startServer>>;

/** One measurement: when it was complete, and how long it took, ms. */
export interface Sample {
  readonly at: number;
  readonly ms: number;
}

/** A stretch of time on this process's clock, ms. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** The durations that fall into any of the stretches, ms. */
export function within(samples: readonly Sample[], stretches: readonly Stretch[]): readonly number[] {
  return samples.filter(({ at }) => stretches.some(({ from, to }) => at >= from && at < to)).map(({ ms }) => ms);
}

/** Its 99th percentile and its maximum in words. */
export function tail(values: readonly number[]): string {
  if (values.length === 0) return 'not measured';
  return `p99 ${short(quantile(values, 0.99))} ms, longest ${short(Math.max(...values))} ms`;
}

const Loop = z.looseObject({
  longestMs: z.number(),
  waitedMs: z.number(),
  busiestMs: z.number(),
  raresMs: z.number(),
  collected: z.object({ count: z.number(), ms: z.number(), longestMs: z.number(), inBusiestMs: z.number() }),
});
/** How long the loop of a program was busy in one go since it was last asked. */
export type Loop = z.output<typeof Loop>;

/** Of a program that was started with `agents/loop-delay.js`. */
export async function loopOf(program: Running): Promise<Loop> {
  const answer = said(program, '{"type":"loop"');
  program.signal('SIGUSR2');
  return Loop.parse(await answer);
}

/** The line that begins in that way. */
export async function said(program: Running, beginning: string): Promise<unknown> {
  const text = Buffer.concat(await program.until(beginning)).toString();
  return JSON.parse(text.slice(text.indexOf(beginning)).split('\n')[0] ?? '');
}

export const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** The longest delay of the event loop that the gateway itself has measured since it was last asked, ms. */
export async function ownLoopDelay({ url, token }: Server): Promise<number> {
  const response = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } });
  const found = /^patchbay_event_loop_delay_seconds\{quantile="1"\} (\S+)$/mu.exec(await response.text())?.[1];
  return Number(found ?? Number.NaN) * 1000;
}

/** Asks again and again, over one connection. An answer that has not come yet counts once it comes. */
export function probe(address: string): { readonly samples: Sample[]; stop(): void } {
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

/** A WebSocket of a session of that name, which is opened if there is none. Samples are the delays of stamped deltas. */
export async function openSession({ url, token }: Server, id: string) {
  const authorization = `Bearer ${token}`;
  const headers = { authorization, 'content-type': 'application/json' };
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
    /** All frames up to the end of the next run. */
    untilResult: () =>
      new Promise<readonly string[]>((resolve) => {
        const frames: string[] = [];
        const hear = (frame: Buffer) => {
          const text = frame.toString();
          frames.push(text);
          if (!text.startsWith('{"type":"result"')) return;
          socket.off('message', hear);
          resolve(frames);
        };
        socket.on('message', hear);
      }),
    /** Ends the session too: an open run would hold the server's end up. */
    async close() {
      socket.terminate();
      await fetch(`${url}/v1/sessions/${id}`, { method: 'DELETE', headers: { authorization } });
    },
  };
}
