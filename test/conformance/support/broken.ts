// Tests that each broken agent is found by the checks that are meant to find it, and by no others: a man in the middle breaks a
// correct one. Knows no protocol.
import type { Result } from '../../../src/conformance/check/check.ts';
import { runChecks } from '../../../src/conformance/runner/runner.ts';
import { type AgentSet, descriptionsOf } from '../../../src/conformance/check/sets.ts';
import type { Target } from '../../../src/conformance/runner/target.ts';
import type { Mutant } from './mutant.ts';
import { type Patience, runsEverything, testMutants } from './mutant-tests.ts';
import { intercepting } from './intercept.ts';

/** How the broken agents of a set are tried. */
export interface BrokenOptions {
  /** A correct one, reached through memory. */
  target(): Target;
  /** Checks that no broken agent here can fail, with the reason; all others must catch one. */
  readonly unbroken?: ReadonlyMap<string, string>;
  /** How long a check waits for what a broken agent never says; default 3000 ms. */
  readonly patienceMs?: number;
}

/** Defines the tests. */
export function testBrokenAgents(set: AgentSet, mutants: readonly Mutant[], options: BrokenOptions): void {
  const { patienceMs = 3000, unbroken = new Map<string, string>() } = options;
  const nameOf = (id: string) => id.replace(`${set.protocol}/`, '');
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

  testMutants({ protocol: set.protocol, peers: 'agents', mutants, names, unbroken, nameOf, judge });
}
