// An ACP client that reads nothing while its agent says 50,000 chunks: what is kept for the client stays within the window of its
// stream, and the client is brought up to date when it reads on (docs/limits.md 5.10).
import { expect, test } from 'vitest';
import { acp } from '../../../src/adapters/acp/index.ts';
import { defaultWindow } from '../../../src/core/stream/window.ts';
import { createStreamRig, drain, framesOf } from '../../support/core/stream-rig.ts';
import { stillEnv } from '../../support/decoding.ts';
import { textOf } from '../../support/telling.ts';

test('50,000 chunks to a paused client do not grow memory beyond its window', () => {
  const side = acp.client?.frontend(stillEnv(), {});
  if (side === undefined) throw new Error('no client side');
  const { stream, say } = createStreamRig({}, [], side.projection);
  const reader = stream.attach(null);
  say({ type: 'run-start' }, { type: 'turn-start' }, { type: 'message-start', id: 'm' });
  say({ type: 'block-start', index: 0, block: { kind: 'text' } });
  const word = 'word '.repeat(60);
  let most = 0;
  for (let count = 1; count <= 50_000; count += 1) {
    say({ type: 'block-delta', index: 0, delta: word });
    if (count % 1000 === 0) most = Math.max(most, stream.measure().windowBytes);
  }
  const { bytes } = defaultWindow;
  expect(most).toBeLessThanOrEqual(bytes);
  expect(most).toBeGreaterThan(bytes / 8);

  const texts = framesOf(drain(reader, 1 << 20)).map((frame) => JSON.parse(textOf(frame)).params.update?.content?.text);
  expect(texts.join('')).toBe(word.repeat(50_000));
  reader.close();
});
