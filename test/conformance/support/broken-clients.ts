// Tests that each broken client is found by the checks that are meant to find it, and by no others: a man in the middle breaks a
// correct one. Knows no protocol.
import type { Result } from '../../../src/conformance/check.ts';
import type { ClientSet } from '../../../src/conformance/sets.ts';
import type { ClientRig } from './client-rig.ts';
import type { Double } from './double.ts';
import { isWhole, type Patience, testDoubles } from './double-tests.ts';
import { tampering } from './tamper.ts';

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
  doubles: readonly Double[],
  rig: ClientRig,
  { patienceMs = 1000, unbroken = new Map<string, string>() }: BrokenClientOptions = {},
): void {
  const nameOf = (id: string) => id.replace(`${set.protocol}/client/`, '');
  const names = set.rules.map(({ id }) => nameOf(id));

  function judge({ caught, make }: Double, patience: Patience): Promise<readonly Result[]> {
    const read = new Set(set.rules.filter(({ id }) => caught.includes(nameOf(id))).flatMap((rule) => rule.scenarios));
    const all = set.acts.map(({ name }) => name);
    const acts = isWhole ? all : all.filter((name) => read.has(name));
    return rig.run(set, { acts, through: tampering(make()), patienceMs: patienceMs * patience });
  }

  testDoubles({ protocol: set.protocol, peers: 'clients', doubles, names, unbroken, nameOf, judge });
}
