// How the rules of native Claude speakers are written down. Knows no rule.
import type { Rule } from '../../check/rule.ts';
import { type RuleRow, rulesIn } from '../../check/rule-rows.ts';
import type { View } from '../view/view.ts';

/** A rule without what follows from its name. */
export type Row = RuleRow<View>;

/** Rules by the name that their ids end with. */
export const claudeRules = (rows: Readonly<Record<string, Row>>): Rule<View>[] => rulesIn('claude', rows);
