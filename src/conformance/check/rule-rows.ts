// Turns tables of rules and checks, keyed by name, into rules and checks.
import type { Check, Description } from './check.ts';
import type { Rule } from './rule.ts';

/** What follows from a name, and from the usual level and basis. */
interface RowHead {
  /** Default `MUST`; `SHOULD` where the document is silent. */
  readonly level?: Description['level'];
  /** The document is silent; the rule describes what real programs do. */
  readonly isMeasured?: true;
}

/** A rule without the fields that follow from its name. */
export interface RuleRow<View> extends Omit<Rule<View>, keyof RowHead | 'id' | 'basis'>, RowHead {}
/** A check without the fields that follow from its name. */
export interface CheckRow<Context> extends Omit<Check<Context>, keyof RowHead | 'id' | 'basis'>, RowHead {}

/** Builds the rules. Each id is `prefix`, a slash and the name of the row. */
export function rulesIn<View>(prefix: string, rows: Readonly<Record<string, RuleRow<View>>>): Rule<View>[] {
  return Object.entries(rows).map(([name, { level, isMeasured = false, ...row }]) => ({
    ...headOf(`${prefix}/${name}`, isMeasured, level),
    ...row,
  }));
}

/** Builds the checks, in the same way. */
export function checksIn<Context>(prefix: string, rows: Readonly<Record<string, CheckRow<Context>>>): Check<Context>[] {
  return Object.entries(rows).map(([name, { level, isMeasured = false, ...row }]) => ({
    ...headOf(`${prefix}/${name}`, isMeasured, level),
    ...row,
  }));
}

function headOf(
  id: string,
  isMeasured: boolean,
  level: Description['level'] = isMeasured ? 'SHOULD' : 'MUST',
): Pick<Description, 'id' | 'level' | 'basis'> {
  return { id, level, basis: isMeasured ? 'measured' : 'specification' };
}
