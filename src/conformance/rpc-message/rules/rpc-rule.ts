// How the rules of the rpc-message dialect are written down. Knows no rule.
import type { Rule } from '../../check/rule.ts';
import { type RuleRow, rulesIn } from '../../check/rule-rows.ts';
import type { View } from '../view.ts';

/** A rule without what follows from its name. */
export type Row = RuleRow<View>;

/** Rules by the name that their ids end with. */
export const rpcRules = (rows: Readonly<Record<string, Row>>): Rule<View>[] => rulesIn('rpc-message', rows);
