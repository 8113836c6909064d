// Tests that each broken agent is found by the checks that are meant to find it, and by no others: a man in the middle breaks a
// correct one. Knows no protocol.
import { expect, test } from 'vitest';
import type { Result } from '../../../src/conformance/check.ts';
import { runChecks } from '../../../src/conformance/runner.ts';
import { type AgentSet, descriptionsOf } from '../../../src/conformance/sets.ts';
import type { Target } from '../../../src/conformance/target.ts';
import type { Double } from './double.ts';
import { tampering } from './tamper.ts';

/** Every scenario is played with every broken agent, not only those that its own checks read. */
const isWhole = process.env.PATCHBAY_CONFORMANCE === 'all';

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
export function testBrokenAgents(set: AgentSet, doubles: readonly Double[], options: BrokenOptions): void {
  const { patienceMs = 3000, unbroken = new Map<string, string>() } = options;
  const nameOf = (id: string) => id.replace(`${set.protocol}/`, '');
  const names = descriptionsOf(set).map(({ id }) => nameOf(id));

  async function judge({ caught, make }: Double): Promise<readonly Result[]> {
    const through = tampering(make());
    const checks = new Set(set.checks.map(({ id }) => id).filter((id) => caught.includes(nameOf(id))));
    const rules = set.rules.filter(({ id }) => caught.includes(nameOf(id)));
    const read = new Set(rules.flatMap(({ scenarios }) => scenarios));
    const isRule = new Set(set.rules.map(({ id }) => id));
    return runChecks(
      set,
      { ...options.target(), through },
      {
        patienceMs,
        only: ({ id }) => isWhole || checks.has(id) || (rules.length > 0 && isRule.has(id)),
        scenarios: (name) => isWhole || read.has(name),
      },
    );
  }

  test.each(doubles.map((double) => [double.fault, double] as const))(
    '%s',
    { concurrent: true, timeout: 60_000 },
    async (_fault, double) => {
      const { caught, kin = [] } = double;
      const failed = (await judge(double)).filter(({ verdict }) => verdict === 'failed');
      const found = failed.map(({ id }) => nameOf(id));
      expect(
        caught.filter((name) => !found.includes(name)),
        'not found by',
      ).toEqual([]);
      const unrelated = failed.filter(({ id }) => !caught.includes(nameOf(id)) && !kin.includes(nameOf(id)));
      expect(
        unrelated.map(({ id, reason }) => `${id}: ${reason}`),
        'found by others',
      ).toEqual([]);
    },
  );

  test('every check can fail, and every name is one of a check', () => {
    const caught = new Set(doubles.flatMap((double) => double.caught));
    const all = doubles.flatMap((double) => [...double.caught, ...(double.kin ?? [])]);
    console.log(`${set.protocol}: ${doubles.length} broken agents for ${caught.size} of ${names.length} checks`);
    expect(names.filter((name) => !caught.has(name) && !unbroken.has(name))).toEqual([]);
    expect([...all, ...unbroken.keys()].filter((name) => !names.includes(name))).toEqual([]);
  });
}
