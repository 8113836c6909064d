// The table form of rules on pi-legacy.
import type { Finding, Rule } from '../../check/rule.ts';
import type { View } from '../view/parts.ts';

/** A rule as its file writes it. `measured`: the document is silent. */
export interface LegacyRule extends Omit<Rule<View>, 'id' | 'basis' | 'level' | 'scenarios' | 'judge'> {
  /** The id without `pi-legacy/`. */
  readonly name: string;
  readonly level?: Rule<View>['level'];
  readonly measured?: true;
  /** Default: every scenario. */
  readonly scenarios?: readonly string[];
  judge(view: View): Iterable<Finding>;
}

/** Scenarios in which the agent answers prompts. */
export const talks = ['talk', 'thinking', 'tools', 'compact', 'fail'];

/** Builds the rules; default level MUST, and SHOULD where the document is silent. */
export function rulesOf(side: '' | 'client/', rules: readonly LegacyRule[]): readonly Rule<View>[] {
  return rules.map(({ name, measured, level = measured === true ? 'SHOULD' : 'MUST', scenarios = talks, ...rule }) => ({
    ...rule,
    id: `pi-legacy/${side}${name}`,
    level,
    basis: measured === true ? 'measured' : 'specification',
    scenarios,
  }));
}
