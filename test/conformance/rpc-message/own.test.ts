// The checks of rpc-message agents against our own frontend, in memory and in front of the demo agent.
import { expect, test } from 'vitest';
import { rpcMessageAgent } from '../../../src/conformance/rpc-message/agent.ts';
import { departures } from '../../../src/conformance/rpc-message/own-departures.ts';
import { runChecks } from '../../../src/conformance/runner/runner.ts';
import { ownMemory } from '../support/targets.ts';

/** Checks that are not applicable to our frontend in front of the demo agent. */
const silent: readonly string[] = [
  // The demo agent sends no block of another protocol.
  'rpc-message/unknown-block',
  // A failed turn says so in its result.
  'rpc-message/error-goes-on',
];

test('our own frontend violates no rule', { timeout: 60_000 }, async () => {
  const { target, remove } = ownMemory('rpc-message');
  const results = await runChecks(rpcMessageAgent, target).finally(remove);
  const said = (verdict: string) =>
    results.flatMap(({ id, verdict: own, reason }) => (own === verdict ? [`${id}: ${reason ?? ''}`] : []));
  console.log(`rpc-message: ${results.length} checks, ${said('passed').length} passed`);
  expect(said('failed').filter((line) => !departures.has(line.split(':')[0] ?? ''))).toEqual([]);
  expect(said('unclear')).toEqual([]);
  expect(results.flatMap(({ id, verdict }) => (verdict === 'not-applicable' ? [id] : []))).toEqual(silent);
});
