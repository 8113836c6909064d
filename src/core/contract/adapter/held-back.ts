// Counts what a backend keeps of its agent's messages before an event tells it, such as a block that is told only when
// it is whole (docs/limits.md 5.7). What is told counts as part of the transcript.
import { estimateBytes } from '../../model/memory-estimate.ts';
import type { Outbox } from './outbox.ts';

/** Most bytes that one backend holds back, as an estimate of memory. Several times the longest frame. */
export const mostHeldBytes = 128 * 1024 * 1024;

/** The count of the bytes that one backend holds back. */
export interface HeldBack {
  /** Returns the estimate for the value, bytes. Too much in all ends the agent. */
  add(value: unknown): number;
  /** So many bytes are told or forgotten. */
  release(bytes: number): void;
}

/** Nothing is held back yet. */
export function createHeldBack(out: Pick<Outbox, 'exceed'>): HeldBack {
  let held = 0;
  return {
    add(value) {
      const bytes = estimateBytes(value, mostHeldBytes);
      held += bytes;
      if (held > mostHeldBytes) out.exceed('the agent began more than the gateway keeps of what is not whole');
      return bytes;
    },
    release(bytes) {
      held -= bytes;
    },
  };
}
