// R3: millions of tiny frames in one piece.
import { type Arena, within } from './arena.ts';

const patienceMs = 100_000;

async function post(arena: Arena, frontend: string, body: string): Promise<string> {
  const session = await arena.createSession('demo');
  const begun = performance.now();
  const response = await fetch(`${arena.url}/v1/${frontend}/sessions/${session}/frames`, {
    method: 'POST',
    headers: { ...arena.headers, 'content-type': 'application/x-ndjson' },
    body,
  });
  const { length } = await response.text();
  return `${frontend} ${response.status} with ${length} bytes after ${Math.round(performance.now() - begun)} ms`;
}

/** One post for each of three frontends. */
export const posted = (frames: number) => async (arena: Arena) => {
  const body = '1\n'.repeat(frames);
  const told: string[] = [];
  for (const frontend of ['claude', 'pi', 'rpc-message']) {
    told.push(await within(post(arena, frontend, body), patienceMs, `${frontend}: no answer`));
  }
  return told.join('; ');
};

/** One WebSocket message, and then one after another. */
export const messages = (frames: number) => async (arena: Arena) => {
  const socket = await arena.connect(await arena.createSession('demo'));
  const body = '1\n'.repeat(frames);
  let answers = 0;
  const closed = new Promise<string>((resolve) => {
    socket.on('close', (code, reason) => resolve(`closed with ${code} ${reason}`));
  });
  socket.on('message', () => {
    answers += 1;
    // As long as it is served it goes on.
    if (answers < 1000) socket.send(body);
  });
  socket.send(body);
  const told = await within(closed, patienceMs, 'not closed');
  socket.terminate();
  return `${answers} answers, ${told}`;
};
