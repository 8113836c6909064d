// What a broken peer is: a correct one with one fault, and the checks that must find it. Helpers to write one in a line or two.
// Knows no protocol.
import type { Dictionary } from '../../../src/core/model/content.ts';
import type { Interceptor } from './intercept.ts';

/** A correct peer made wrong. */
export interface Mutant {
  /** What is wrong, as a sentence. */
  readonly fault: string;
  /** Checks that must fail, without the part of their ids that all of the set share. */
  readonly caughtBy: readonly string[];
  /** Checks that may fail, for they are about the same. */
  readonly alsoCaughtBy?: readonly string[];
  /** A tamperer for one run. */
  make(): Interceptor;
}

/** Changes frames of the server (or agent), each by itself; null drops it. */
export const changesOutput = (change: (frame: Dictionary) => Dictionary | null) => (): Interceptor => ({
  out: (frame) => {
    const changed = change(frame);
    return changed === null ? [] : [changed];
  },
});
/** Changes frames of the client, each by itself; null drops it. */
export const changesInput = (change: (frame: Dictionary) => Dictionary | null) => (): Interceptor => ({
  in: (frame) => {
    const changed = change(frame);
    return changed === null ? [] : [changed];
  },
});
/** Drops frames of the server. */
export const dropsOutput = (isIt: (frame: Dictionary) => boolean) =>
  changesOutput((frame) => (isIt(frame) ? null : frame));
