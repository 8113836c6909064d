// Tests that every broken agent is caught by its checks and by no unrelated ones. An interceptor breaks a correct
// agent.
import type { Result } from '../../../src/conformance/check/check.ts';
import { type AgentSet, descriptionsOf } from '../../../src/conformance/check/sets.ts';
import { runChecks } from '../../../src/conformance/runner/runner.ts';
import type { Target } from '../../../src/conformance/runner/target.ts';
import { intercepting } from './intercept.ts';
import type { Mutant } from './mutant.ts';
import { type Patience, runsEverything, shapedRules, testMutants } from './mutant-tests.ts';

/** How to test the broken agents of a set. */
export interface BrokenOptions {
  /** A correct agent, reached through memory. */
  target(): Target;
  /** Checks that no mutant can fail, with the reason; every other check must catch a mutant. */
  readonly unbroken?: ReadonlyMap<string, string>;
  /** How long a check waits for what a mutant never sends, ms; default 3000. */
  readonly patienceMs?: number;
}

/** Defines the tests. */
export function testBrokenAgents(set: AgentSet, mutants: readonly Mutant[], options: BrokenOptions): void {
  const { patienceMs = 3000, unbroken = new Map<string, string>() } = options;
  const nameOf = (id: string) => id.replace(`${set.protocol}/`, '');
  const excused = new Map([...shapedRules(set.rules, nameOf), ...unbroken]);
  const names = descriptionsOf(set).map(({ id }) => nameOf(id));

  async function judge({ caughtBy, make }: Mutant, patience: Patience): Promise<readonly Result[]> {
    const through = intercepting(make());
    const checks = new Set(set.checks.map(({ id }) => id).filter((id) => caughtBy.includes(nameOf(id))));
    const rules = set.rules.filter(({ id }) => caughtBy.includes(nameOf(id)));
    const read = new Set(rules.flatMap(({ scenarios }) => scenarios));
    const isRule = new Set(set.rules.map(({ id }) => id));
    return runChecks(
      set,
      { ...options.target(), through },
      {
        patienceMs: patienceMs * patience,
        only: ({ id }) => runsEverything || checks.has(id) || (rules.length > 0 && isRule.has(id)),
        scenarios: (name) => runsEverything || read.has(name),
      },
    );
  }

  testMutants({ protocol: set.protocol, peers: 'agents', mutants, names, unbroken: excused, nameOf, judge });
}
