// What a test's subject holds in memory, counted after a collection: garbage is the process's, and says nothing of the subject.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
/** Collects all garbage at once. */
export const collect: () => void = runInNewContext('gc');

/** Bytes of objects and buffers that somebody still refers to, in the whole process. */
export function heldBytes(): number {
  // Buffers of the first collection are given back by another thread. The second collection waits for its end.
  collect();
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
