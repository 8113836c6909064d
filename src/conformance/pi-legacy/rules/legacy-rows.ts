// What the rules on pi-legacy share.
import type { RuleRow } from '../../check/rule-rows.ts';
import type { View } from '../view/parts.ts';

/** Rules on pi-legacy, by name. */
export type LegacyRows = Readonly<Record<string, RuleRow<View>>>;

/** Scenarios in which the agent answers prompts. */
export const talks = ['talk', 'thinking', 'tools', 'compact', 'fail'];
