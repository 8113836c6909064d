// The checks of native Claude agents against our own frontend, in memory and in front of the demo agent.
import { expect, test } from 'vitest';
import { claudeAgent } from '../../../src/conformance/claude/agent.ts';
import { departures } from '../../../src/conformance/claude/own-departures.ts';
import { runChecks } from '../../../src/conformance/runner/runner.ts';
import { ownMemory } from '../support/targets.ts';

/** Checks that are not applicable to our frontend in front of the demo agent. */
const silent: readonly string[] = ['claude/tool-progress-shape'];

test('our own frontend violates no rule', { timeout: 60_000 }, async () => {
  const { target, remove } = ownMemory('claude');
  const results = await runChecks(claudeAgent, target).finally(remove);
  const said = (verdict: string) =>
    results.flatMap(({ id, verdict: own, reason }) => (own === verdict ? [`${id}: ${reason ?? ''}`] : []));
  console.log(`claude: ${results.length} checks, ${said('passed').length} passed`);
  expect(said('failed').filter((line) => !departures.has(line.split(':')[0] ?? ''))).toEqual([]);
  expect(said('unclear')).toEqual([]);
  expect(results.flatMap(({ id, verdict }) => (verdict === 'not-applicable' ? [id] : []))).toEqual(silent);
});
