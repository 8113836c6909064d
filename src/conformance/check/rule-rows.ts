// Turns a table of rules, keyed by name, into rules.
import type { Rule } from './rule.ts';

/** A rule without the fields that follow from its name. */
export interface RuleRow<View> extends Omit<Rule<View>, 'id' | 'level' | 'basis'> {
  /** Default `MUST`; `SHOULD` where the document is silent. */
  readonly level?: Rule<View>['level'];
  /** The document is silent; the rule describes what real programs do. */
  readonly isMeasured?: true;
}

/** Builds the rules. Each id is `prefix`, a slash and the name of the row. */
export function rulesIn<View>(prefix: string, rows: Readonly<Record<string, RuleRow<View>>>): Rule<View>[] {
  return Object.entries(rows).map(
    ([name, { isMeasured, level = isMeasured === true ? 'SHOULD' : 'MUST', ...row }]) => ({
      id: `${prefix}/${name}`,
      level,
      basis: isMeasured === true ? 'measured' : 'specification',
      ...row,
    }),
  );
}
