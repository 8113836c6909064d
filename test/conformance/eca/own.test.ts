// The checks of ECA servers against our own frontend, in this process and in front of the demo agent. framing.test.ts
// covers stdio and raw bytes.
import { expect, test } from 'vitest';
import { descriptionsOf } from '../../../src/conformance/check/sets.ts';
import { ecaAgent } from '../../../src/conformance/eca/agent.ts';
import { ecaClient } from '../../../src/conformance/eca/client.ts';
import { departures } from '../../../src/conformance/eca/own-departures.ts';
import { runChecks } from '../../../src/conformance/runner/runner.ts';
import { ownMemory } from '../support/targets.ts';

const bytes = 'what is sent over memory has frames of its own';
const servers = 'the demo agent has no MCP server';
const unsaid = 'the demo agent does not say it';

/** Checks that are not applicable in memory with the demo agent, and why. */
const silent: ReadonlyMap<string, string> = new Map([
  ...['content-type', 'frame-in-pieces', 'frames-in-one-write', 'header-case'].map((name) => [name, bytes] as const),
  ...['header-space', 'length-in-bytes', 'other-charset', 'parent-process'].map((name) => [name, bytes] as const),
  ...['mcp-start', 'mcp-stop', 'tool-server-mcp'].map((name) => [name, servers] as const),
  ...['content-image', 'content-url'].map((name) => [name, unsaid] as const),
  ['failure-told', 'the demo agent fails in the middle of its words'],
  ['request-id-kept', 'servers have stopped that in 0.46, and so have we'],
  ['request-id', 'we ask only what our checks do not declare'],
  ['asks-what-was-declared', 'we ask only what our checks do not declare'],
]);

test('our own server passes', { timeout: 60_000 }, async () => {
  const { target, remove } = ownMemory('eca');
  const results = await runChecks(ecaAgent, target, { patienceMs: 10_000 });
  await remove();
  const wrong = results.filter(({ verdict }) => verdict === 'failed' || verdict === 'unclear');
  const passed = results.filter(({ verdict }) => verdict === 'passed').length;
  console.log(`${target.label}: ${results.length} checks, ${passed} passed`);
  expect(wrong.map(({ id, verdict, reason }) => `${id} ${verdict}: ${reason}`)).toEqual([]);
  const unheard = results.filter(({ verdict }) => verdict === 'not-applicable').map(({ id }) => id.replace('eca/', ''));
  expect(unheard.sort()).toEqual([...silent.keys()].sort());
});

test('every scenario is read by a rule, and every scenario of a rule exists', () => {
  for (const { rules, names } of [
    { rules: ecaAgent.rules, names: ecaAgent.scenarios.map(({ name }) => name) },
    { rules: ecaClient.rules, names: ecaClient.behaviours.map(({ name }) => name) },
  ]) {
    const read = new Set(rules.flatMap(({ scenarios }) => scenarios));
    expect([...read].filter((name) => !names.includes(name))).toEqual([]);
    expect(names.filter((name) => !read.has(name))).toEqual([]);
  }
});

test('every departure names an existing check, with a reason', () => {
  const ids = new Set(descriptionsOf(ecaAgent).map(({ id }) => id));
  for (const [id, reason] of departures) {
    expect(ids).toContain(id);
    expect(reason).toMatch(/^\S.*\.$/u);
  }
});
