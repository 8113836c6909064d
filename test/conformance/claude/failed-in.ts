// What rules hold against a recording, as `--trace` would tell it. Knows no protocol.
import type { Trace } from '../../../src/conformance/check/rule.ts';
import { type CheckSet, descriptionsOf } from '../../../src/conformance/check/sets.ts';
import { judgeTrace } from '../../../src/conformance/trace/trace-file.ts';

/** The checks at MUST and SHOULD that failed, with their reasons. */
export function failedIn(set: CheckSet, traces: readonly Trace[]): string[] {
  const weak = new Set(descriptionsOf(set).flatMap(({ id, level }) => (level === 'MAY' ? [id] : [])));
  const results = judgeTrace([set], traces).flatMap((judged) => judged.results);
  return results.flatMap(({ id, verdict, reason }) =>
    verdict === 'failed' && !weak.has(id) ? [`${id}: ${reason ?? ''}`] : [],
  );
}
