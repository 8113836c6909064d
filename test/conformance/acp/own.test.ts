// The checks of ACP agents against our own frontend, in this process and in front of the demo agent, and those of clients
// against our own backend. framing.spawn.test.ts covers stdio and raw bytes.
import { expect, test } from 'vitest';
import { acpAgent } from '../../../src/conformance/acp/agent.ts';
import { acpClient } from '../../../src/conformance/acp/client.ts';
import type { Result } from '../../../src/conformance/check/check.ts';
import { runChecks } from '../../../src/conformance/runner/runner.ts';
import { ownMemory } from '../support/targets.ts';
import { inBytes } from './mutants/in-bytes.ts';
import { ownAcpClient } from './own-client.ts';

const bytes = 'what is sent over memory has frames of its own, and is no process';
const unsaid = 'the demo agent does not say it';
const unasked = 'we ask nothing of the environment of a client';

/** Checks that are not applicable in memory with the demo agent, and why. */
const silent: ReadonlyMap<string, string> = new Map([
  ...inBytes.map((name) => [name, bytes] as const),
  ...['call-lines', 'plan-shape', 'session-info-shape', 'terminal-shown', 'meta-object'].map(
    (name) => [name, unsaid] as const,
  ),
  ...['asks-what-was-declared', 'environment-shape', 'environment-paths'].map((name) => [name, unasked] as const),
  ['takes-audio', 'we take no sounds'],
  ['login-possible', 'we need no login'],
]);

/** Checks of clients that do not come up with our own, and why. */
const silentClient: ReadonlyMap<string, string> = new Map([
  ['authenticate-offered', 'a login is the user’s'],
  ['commands-known', 'its prompts begin with no slash'],
  ['environment-shape', 'it declares neither files nor terminals'],
  ...['tool-servers', 'tool-servers-declared', 'folders-declared', 'cancel-request-known', 'list-cursor'].map(
    (name) => [name, 'it sends none here'] as const,
  ),
  ...[
    'load-declared',
    'resume-declared',
    'list-declared',
    'close-declared',
    'delete-declared',
    'load-shape',
    'mode-offered',
  ].map((name) => [name, 'nothing here needs it'] as const),
]);

const wrong = (results: readonly Result[]) =>
  results.flatMap(({ id, verdict, reason }) =>
    verdict === 'failed' || verdict === 'unclear' ? [`${id} ${verdict}: ${reason}`] : [],
  );
const unheard = (results: readonly Result[], begin: string) =>
  results.flatMap(({ id, verdict }) => (verdict === 'not-applicable' ? [id.replace(begin, '')] : []));
const passed = (results: readonly Result[]) => results.filter(({ verdict }) => verdict === 'passed').length;

test('our own frontend passes', { timeout: 300_000 }, async () => {
  const { target, remove } = ownMemory('acp');
  const results = await runChecks(acpAgent, target, { patienceMs: 60_000 });
  await remove();
  console.log(`${target.label}: ${results.length} checks, ${passed(results)} passed`);
  expect(wrong(results)).toEqual([]);
  // A question is taken back or not, by which of the cancel and the answer comes first.
  const steady = unheard(results, 'acp/').filter((name) => name !== 'cancel-request-known');
  expect(steady.sort()).toEqual([...silent.keys()].sort());
});

test('our own backend passes', { timeout: 300_000 }, async () => {
  const results = await ownAcpClient.run(acpClient, { patienceMs: 15_000 });
  console.log(`our own backend: ${results.length} checks, ${passed(results)} passed`);
  expect(wrong(results)).toEqual([]);
  expect(unheard(results, 'acp/client/').sort()).toEqual([...silentClient.keys()].sort());
});

test('every scenario is read by a rule, and every scenario of a rule exists', () => {
  for (const { rules, names } of [
    { rules: acpAgent.rules, names: acpAgent.scenarios.map(({ name }) => name) },
    { rules: acpClient.rules, names: acpClient.behaviours.map(({ name }) => name) },
  ]) {
    const read = new Set(rules.flatMap(({ scenarios }) => scenarios));
    expect([...read].filter((name) => !names.includes(name))).toEqual([]);
    expect(names.filter((name) => !read.has(name))).toEqual([]);
  }
});
