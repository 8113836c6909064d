// The delay of the event loop is that since the last call.
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { measureLoopDelay } from '../../src/gateway/metering/loop-delay.ts';

/** Works for so many ms without a turn of the event loop. */
function block(ms: number): void {
  for (const until = performance.now() + ms; performance.now() < until; );
}

test('a blocked loop shows, and is forgotten with the next call', async () => {
  const read = measureLoopDelay();
  expect([...read()]).toEqual([
    ['0.5', 0],
    ['0.99', 0],
    ['1', 0],
  ]);
  let longest = 0;
  while (longest < 0.1) {
    // Each call starts anew, and the first sample then has nothing to be compared with.
    for (let count = 0; count < 3; count += 1) {
      block(150);
      await turn();
    }
    longest = read().get('1') ?? 0;
  }
  expect(read().get('1')).toBe(0);
});
