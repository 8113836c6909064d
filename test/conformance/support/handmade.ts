// Short handmade recordings, and the checks that they fail.
import type { Trace } from '../../../src/conformance/check/rule.ts';
import { type CheckSet, descriptionsOf } from '../../../src/conformance/check/sets.ts';
import { judgeTrace } from '../../../src/conformance/trace/trace-file.ts';

/** Messages in order, with their sender. */
export type Talk = readonly (readonly ['agent' | 'client', object])[];

export const traceOf = (client: Talk, isComplete = true): Trace => ({
  frames: client.map(([by, json]) => ({ at: 0, by, json, text: JSON.stringify(json) })),
  isComplete,
});

/** Ids of the failed checks at MUST and SHOULD. */
export function faults(set: CheckSet, trace: Trace): string[] {
  const heeded = new Set(descriptionsOf(set).flatMap(({ id, level }) => (level === 'MAY' ? [] : [id])));
  const results = judgeTrace([set], [trace]).flatMap((judged) => judged.results);
  return results.flatMap(({ id, verdict }) => (verdict === 'failed' && heeded.has(id) ? [id] : []));
}
