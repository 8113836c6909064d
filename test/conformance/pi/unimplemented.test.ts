// An agent of pi that never answers one command: the report says so once, and what follows the command is judged.
import { afterAll, expect, test } from 'vitest';
import { piAgent } from '../../../src/conformance/pi/agent.ts';
import { makeReport } from '../../../src/conformance/report/report.ts';
import { renderTable } from '../../../src/conformance/report/table.ts';
import { runChecks } from '../../../src/conformance/runner/runner.ts';
import { intercepting } from '../support/intercept.ts';
import { dropsOutput } from '../support/mutant.ts';
import { ownMemory } from '../support/targets.ts';

const own = ownMemory('pi', { config: { agents: { demo: { protocol: 'demo', options: { paceMs: 0 } } } } });
afterAll(own.remove);

test('one command without an answer is one line, and what follows it is judged', { timeout: 60_000 }, async () => {
  const make = dropsOutput(({ type, command }) => type === 'response' && command === 'get_available_models');
  const target = { ...own.target, through: intercepting(make()) };
  const options = { patienceMs: 3000, scenarios: (name: string) => name === 'state' };
  const results = await runChecks({ ...piAgent, checks: [] }, target, options);
  const of = (wanted: string) => results.filter(({ verdict }) => verdict === wanted).map(({ id }) => id);
  expect(of('failed')).toEqual(['pi/answered']);
  const [root] = results.filter(({ verdict }) => verdict === 'failed');
  expect(root?.reason).toMatch(/^no response to get_available_models /u);
  // The scenario went on: these are about commands behind the one without an answer.
  expect(of('passed')).toEqual(expect.arrayContaining(['pi/set-session-name-told', 'pi/set-steering-mode-told']));
  const hidden = results.filter(({ because }) => because === 'pi/answered').map(({ id }) => id);
  expect(hidden).toEqual(of('unclear'));
  expect(hidden).toContain('pi/get-available-models-data');
  const report = makeReport({ set: piAgent, results, target: 'x', startedAt: '2026-01-02T03:04:05Z', ms: 0 });
  const table = renderTable(report);
  expect(table).toContain(`${hidden.length} checks could not be tried because of it:`);
  expect(table.split('\n').filter((line) => line.startsWith('? '))).toEqual([]);
});
