// R6: silent connections without a token, in larger numbers than there are places, renewed as they are dropped.
import { connect, type Socket } from 'node:net';
import { type Arena, wait } from './arena.ts';

const host = 'host: 127.0.0.1';
/** What each kind says before it falls silent. */
const kinds: ReadonlyMap<string, (port: number) => string> = new Map<string, (port: number) => string>([
  ['idle', () => ''],
  ['half a header', (port) => `GET /v1/sessions HTTP/1.1\r\n${host}:${port}\r\nx-slow: `],
  [
    'a body that never comes',
    (port) =>
      `POST /v1/sessions HTTP/1.1\r\n${host}:${port}\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n`,
  ],
]);

function besiege(port: number, words: string, count: number) {
  const sockets = new Set<Socket>();
  let dropped = 0;
  let isOver = false;
  const open = () => {
    const socket = connect(port, '127.0.0.1', () => void (words === '' || socket.write(words)));
    sockets.add(socket);
    socket.resume();
    socket
      .on('error', () => {})
      .on('close', () => {
        sockets.delete(socket);
        if (isOver) return;
        dropped += 1;
        setTimeout(open, 20);
      });
  };
  for (let opened = 0; opened < count; opened += 1) open();
  return {
    dropped: () => dropped,
    end() {
      isOver = true;
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** The longest time until a client with a token was served, ms, and how often it was refused. */
async function rightful(arena: Arena, forMs: number) {
  const until = performance.now() + forMs;
  let longest = 0;
  let refused = 0;
  while (performance.now() < until) {
    const begun = performance.now();
    for (let isServed = false; !isServed; ) {
      isServed = await fetch(`${arena.url}/v1/sessions`, { headers: { ...arena.headers, connection: 'close' } })
        .then(async (response) => {
          await response.text();
          return response.ok;
        })
        .catch(() => false);
      if (!isServed) {
        refused += 1;
        await wait(20);
      }
      if (performance.now() - begun > 30_000) break;
    }
    longest = Math.max(longest, performance.now() - begun);
    await wait(50);
  }
  return { longest, refused };
}

/** So many of each kind, one kind after the other. */
export const silent = (count: number, forMs: number) => async (arena: Arena) => {
  const port = Number(new URL(arena.url).port);
  const told: string[] = [];
  for (const [name, words] of kinds) {
    const siege = besiege(port, words(port), count);
    const { longest, refused } = await rightful(arena, forMs);
    told.push(
      `${name}: a rightful client served within ${Math.round(longest)} ms, refused ${refused} times; ${siege.dropped()} dropped`,
    );
    siege.end();
    await wait(500);
  }
  return told.join('; ');
};
