// Defines the tests of a list of broken peers: each is caught by its checks and by no unrelated ones, and each check
// catches one.
import { expect, test } from 'vitest';
import type { Result } from '../../../src/conformance/check/check.ts';
import type { Mutant } from './mutant.ts';

/** Run every scenario or behaviour with every broken peer, instead of only those that its own checks read. */
export const runsEverything = process.env.PATCHBAY_CONFORMANCE === 'all';

/** What to test. */
export interface MutantTests {
  readonly protocol: string;
  readonly peers: 'agents' | 'clients';
  readonly mutants: readonly Mutant[];
  /** All check names, in the form that mutants use. */
  readonly names: readonly string[];
  /** Checks that no mutant can fail, with the reason; every other check must catch a mutant. */
  readonly unbroken: ReadonlyMap<string, string>;
  /** The name of a check, in the form that mutants use. */
  nameOf(id: string): string;
  judge(mutant: Mutant): Promise<readonly Result[]>;
}

/** Defines the tests. */
export function testMutants({ protocol, peers, mutants, names, unbroken, nameOf, judge }: MutantTests): void {
  test.each(mutants.map((mutant) => [mutant.fault, mutant] as const))(
    '%s',
    { concurrent: true, timeout: 60_000 },
    async (_fault, mutant) => {
      const { caughtBy, alsoCaughtBy = [] } = mutant;
      const failed = (await judge(mutant)).filter(({ verdict }) => verdict === 'failed');
      const found = failed.map(({ id }) => nameOf(id));
      expect(
        caughtBy.filter((name) => !found.includes(name)),
        'not found by',
      ).toEqual([]);
      const unrelated = failed.filter(({ id }) => !caughtBy.includes(nameOf(id)) && !alsoCaughtBy.includes(nameOf(id)));
      expect(
        unrelated.map(({ id, reason }) => `${id}: ${reason}`),
        'found by others',
      ).toEqual([]);
    },
  );

  test('every check can fail, and every name is one of a check', () => {
    const caught = new Set(mutants.flatMap((mutant) => mutant.caughtBy));
    const all = mutants.flatMap((mutant) => [...mutant.caughtBy, ...(mutant.alsoCaughtBy ?? [])]);
    console.log(`${protocol}: ${mutants.length} broken ${peers} for ${caught.size} of ${names.length} checks`);
    expect(names.filter((name) => !caught.has(name) && !unbroken.has(name))).toEqual([]);
    expect([...all, ...unbroken.keys()].filter((name) => !names.includes(name))).toEqual([]);
  });
}
