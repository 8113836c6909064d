// Our own frontend as an agent of pi-legacy, in front of the demo agent: no check fails.
import { expect, test } from 'vitest';
import { descriptionsOf } from '../../../src/conformance/check/sets.ts';
import { piLegacyAgent } from '../../../src/conformance/pi-legacy/agent.ts';
import { departures } from '../../../src/conformance/pi-legacy/own-departures.ts';
import { runChecks } from '../../../src/conformance/runner/runner.ts';
import { ownMemory } from '../support/targets.ts';

/** Only a program on stdio reads raw bytes; our user messages hold files as content only. */
const notApplicable = ['crlf', 'split-line', 'attachments-kept'];

test('every applicable check passes', { timeout: 60_000 }, async () => {
  const own = ownMemory('pi-legacy');
  const results = await runChecks(piLegacyAgent, own.target, { patienceMs: 15_000 });
  await own.remove();
  const of = (...verdicts: readonly string[]) => results.filter(({ verdict }) => verdicts.includes(verdict));
  const isMeant = ({ id }: { id: string }) => departures.has(id);
  expect(
    of('failed', 'unclear')
      .filter((result) => !isMeant(result))
      .map(({ id, verdict, reason }) => `${id} ${verdict}: ${reason}`),
  ).toEqual([]);
  expect([...departures.keys()].filter((id) => !of('failed').some((result) => result.id === id))).toEqual([]);
  expect(of('not-applicable').map(({ id }) => id.replace('pi-legacy/', ''))).toEqual(notApplicable);
  expect(results.map(({ id }) => id)).toEqual(descriptionsOf(piLegacyAgent).map(({ id }) => id));
});
