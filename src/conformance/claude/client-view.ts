// One way to write a rule of Claude clients down. Knows no rule.
import type { Level } from '../check.ts';
import type { Finding, Rule } from '../rule.ts';
import { type CarriedView, carried } from './carried.ts';
import type { View } from './view.ts';

/** Rules by the name that their ids end with. */
export interface Row {
  /** Default: `1.1`, which names the messages; how a client uses them is measured (reference, 1.1). */
  readonly section?: string;
  readonly sentence: string;
  readonly scenarios: readonly string[];
  readonly covers: readonly string[];
  /** Default `MUST`. */
  readonly level?: Level;
  /** The seed says so. */
  readonly isSpecified?: true;
  /** It sets what the client says against what its agent said. */
  readonly reads?: 'both';
  judge(view: View): Iterable<Finding>;
}

/** Rules of Claude clients. */
export function clientRules(rows: Readonly<Record<string, Row>>): Rule<CarriedView>[] {
  return Object.entries(rows).map(([name, { section = '1.1', level = 'MUST', isSpecified, ...row }]) =>
    carried({
      id: `claude/client/${name}`,
      section,
      level,
      basis: isSpecified === true ? 'specification' : 'measured',
      ...row,
    }),
  );
}
