// Waits for what nobody reports: descriptors of this process, a count of clients. Looks once in each turn of the event loop.
import { setImmediate as turn } from 'node:timers/promises';

/** Longest wait, ms. */
const patience = 10_000;

/** Resolves as soon as that is so; rejects with what `explain` says. */
export async function eventually(label: string, isSo: () => boolean, explain: () => string = () => ''): Promise<void> {
  const until = performance.now() + patience;
  while (!isSo()) {
    if (performance.now() > until) throw new Error(`gave up waiting for ${label}${explain()}`);
    await turn();
  }
}
