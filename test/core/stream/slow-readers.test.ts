// For whom the agent waits, and for how long (docs/limits.md 6.5).
import { expect, test, vi } from 'vitest';
import { type LaggingReader, patience, SlowReaders } from '../../../src/core/stream/slow-readers.ts';
import { createVirtualClock } from '../../support/core/virtual-clock.ts';

const owner: LaggingReader = { isHolding: true };
const guest = (): LaggingReader => ({ isHolding: false });
const { stillMs, lagMs } = patience;

function rig() {
  const clock = createVirtualClock();
  const changed = vi.fn();
  return { clock, changed, slow: new SlowReaders(clock, changed) };
}

test('nobody is behind: the agent waits for nobody, and no timer runs', () => {
  const { clock, slow } = rig();
  expect([slow.mustWait, slow.has(owner), slow.remove(owner), clock.pending]).toEqual([false, false, false, 0]);
});

test('the owner is waited for without a limit, and without a timer', () => {
  const { clock, slow, changed } = rig();
  slow.add(owner);
  clock.advance(100 * lagMs);
  expect([slow.mustWait, slow.has(owner), clock.pending]).toEqual([true, true, 0]);
  expect(changed).not.toHaveBeenCalled();
  expect(slow.remove(owner)).toBe(true);
  expect(slow.mustWait).toBe(false);
});

test('a guest that takes nothing is waited for as long as it may be still', () => {
  const { clock, slow, changed } = rig();
  const reader = guest();
  slow.add(reader);
  clock.advance(stillMs - 1);
  expect(slow.mustWait).toBe(true);
  clock.advance(1);
  expect([slow.mustWait, slow.has(reader), clock.pending]).toEqual([false, true, 0]);
  // What has changed is told after it has.
  expect(changed.mock.calls.length).toBeGreaterThan(0);
});

test('the change is told when it is there', () => {
  const clock = createVirtualClock();
  const told: boolean[] = [];
  const slow: SlowReaders = new SlowReaders(clock, () => told.push(slow.mustWait));
  slow.add(guest());
  clock.advance(stillMs);
  expect(told).toEqual([true, false]);
});

test('a guest that takes something is waited for, but has to catch up in the end', () => {
  const { clock, slow } = rig();
  const reader = guest();
  slow.add(reader);
  const waited: boolean[] = [];
  for (let ms = 0; ms < lagMs; ms += stillMs / 2) {
    waited.push(slow.mustWait);
    clock.advance(stillMs / 2);
    slow.took(reader);
  }
  expect(waited).toEqual(Array.from({ length: (2 * lagMs) / stillMs }, () => true));
  expect([slow.mustWait, clock.pending]).toEqual([false, 0]);
});

test('who is left behind stays so until it has caught up, and then has its patience anew', () => {
  const { clock, slow } = rig();
  const reader = guest();
  slow.add(reader);
  clock.advance(stillMs);
  slow.took(reader);
  slow.add(reader);
  expect(slow.mustWait).toBe(false);
  expect(slow.remove(reader)).toBe(true);
  slow.add(reader);
  expect([slow.mustWait, clock.pending]).toEqual([true, 1]);
  clock.advance(stillMs);
  expect(slow.mustWait).toBe(false);
});

test('each has a time of its own, and the timer is one', () => {
  const { clock, slow } = rig();
  const [first, second] = [guest(), guest()];
  slow.add(first);
  clock.advance(stillMs / 2);
  slow.add(second);
  expect(clock.pending).toBe(1);
  clock.advance(stillMs / 2);
  expect(slow.mustWait).toBe(true);
  slow.remove(second);
  expect(slow.mustWait).toBe(false);
});

test('one that catches up leaves the timer to the others; the last one takes it along', () => {
  const { clock, slow } = rig();
  const [first, second] = [guest(), guest()];
  slow.add(first);
  slow.add(second);
  slow.remove(first);
  expect([slow.mustWait, clock.pending]).toEqual([true, 1]);
  slow.remove(second);
  expect([slow.mustWait, clock.pending]).toEqual([false, 0]);
  expect(slow.remove(second)).toBe(false);
});

test('a guest that is behind beside the owner changes nothing: the agent waits', () => {
  const { clock, slow } = rig();
  slow.add(owner);
  slow.add(guest());
  clock.advance(2 * lagMs);
  expect([slow.mustWait, clock.pending]).toEqual([true, 0]);
});

test('without a clock only the owner is waited for', () => {
  const slow = new SlowReaders(undefined, () => expect.unreachable('nothing can change by itself'));
  const reader = guest();
  slow.add(reader);
  expect([slow.mustWait, slow.has(reader)]).toEqual([false, false]);
  slow.add(owner);
  slow.took(owner);
  expect([slow.mustWait, slow.remove(owner), slow.mustWait]).toEqual([true, true, false]);
});
