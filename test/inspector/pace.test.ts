// When the page is told of changes: with each frame of the screen, and in a flood some times a second.
import { effect, signal } from '@preact/signals';
import { expect, it } from 'vitest';
import { count, tell } from '../../src/inspector/state/pace.ts';

/** The frames of the screen, at 60 a second, at which a counter was told; `events`: how many came before each. */
function toldAt(events: readonly number[]): number[] {
  const counter = signal(0);
  const told: number[] = [];
  let frame = -1;
  const stop = effect(() => {
    if (counter.value > 0) told.push(frame);
  });
  // A second after whatever was told before.
  start += 10_000;
  for (const [at, some] of events.entries()) {
    frame = at;
    for (let one = 0; one < some; one += 1) count(counter);
    tell(some, start + (at * 1000) / 60);
  }
  stop();
  return told;
}
let start = 0;

it('tells of a few events with each frame of the screen, once', () => {
  expect(toldAt([1, 8, 0, 3])).toEqual([0, 1, 3]);
});

it('tells of a flood ten times a second, and of its end', () => {
  expect(toldAt([40, ...Array.from({ length: 13 }, () => 40)])).toEqual([0, 6, 12]);
  expect(toldAt([40, 40, 0, 0, 0, 0, 0, 0])).toEqual([0, 6]);
});
