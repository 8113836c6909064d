// /readyz: not ready for each obstacle of the gateway, and while all connections are in use.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Listening, listen } from '../../src/transports/http/server.ts';
import { createFakeBoard, type FakeBoard } from '../support/fake-board.ts';

let board: FakeBoard;
let server: Listening;
const sockets: Socket[] = [];

beforeEach(async () => {
  board = createFakeBoard();
  server = await listen({ board });
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await server.close();
});

async function readiness() {
  const headers = { authorization: `Bearer ${server.token}`, connection: 'close' };
  const answer = await fetch(`${server.url}/readyz`, { headers });
  return { status: answer.status, body: await answer.json(), retryAfter: answer.headers.get('retry-after') };
}

const ready = { status: 200, body: { status: 'ready' }, retryAfter: null };
const notReady = (...reasons: string[]) => ({ status: 503, body: { status: 'not ready', reasons }, retryAfter: '1' });

test('obstacles of the gateway, in their words', async () => {
  expect(await readiness()).toEqual(ready);
  board.hinder('the disk is full');
  board.hinder('the gateway is shutting down');
  expect(await readiness()).toEqual(notReady('the disk is full', 'the gateway is shutting down'));
});

test('all connections are in use', async () => {
  for (let count = 0; count < 511; count += 1) {
    const socket = connect(server.port, '127.0.0.1');
    sockets.push(socket);
    await once(socket, 'connect');
  }
  expect(await readiness()).toEqual(notReady('all 512 connections are in use'));
  for (const socket of sockets.splice(0)) socket.destroy();
  // The server learns of the ends a moment later.
  let answer = await readiness();
  while (answer.status !== 200) answer = await readiness();
  expect(answer).toEqual(ready);
});

test('no token, no reasons', async () => {
  board.hinder('the disk is full');
  expect((await fetch(`${server.url}/readyz`)).status).toBe(401);
});
