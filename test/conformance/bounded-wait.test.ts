// Patience is used up by waiting, and not by a machine that has other work.
import { readFile } from 'node:fs';
import { expect, test } from 'vitest';
import { firstFound } from '../../src/conformance/bounded-wait.ts';

const late = () => new Error('late');

/** Keeps the process from doing anything else. */
function block(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

test('an answer that came while the process had no turn is found, however late the process is', async () => {
  const watchers = new Set<() => void>();
  let answer: string | undefined;
  readFile(import.meta.filename, () => {
    answer = 'it came';
    for (const watcher of watchers) watcher();
  });
  const found = firstFound(watchers, () => answer, 400, late);
  block(500);
  expect(await found).toBe('it came');
});

test('what never comes is given up', async () => {
  const watchers = new Set<() => void>();
  await expect(firstFound(watchers, () => undefined, 20, late)).rejects.toThrow('late');
  expect(watchers.size).toBe(0);
});

test('what cannot be looked for is told at once', async () => {
  const look = () => {
    throw new Error('broken');
  };
  await expect(firstFound(new Set(), look, 60_000, late)).rejects.toThrow('broken');
});
