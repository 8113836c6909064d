// Tests that each broken client is found by the checks that are meant to find it, and by no others: a man in the middle breaks a
// correct one. Knows no protocol.
import type { Result } from '../../../src/conformance/check/check.ts';
import type { ClientSet } from '../../../src/conformance/check/sets.ts';
import type { ClientRig } from './client-rig.ts';
import type { Mutant } from './mutant.ts';
import { type Patience, runsEverything, testMutants } from './mutant-tests.ts';
import { intercepting } from './intercept.ts';

/** How the broken clients of a set are tried. */
export interface BrokenClientOptions {
  /** Checks that no broken client here can fail, with the reason; all others must catch one. */
  readonly unbroken?: ReadonlyMap<string, string>;
  /** How long our agent waits for what a broken client never says; default 1000 ms. */
  readonly patienceMs?: number;
}

/** Defines the tests. What a double `says` is what the client says; what it `takes` is what the client hears. */
export function testBrokenClients(
  set: ClientSet,
  mutants: readonly Mutant[],
  rig: ClientRig,
  { patienceMs = 1000, unbroken = new Map<string, string>() }: BrokenClientOptions = {},
): void {
  const nameOf = (id: string) => id.replace(`${set.protocol}/client/`, '');
  const names = set.rules.map(({ id }) => nameOf(id));

  function judge({ caughtBy, make }: Mutant, patience: Patience): Promise<readonly Result[]> {
    const read = new Set(set.rules.filter(({ id }) => caughtBy.includes(nameOf(id))).flatMap((rule) => rule.scenarios));
    const all = set.behaviours.map(({ name }) => name);
    const behaviours = runsEverything ? all : all.filter((name) => read.has(name));
    return rig.run(set, { behaviours, through: intercepting(make()), patienceMs: patienceMs * patience });
  }

  testMutants({ protocol: set.protocol, peers: 'clients', mutants, names, unbroken, nameOf, judge });
}
