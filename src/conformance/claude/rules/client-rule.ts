// One way to write a rule of Claude clients down. Knows no rule.
import type { Rule } from '../../check/rule.ts';
import type { RuleRow } from '../../check/rule-rows.ts';
import { type CarriedView, carried } from '../view/carried.ts';
import type { View } from '../view/view.ts';

/** A rule without what follows from its name. */
export interface Row extends Omit<RuleRow<View>, 'section' | 'isMeasured'> {
  /** Default: `1.1`, which names the messages; how a client uses them is measured (docs/protocols/claude.md 3). */
  readonly section?: string;
  /** The protocol's document says so. */
  readonly isSpecified?: true;
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
