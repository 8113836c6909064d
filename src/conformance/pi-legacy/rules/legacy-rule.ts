// How the rules of pi-legacy are written down. Knows no protocol but the name of its checks.
import type { Finding, Rule } from '../../check/rule.ts';
import type { View } from '../view/parts.ts';

/** A rule as its file has it; `measured` where the document is silent. */
export interface LegacyRule extends Omit<Rule<View>, 'id' | 'basis' | 'level' | 'scenarios' | 'judge'> {
  /** After `pi-legacy/`. */
  readonly name: string;
  readonly level?: Rule<View>['level'];
  readonly measured?: true;
  /** Default: every one. */
  readonly scenarios?: readonly string[];
  judge(view: View): Iterable<Finding>;
}

/** Scenarios in which the agent answers prompts. */
const talks = ['talk', 'thinking', 'tools', 'compact', 'fail'];

/** Default level MUST. */
export function rulesOf(side: '' | 'client/', rules: readonly LegacyRule[]): readonly Rule<View>[] {
  return rules.map(({ name, level = 'MUST', measured, scenarios = talks, ...rule }) => ({
    ...rule,
    id: `pi-legacy/${side}${name}`,
    level,
    basis: measured === true ? 'measured' : 'specification',
    scenarios,
  }));
}
