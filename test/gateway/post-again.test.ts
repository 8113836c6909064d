// Posts with an Idempotency-Key to a whole gateway: a repeated post counts once, and another body under the same key is
// a conflict.

import { afterEach, expect, test } from 'vitest';
import { parseConfig } from '../../src/config/config.ts';
import { owner } from '../../src/core/contract/principal.ts';
import { createGateway, type Gateway } from '../../src/gateway/full-gateway.ts';
import { bytesOf } from '../../src/transports/framing/frame.ts';
import { createApp } from '../../src/transports/http/app.ts';

let gateway: Gateway;
afterEach(() => gateway.close('the test is over'));

const state = (id: string) => `${JSON.stringify({ type: 'get_state', id })}\n`;

test('a key that is used again', async () => {
  gateway = createGateway(parseConfig({}), { log: () => {} });
  const app = createApp({ board: gateway.board, connections: { obstacles: () => [] }, streams: new Set() });
  gateway.board.createSession({ id: 's' }, owner);
  const reader = gateway.board.stream({ frontend: 'pi', session: 's', options: {}, principal: owner }, null);
  const post = async (key: string, body: string) => {
    const headers = { 'content-type': 'application/x-ndjson', 'idempotency-key': key };
    const response = await app.request(
      '/v1/pi/sessions/s/frames',
      { method: 'POST', headers, body },
      { principal: owner },
    );
    return response.status === 202 ? 202 : [response.status, await response.json()];
  };
  const conflict = [409, { error: { code: 'conflict', message: 'something else was posted under that key before' } }];

  expect(await post('k', state('a') + state('b'))).toBe(202);
  expect(await post('k', state('a') + state('b'))).toBe(202);
  for (const other of [state('c') + state('b'), state('a') + state('c'), state('b') + state('a'), state('c')]) {
    expect(await post('k', other)).toEqual(conflict);
  }
  expect(await post('l', state('c'))).toBe(202);

  const heard: string[] = [];
  const read = () => {
    for (const entry of reader.read(1 << 20)) {
      const frame = entry.kind === 'frame' ? bytesOf(entry.out).toString() : '{}';
      const { type, id }: Record<string, unknown> = JSON.parse(frame);
      if (type === 'response') heard.push(String(id));
    }
  };
  // Answers come in order, so a second answer to `a` or `b` would come before the answer to `c`.
  await new Promise<void>((resolve) => {
    reader.onReadable = () => {
      read();
      if (heard.includes('c')) resolve();
    };
    reader.onReadable();
  });
  expect(heard).toEqual(['a', 'b', 'c']);
});
