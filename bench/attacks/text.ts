// R1 and R2: an agent that says more text than memory holds.
import type WebSocket from 'ws';
import { z } from 'zod';
import { type Arena, prompt, wait, within } from './arena.ts';

/** What the run of that prompt comes to, as its client is told. */
function ending(socket: WebSocket): Promise<string> {
  return new Promise((resolve) => {
    socket.on('message', (frame: Buffer) => {
      if (!frame.subarray(0, 16).includes('{"type":"result"')) return;
      const { is_error, errors, result } = JSON.parse(frame.toString());
      const words = String(errors?.[0] ?? result ?? '').slice(0, 120);
      resolve(`${is_error === true ? 'failed' : 'ended well'}: ${words}`);
    });
    socket.on('close', (code) => resolve(`closed with ${code}`));
  });
}

const patienceMs = 180_000;
const State = z.looseObject({ state: z.string() });

/** Resolves when the session has no open run any more; its state. */
async function runOver(arena: Arena, session: string): Promise<string> {
  const until = performance.now() + patienceMs;
  let state = 'running';
  while (state === 'running' && performance.now() < until) {
    await wait(500);
    const response = await fetch(`${arena.url}/v1/sessions/${session}`, { headers: arena.headers });
    state = response.ok ? State.parse(await response.json()).state : `gone (${response.status})`;
  }
  return state;
}

/** What a prompt in that session comes to. */
async function nextPrompt(arena: Arena, session: string): Promise<string> {
  const socket = await arena.connect(session);
  const over = ending(socket);
  prompt(socket, 'flood 1 1');
  const told = await within(over, 60_000, 'no answer');
  socket.terminate();
  return told;
}

/** R1: one block of so many MiB, with a reader that stops reading and goes on when all was said. */
export const oneBlock = (mebibytes: number) => async (arena: Arena) => {
  const session = await arena.createSession('flood');
  const [reader, stalled] = [await arena.connect(session), await arena.connect(session)];
  stalled.pause();
  const [over, late] = [ending(reader), ending(stalled)];
  prompt(reader, `flood ${mebibytes} 1`);
  await wait(1000);
  const state = await runOver(arena, session);
  stalled.resume();
  const told = await Promise.all([over, late].map((work) => within(work, 30_000, 'told nothing')));
  reader.terminate();
  stalled.terminate();
  return `session ${state}; reader ${told[0]}; stalled reader ${told[1]}; next prompt ${await nextPrompt(arena, session)}`;
};

/** R2: the same in many blocks, while further clients come and ask for the whole. */
export const manyBlocks = (mebibytes: number) => async (arena: Arena) => {
  const session = await arena.createSession('flood');
  const reader = await arena.connect(session);
  const over = ending(reader);
  prompt(reader, `flood ${mebibytes} 40`);
  let late = 0;
  let isOver = false;
  const coming = (async () => {
    while (!isOver) {
      const socket = await arena.connect(session).catch(() => null);
      socket?.on('message', () => {}).on('error', () => {});
      late += socket === null ? 0 : 1;
      await wait(500);
      socket?.terminate();
    }
  })();
  await wait(1000);
  const state = await runOver(arena, session);
  await wait(2000);
  isOver = true;
  await coming;
  const told = await within(over, 10_000, 'told nothing');
  reader.terminate();
  return `session ${state}; reader ${told}; ${late} late clients; next prompt ${await nextPrompt(arena, session)}`;
};
