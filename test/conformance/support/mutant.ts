// A mutant: a correct peer with one fault, and the checks that must catch it. Helpers write a mutant in a line or two.
import type { Dictionary } from '../../../src/core/model/content.ts';
import type { Interceptor } from './intercept.ts';

/** A peer with one fault. */
export interface Mutant {
  /** What is wrong, as a sentence. */
  readonly fault: string;
  /** Checks that must fail, without the common part of their ids. */
  readonly caughtBy: readonly string[];
  /** Checks that may fail too, because they cover the same subject. */
  readonly alsoCaughtBy?: readonly string[];
  /** A new interceptor for one run. */
  make(): Interceptor;
}

/** Changes single frames of the server or agent; null drops a frame. */
export const changesOutput = (change: (frame: Dictionary) => Dictionary | null) => (): Interceptor => ({
  out: (frame) => {
    const changed = change(frame);
    return changed === null ? [] : [changed];
  },
});
/** Changes single frames of the client; null drops a frame. */
export const changesInput = (change: (frame: Dictionary) => Dictionary | null) => (): Interceptor => ({
  in: (frame) => {
    const changed = change(frame);
    return changed === null ? [] : [changed];
  },
});
/** Drops frames of the server or agent. */
export const dropsOutput = (isIt: (frame: Dictionary) => boolean) =>
  changesOutput((frame) => (isIt(frame) ? null : frame));
