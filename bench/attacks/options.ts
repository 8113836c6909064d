// R5: each combination of options makes a stream of its own, which costs as long as it lives.
import { cpuOf } from '../processes.ts';
import { type Arena, prompt, wait } from './arena.ts';

const booleans = ['true', 'false'];
const dialects = ['claude', 'rpc-message'];
const claude = dialects.flatMap((dialect) =>
  booleans.flatMap((partialMessages) =>
    booleans.map((replayUserMessages) => ({ dialect, partialMessages, replayUserMessages })),
  ),
);

/** 42 of them with both transports. */
const combinations: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
  ...dialects.flatMap((frontend) => claude.map((options) => [frontend, options] as const)),
  ['pi', { dialect: 'growing' }],
  ['pi', { dialect: 'delta-only' }],
  ['pi-legacy', {}],
  ['pi-server', {}],
  ['eca', {}],
];

/** CPU time of a run that one client reads, ms. */
async function runIn(arena: Arena, session: string): Promise<number> {
  const socket = await arena.connect(session);
  const before = cpuOf(arena.pid);
  const over = new Promise((resolve) => {
    socket.on('message', (frame: Buffer) => {
      if (frame.subarray(0, 16).includes('{"type":"result"')) resolve(undefined);
    });
  });
  prompt(socket, 'long 20000');
  await over;
  socket.terminate();
  return Math.round((cpuOf(arena.pid) - before) / 1000);
}

async function openAndLeave(arena: Arena, session: string): Promise<number> {
  let opened = 0;
  for (const [frontend, options] of combinations) {
    const query = new URLSearchParams(options);
    const away = new AbortController();
    const address = `${arena.url}/v1/${frontend}/sessions/${session}/events?${query}`;
    const response = await fetch(address, { headers: arena.headers, signal: away.signal });
    if (response.ok) opened += 1;
    away.abort();
    const socket = await arena.connect(`${session}&${query}`, frontend).catch(() => null);
    if (socket !== null) opened += 1;
    socket?.terminate();
  }
  return opened;
}

/** Opens all of them, leaves at once, and measures the same run without them, with them, and a good minute later. */
export async function optionStreams(arena: Arena): Promise<string> {
  await runIn(arena, await arena.createSession('demo'));
  const alone = await runIn(arena, await arena.createSession('demo'));
  const session = await arena.createSession('demo');
  const opened = await openAndLeave(arena, session);
  const among = await runIn(arena, session);
  const later = await arena.createSession('demo');
  await openAndLeave(arena, later);
  await wait(75_000);
  const after = await runIn(arena, later);
  return `${opened} streams left; CPU of a run: ${alone} ms without them, ${among} ms with them, ${after} ms when they are 75 s old`;
}
