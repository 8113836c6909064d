// Defines the tests of a list of broken peers: each is caught by its checks and by no unrelated ones, and each check
// catches one.
import { expect, test } from 'vitest';
import type { Result } from '../../../src/conformance/check/check.ts';
import type { Rule, Trace } from '../../../src/conformance/check/rule.ts';
import type { Mutant } from './mutant.ts';

/** Run every scenario or behaviour with every broken peer, instead of only those that its own checks read. */
export const runsEverything = process.env.PATCHBAY_CONFORMANCE === 'all';

/** The rules of pure shape, as checks that no mutant has to fail. */
export const shapedRules = (
  rules: readonly Rule<Trace>[],
  nameOf: (id: string) => string,
): readonly (readonly [string, string])[] =>
  rules
    .filter(({ form }) => form !== undefined)
    .map(({ id }) => [nameOf(id), 'shape-rows.test.ts has a broken peer for each field of its row']);

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
  judge(mutant: Mutant, patience: Patience): Promise<readonly Result[]>;
}

/** How many times its usual patience a judgement takes. */
export type Patience = 1 | typeof longPatience;
const longPatience = 20;

/** Defines the tests. */
export function testMutants({ protocol, peers, mutants, names, unbroken, nameOf, judge }: MutantTests): void {
  test.each(mutants.map((mutant) => [mutant.fault, mutant] as const))(
    '%s',
    { concurrent: true, timeout: 300_000 },
    async (_fault, mutant) => {
      const { caughtBy, alsoCaughtBy = [] } = mutant;
      async function look(patience: Patience) {
        const failed = (await judge(mutant, patience)).filter(({ verdict }) => verdict === 'failed');
        const found = failed.map(({ id }) => nameOf(id));
        const unrelated = failed.filter(
          ({ id }) => !caughtBy.includes(nameOf(id)) && !alsoCaughtBy.includes(nameOf(id)),
        );
        return {
          'not found by': caughtBy.filter((name) => !found.includes(name)),
          'found by others': unrelated.map(({ id, reason }) => `${id}: ${reason}`),
        };
      }
      const none = { 'not found by': [], 'found by others': [] };
      const quick = await look(1);
      // On a busy machine a peer that is slow looks like one that is silent: only long patience tells them apart.
      const isClear = Object.values(quick).every((names) => names.length === 0);
      expect(isClear ? quick : await look(longPatience)).toEqual(none);
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
