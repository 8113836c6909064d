// The rules of pi-servers against our own server in this process, and against its mutants.
import { afterAll, describe, expect, test } from 'vitest';
import type { AgentSet } from '../../../src/conformance/check/sets.ts';
import { piServerAgent } from '../../../src/conformance/pi-server/agent.ts';
import { departures } from '../../../src/conformance/pi-server/own-departures.ts';
import { runChecks } from '../../../src/conformance/runner/runner.ts';
import type { Target } from '../../../src/conformance/runner/target.ts';
import { killAllChildren } from '../../../src/transports/child/process-group.ts';
import { testBrokenAgents } from '../support/broken.ts';
import { type Own, ownDemo, ownMemory } from '../support/targets.ts';
import { ruleMutants } from './mutants/rules.ts';

/** Checks that act have tests of their own. */
const rules: AgentSet = { ...piServerAgent, checks: [] };
const config = { agents: { demo: { protocol: 'demo', options: { paceMs: 0 } } } };
const servers: Own[] = [];
/** A server for each scenario, because all clients of a server receive its events. */
function target(): Target {
  const own = ownMemory('pi-server', { config });
  servers.push(own);
  return own.target;
}
afterAll(async () => {
  await Promise.all(servers.map(({ remove }) => remove()));
});

describe('our own server', () => {
  test('violates no rule', { timeout: 60_000 }, async () => {
    const results = await runChecks(rules, target());
    const wrong = results.filter(({ verdict }) => verdict !== 'passed' && verdict !== 'not-applicable');
    expect(wrong.map(({ id, verdict, reason }) => `${id}: ${verdict}: ${reason}`)).toEqual([]);
    const silent = results.filter(({ verdict }) => verdict === 'not-applicable');
    // These need a program that can be ended, or short timeouts.
    expect(silent.map(({ id }) => id)).toEqual([
      'pi-server/shutdown-data',
      'pi-server/timeout-failed',
      'pi-server/shutdown-last',
    ]);
    expect(results.length).toBe(rules.rules.length);
    expect([...departures.keys()].filter((id) => rules.rules.some((rule) => rule.id === id))).toEqual([]);
  });
});

test('our own server violates no rule on shutdown', { timeout: 60_000 }, async () => {
  const program = ownDemo();
  try {
    const results = await runChecks(rules, program.target, {
      only: ({ id }) => /shutdown-/u.test(id),
      scenarios: (name) => name === 'farewell',
    });
    expect(results.map(({ id, verdict, reason = '' }) => `${id}: ${verdict}${reason}`)).toEqual([
      'pi-server/shutdown-data: passed',
      'pi-server/shutdown-last: passed',
    ]);
  } finally {
    await program.remove();
    killAllChildren();
  }
});

describe('broken servers', () => {
  testBrokenAgents(rules, ruleMutants, { target, patienceMs: 4000 });
});
