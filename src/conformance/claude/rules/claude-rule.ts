// The table form of rules on native Claude agents.
import type { Rule } from '../../check/rule.ts';
import { type RuleRow, rulesIn } from '../../check/rule-rows.ts';
import type { View } from '../view/view.ts';

/** A rule without the fields that follow from its name. */
export type Row = RuleRow<View>;

/** Builds the rules; each id ends with the name of the row. */
export const claudeRules = (rows: Readonly<Record<string, Row>>): Rule<View>[] => rulesIn('claude', rows);
