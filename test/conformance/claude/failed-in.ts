// The violations that rules find in a recording, as `--trace` reports them.
import type { Trace } from '../../../src/conformance/check/rule.ts';
import { type CheckSet, descriptionsOf } from '../../../src/conformance/check/sets.ts';
import { judgeTrace } from '../../../src/conformance/trace/trace-file.ts';

/** Failed checks at MUST and SHOULD, with their reasons. */
export function failedIn(set: CheckSet, traces: readonly Trace[]): string[] {
  const weak = new Set(descriptionsOf(set).flatMap(({ id, level }) => (level === 'MAY' ? [id] : [])));
  const results = judgeTrace([set], traces).flatMap((judged) => judged.results);
  return results.flatMap(({ id, verdict, reason }) =>
    verdict === 'failed' && !weak.has(id) ? [`${id}: ${reason ?? ''}`] : [],
  );
}
