// P11: what a session costs that nobody speaks in: a WebSocket alone, and one with an agent behind it.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type WebSocket from 'ws';
import { openSocket, startServer } from '../clients.ts';
import { benchProgram, residentOf } from '../processes.ts';
import { atMost, type Family, short, WrongResult } from '../report.ts';
import { sized } from '../size.ts';

const why =
  'a session is made of many parts with closures of their own: frontend, driver, link, stream, budget, questions; the parts ' +
  'that were most of it are classes by now.';

/** Sessions at which memory is read; what lies between them is the price of a session. */
const counts = sized({ few: 200, many: 1000 }, { few: 20, many: 60 });

/** Looks at the memory, one every 250 ms, that must find no less of it. */
const looksAtRest = sized(48, 1);

type Server = Awaited<ReturnType<typeof startServer>>;

export const memory: Family = {
  rows: ['P11'],
  how:
    `P11: \`patchbay serve\`, resident memory after garbage collection with ${counts.few} and ${counts.many} sessions of ` +
    'one idle WebSocket each, once it has not fallen for 12 s; the slope between them. Once without agents, once with a ' +
    'child process (`sleep`) behind each session, started by a query that it never answers. Base: the server before the first client. The limits of ' +
    'sessions and connections are raised.',
  async *run(progress) {
    const folder = mkdtempSync(path.join(tmpdir(), 'patchbay-bench-'));
    const config = path.join(folder, 'patchbay.json');
    const agents = { sleeper: { protocol: 'pi', command: ['sleep', '3600'] } };
    writeFileSync(
      config,
      // An agent that says nothing would be ended in the middle of it.
      JSON.stringify({
        agents,
        limits: { sessions: 5000, connections: 5000, perToken: { agents: 5000 }, startMs: 3_600_000 },
      }),
    );
    try {
      progress('sockets alone');
      const alone = await measure(config, () => {});
      progress('sockets with children');
      const withChild = await measure(config, askSomething);
      const megabytes = (bytes: number) => bytes / 1024 ** 2;
      const slope = ({ few, many }: Memory) => (many - few) / (counts.many - counts.few) / 1024;
      const detail = ({ few, many }: Memory) =>
        `${short(megabytes(few))} MB at ${counts.few}, ${short(megabytes(many))} MB at ${counts.many}`;
      yield* [
        {
          row: 'P11',
          what: 'memory of an idle session, WebSocket only',
          value: slope(alone),
          unit: 'KB',
          goal: atMost(15, `${why} V8’s heap has 13.7 KB of it (docs/path-of-a-delta.md); \`ws\` alone is 6 to 7 KB.`),
          moonshot: atMost(8),
          detail: detail(alone),
        },
        {
          row: 'P11',
          what: 'memory of an idle session, WebSocket and child',
          value: slope(withChild),
          unit: 'KB',
          goal: atMost(32, `${why} The handles of a child and of its pipes are 14 to 16 KB of Node’s.`),
          moonshot: atMost(20),
          detail: detail(withChild),
        },
        {
          row: 'P11',
          what: 'memory of the server without clients',
          value: megabytes(alone.base),
          unit: 'MB',
          goal: atMost(70, 'Node with `ws` and nothing else is 57 MB; the rest is our code with its schemas and hono.'),
        },
        {
          row: 'P11',
          what: '10,000 idle WebSocket sessions (base + slope, not run)',
          value: megabytes(alone.base) + (slope(alone) * 10_000) / 1024,
          unit: 'MB',
          moonshot: atMost(150),
        },
      ];
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

/** Resident bytes. */
interface Memory {
  readonly base: number;
  readonly few: number;
  readonly many: number;
}

async function measure(config: string, greet: (socket: WebSocket) => void): Promise<Memory> {
  const preload = benchProgram('agents/preload.js');
  const server = await startServer(['--config', config, '--agent', 'sleeper'], ['--expose-gc', '--import', preload]);
  const sockets: WebSocket[] = [];
  const growTo = async (count: number) => {
    while (sockets.length < count) {
      const socket = await openSocket(server);
      socket.on('error', () => {});
      greet(socket);
      sockets.push(socket);
    }
    await mustHave(server, count);
    return await settled(server);
  };
  try {
    // A server that has served nobody has not loaded all of itself; the base is the one before, as a user sees it.
    const base = await settled(server);
    const few = await growTo(counts.few);
    return { base, few, many: await growTo(counts.many) };
  } finally {
    for (const socket of sockets) socket.terminate();
    await server.program.stop();
  }
}

/** A question that goes to the agent, so that it must be started. */
function askSomething(socket: WebSocket): void {
  const request = { subtype: 'set_model', model: 'patch-large' };
  socket.send(JSON.stringify({ type: 'control_request', request_id: 'one', request }));
}

async function mustHave({ url, token }: Server, count: number): Promise<void> {
  const response = await fetch(`${url}/v1/sessions`, { headers: { authorization: `Bearer ${token}` } });
  const found = (await response.text()).match(/"id":/gu)?.length ?? 0;
  if (found !== count) throw new WrongResult(`${found} sessions instead of ${count}`);
}

/**
 * Memory after garbage collection, once it has not fallen for 12 s: V8 gives its young generation back up to 10 s after the
 * last work, and up to 48 MB of it would be counted as the price of sessions.
 */
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
