// One row of the table of faults: what is injected, and what was seen.
import type { Kind } from './observers.ts';
import { type FaultRig, type Judging, openFaultRig, type RigOptions } from './rig.ts';

/** What was seen of one fault. */
export interface Outcome {
  /** Who was on the session. */
  readonly clients: readonly { readonly frontend: string; readonly transport: Kind['transport'] | 'stdio' }[];
  /** From the cause until the last client had its ending, ms; null if there was none to wait for. */
  readonly toldMs: number | null;
  /** Frames; null where nothing is compared. */
  readonly lost: number | null;
  readonly repeated: number | null;
  readonly verdict: string;
}

/** A fault that is injected. */
export interface FaultRow {
  /** `F1` */
  readonly fault: string;
  /** What is done, in a few words. */
  readonly what: string;
  /** Why it cannot run here. */
  readonly skipped?: string;
  /** Injects the fault; throws if anything is not as docs/faults.md says. */
  run(): Promise<Outcome>;
}

/** The outcome after the runs of a rig, all judged. */
export async function outcomeOf(
  rig: FaultRig,
  toldMs: number | null,
  verdict: string,
  options?: Judging,
): Promise<Outcome> {
  await rig.quiet();
  return { clients: rig.observers, toldMs, ...rig.judge(options), verdict };
}

/** Throws unless that is so. */
export function must(isSo: boolean, otherwise: string): asserts isSo {
  if (!isSo) throw new Error(otherwise);
}

/** Opens a rig for one fault and closes it again, whatever happens. */
export async function withRig<Result>(options: RigOptions, act: (rig: FaultRig) => Promise<Result>): Promise<Result> {
  const rig = await openFaultRig(options);
  let result: Result;
  try {
    result = await act(rig);
  } catch (thrown) {
    // The first fault is the one to show.
    await rig.close().catch(() => {});
    throw thrown;
  }
  await rig.close();
  return result;
}
