// /readyz: not ready for each obstacle of the gateway, and while all connections are in use.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Listening, listen } from '../../src/transports/http/server.ts';
import { createFakeBoard, type FakeBoard } from '../support/fake-board.ts';

let board: FakeBoard;
let server: Listening;

beforeEach(async () => {
  board = createFakeBoard();
  server = await listen({ board, connections: { connections: 2 } });
});
afterEach(async () => {
  await server.close();
});

const authorization = () => ({ authorization: `Bearer ${server.token}` });

async function readiness() {
  const headers = { ...authorization(), connection: 'close' };
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
  board.add('s');
  const streams = [new AbortController(), new AbortController()];
  for (const { signal } of streams) {
    const answer = await fetch(`${server.url}/v1/pi/sessions/s/events`, { headers: authorization(), signal });
    expect(answer.status).toBe(200);
  }
  expect(await readiness()).toEqual(notReady('all 2 connections are in use'));
  for (const stream of streams) stream.abort();
  // The server learns of the ends a moment later.
  let answer = await readiness();
  while (answer.status !== 200) answer = await readiness();
  expect(answer).toEqual(ready);
});

test('no token, no reasons', async () => {
  board.hinder('the disk is full');
  expect((await fetch(`${server.url}/readyz`)).status).toBe(401);
});
