// Tests that every broken client is caught by its checks and by no unrelated ones. An interceptor breaks a correct
// client.
import type { Result } from '../../../src/conformance/check/check.ts';
import type { ClientSet } from '../../../src/conformance/check/sets.ts';
import type { ClientRig } from './client-rig.ts';
import { intercepting } from './intercept.ts';
import type { Mutant } from './mutant.ts';
import { type Patience, runsEverything, shapedRules, testMutants } from './mutant-tests.ts';

/** How to test the broken clients of a set. */
export interface BrokenClientOptions {
  /** Checks that no mutant can fail, with the reason; every other check must catch a mutant. */
  readonly unbroken?: ReadonlyMap<string, string>;
  /** How long our agent waits for what a mutant never sends, ms; default 1000. */
  readonly patienceMs?: number;
}

/** Defines the tests. For a client mutant, `out` is what the client sends and `in` is what it receives. */
export function testBrokenClients(
  set: ClientSet,
  mutants: readonly Mutant[],
  rig: ClientRig,
  { patienceMs = 1000, unbroken = new Map<string, string>() }: BrokenClientOptions = {},
): void {
  const nameOf = (id: string) => id.replace(`${set.protocol}/client/`, '');
  const excused = new Map([...shapedRules(set.rules, nameOf), ...unbroken]);
  const names = set.rules.map(({ id }) => nameOf(id));

  function judge({ caughtBy, make }: Mutant, patience: Patience): Promise<readonly Result[]> {
    const read = new Set(set.rules.filter(({ id }) => caughtBy.includes(nameOf(id))).flatMap((rule) => rule.scenarios));
    const all = set.behaviours.map(({ name }) => name);
    const behaviours = runsEverything ? all : all.filter((name) => read.has(name));
    return rig.run(set, { behaviours, through: intercepting(make()), patienceMs: patienceMs * patience });
  }

  testMutants({ protocol: set.protocol, peers: 'clients', mutants, names, unbroken: excused, nameOf, judge });
}
