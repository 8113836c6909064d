// I1: what the inspector costs: a delta of a session that a page looks at, of one that no page looks at, and memory.
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import WebSocket from 'ws';
import { z } from 'zod';
import { wordsOf } from '../agents/order.ts';
import { startServer } from '../clients.ts';
import { benchProgram, cpuOf, emitter, residentOf } from '../processes.ts';
import { type Family, short } from '../report.ts';
import { interleave, median } from '../rounds.ts';
import { sized } from '../size.ts';

const plays = sized(10, 2);
const sample = 5000;
const deltas = plays * sample;
const pages = 10;
/** Looks at the memory, one every 250 ms, that must find no less of it. */
const looksAtRest = sized(20, 1);

type Server = Awaited<ReturnType<typeof startServer>>;
const LoggedIn = z.object({ path: z.string() });
const protocol = 'canonical.v1+resume';

export const inspecting: Family = {
  rows: ['I1'],
  how:
    `I1: two \`patchbay serve\`, ${deltas} deltas as fast as they are taken, in turns: with the token a client reads a session of a ` +
    'gateway where no page is logged in; the WebSocket of a page reads one; the client reads another session of the gateway ' +
    `with the page. All of them read the canonical protocol. Memory: ${pages} pages that read one session, after garbage ` +
    'collection, above that with one.',
  async *run(progress) {
    const node = ['--expose-gc', '--import', benchProgram('agents/preload.js')];
    const servers: Server[] = [];
    try {
      const [plain, inspected] = [await served(servers, node), await served(servers, node)];
      const cookie = await loggedIn(inspected);
      const sides = {
        alone: await reading(plain, 'alone'),
        page: await reading(inspected, 'page', cookie),
        beside: await reading(inspected, 'beside'),
      };
      progress('a delta');
      const costs = await interleave(sides);
      const us = (side: keyof typeof sides) => median(costs[side]) / deltas;
      const detail = `us a delta: no page ${short(us('alone'))}, with a page ${short(us('page'))}, another session of its gateway ${short(us('beside'))}`;
      const ratios = (side: 'page' | 'beside') =>
        median(costs[side].map((cost, round) => cost / (costs.alone[round] ?? Number.NaN)));
      yield {
        row: 'I1',
        what: 'CPU for a delta that a page looks at, against no page',
        value: ratios('page'),
        unit: 'x',
        detail,
      };
      yield {
        row: 'I1',
        what: 'CPU for a delta of another session, against no page',
        value: ratios('beside'),
        unit: 'x',
        detail,
      };
      progress('memory');
      const one = await settled(inspected);
      for (let page = 1; page < pages; page += 1) await reading(inspected, 'page', await loggedIn(inspected));
      await sides.page();
      const ten = await settled(inspected);
      const megabytes = (bytes: number) => bytes / 1024 ** 2;
      yield {
        row: 'I1',
        what: `memory with ${pages} pages on a busy session, above that with one`,
        value: megabytes(ten - one),
        unit: 'MB',
        detail: `MB: one page ${short(megabytes(one))}, ${pages} pages ${short(megabytes(ten))}`,
      };
    } finally {
      for (const { program } of servers) await program.stop();
    }
  },
};

async function served(servers: Server[], node: readonly string[]): Promise<Server> {
  const server = await startServer(['--backend', 'pi', '--', ...emitter], node);
  servers.push(server);
  return server;
}

/** The cookie and the path of a new login. */
async function loggedIn({ url, token }: Server): Promise<{ readonly cookie: string; readonly route: string }> {
  const headers = { 'content-type': 'application/json', origin: url };
  const answer = await fetch(`${url}/inspector/login`, { method: 'POST', headers, body: JSON.stringify({ token }) });
  const [cookie = ''] = (answer.headers.get('set-cookie') ?? '').split(';', 1);
  return { cookie, route: path.posix.join(LoggedIn.parse(await answer.json()).path, 'socket') };
}

/** Reads a session, with the token or as a page. Gives what one run costs the gateway, us. */
async function reading(
  { url, token, program }: Server,
  session: string,
  page?: { readonly cookie: string; readonly route: string },
): Promise<() => Promise<number>> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  await fetch(`${url}/v1/sessions`, { method: 'POST', headers, body: JSON.stringify({ id: session }) });
  const address = `${url.replace('http', 'ws')}${page?.route ?? '/v1/canonical/ws'}`;
  const protocols = page === undefined ? [protocol, `bearer.${token}`] : [protocol];
  const socket = new WebSocket(address, protocols, {
    perMessageDeflate: false,
    headers: page === undefined ? {} : { cookie: page.cookie, origin: url },
  });
  let finished = () => {};
  socket.on('message', (data: Buffer) => {
    if (data.includes('"run-end"')) finished();
  });
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  socket.send(JSON.stringify({ type: 'attach', session }));
  return async () => {
    const over = new Promise<void>((resolve) => {
      finished = resolve;
    });
    const spent = cpuOf(program.pid);
    const text = wordsOf({ dialect: 'delta-only', bytes: 25_000, sample, plays });
    const frame = { id: randomBytes(4).readUInt32LE(), command: { type: 'prompt', content: [{ type: 'text', text }] } };
    socket.send(JSON.stringify({ type: 'send', session, frame }));
    await over;
    return cpuOf(program.pid) - spent;
  };
}

/** Memory after garbage collection, once it falls no more. */
async function settled({ program }: Server): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let looks = 0; looks < looksAtRest; looks += 1) {
    program.signal('SIGUSR2');
    await new Promise((resolve) => setTimeout(resolve, 250));
    const resident = residentOf(program.pid);
    if (resident < least * 0.99) looks = 0;
    least = Math.min(least, resident);
  }
  return least;
}
