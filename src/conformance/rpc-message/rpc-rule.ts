// One way to write a rule of the rpc-message dialect down. Knows no rule.
import type { Level } from '../check.ts';
import type { Finding, Rule } from '../rule.ts';
import type { View } from './view.ts';

/** A rule without what follows from its name. */
export interface Row {
  /** Heading of the seed. */
  readonly section: string;
  readonly sentence: string;
  readonly scenarios: readonly string[];
  readonly covers: readonly string[];
  /** Default `MUST`. */
  readonly level?: Level;
  /** The seed is silent: it is what its project's own front end takes. */
  readonly isMeasured?: true;
  /** It sets what the agent says against what its client said. */
  readonly reads?: 'both';
  judge(view: View): Iterable<Finding>;
}

/** Rules by the name that their ids end with. */
export function rpcRules(rows: Readonly<Record<string, Row>>): Rule<View>[] {
  return Object.entries(rows).map(([name, { level = 'MUST', isMeasured, ...row }]) => ({
    id: `rpc-message/${name}`,
    level,
    basis: isMeasured === true ? 'measured' : 'specification',
    ...row,
  }));
}
