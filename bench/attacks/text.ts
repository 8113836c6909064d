// R1 and R2: an agent that says more text than memory holds.
import type WebSocket from 'ws';
import { type Arena, prompt, wait, within } from './arena.ts';

/** How the run of that prompt ends, as its client is told. */
function ending(socket: WebSocket): Promise<string> {
  return new Promise((resolve) => {
    socket.on('message', (frame: Buffer) => {
      if (!frame.subarray(0, 16).includes('{"type":"result"')) return;
      const { is_error, errors, result } = JSON.parse(frame.toString());
      resolve(`run ${is_error === true ? 'failed' : 'ended well'}: ${errors?.[0] ?? result ?? ''}`.slice(0, 160));
    });
    socket.on('close', (code, reason) => resolve(`client closed with ${code} ${reason}`));
  });
}

const patienceMs = 180_000;

/** R1: one block of so many MiB, with a reader that stops reading and goes on when all was said. */
export const oneBlock = (mebibytes: number) => async (arena: Arena) => {
  const session = await arena.createSession('flood');
  const [reader, stalled] = [await arena.connect(session), await arena.connect(session)];
  stalled.pause();
  const over = ending(reader);
  prompt(reader, `flood ${mebibytes} 1`);
  const told = await within(over, patienceMs, 'the run did not end');
  const late = ending(stalled);
  stalled.resume();
  const stalledTold = await within(late, 30_000, 'nothing');
  reader.terminate();
  stalled.terminate();
  return `${told}; stalled reader: ${stalledTold}`;
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
  const told = await within(over, patienceMs, 'the run did not end');
  await wait(2000);
  isOver = true;
  await coming;
  reader.terminate();
  return `${told}; ${late} late clients`;
};
