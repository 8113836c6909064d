// One way to write rules down: a table by name, without what follows from the name. Knows no protocol and no rule.
import type { Rule } from './rule.ts';

/** A rule without what follows from its name. */
export interface RuleRow<View> extends Omit<Rule<View>, 'id' | 'level' | 'basis'> {
  /** Default `MUST`. */
  readonly level?: Rule<View>['level'];
  /** The document is silent: it is what real programs do. */
  readonly isMeasured?: true;
  readonly covers: readonly string[];
}

/** Rules by the name that their ids end with, behind that prefix. */
export function rulesIn<View>(prefix: string, rows: Readonly<Record<string, RuleRow<View>>>): Rule<View>[] {
  return Object.entries(rows).map(([name, { level = 'MUST', isMeasured, ...row }]) => ({
    id: `${prefix}/${name}`,
    level,
    basis: isMeasured === true ? 'measured' : 'specification',
    ...row,
  }));
}
