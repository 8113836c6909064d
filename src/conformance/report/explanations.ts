// Explanations for checks that do not pass, written by the author of the report.
import { z } from 'zod';
import { chooserOf } from '../check/pattern.ts';

/** From the id of a check, or a pattern with `*`, to its explanation. */
export const Explanations = z.record(z.string().min(1), z.string().min(1));
export type Explanations = z.infer<typeof Explanations>;

/** The explanation of each check that has one. The first match counts. `stray`: patterns that match no check. */
export function explain(
  explanations: Explanations,
  ids: readonly string[],
): { readonly byId: ReadonlyMap<string, string>; readonly stray: readonly string[] } {
  const byId = new Map<string, string>();
  const stray: string[] = [];
  for (const [pattern, sentence] of Object.entries(explanations)) {
    const meant = ids.filter(chooserOf(pattern));
    if (meant.length === 0) stray.push(pattern);
    for (const id of meant) if (!byId.has(id)) byId.set(id, sentence);
  }
  return { byId, stray };
}
