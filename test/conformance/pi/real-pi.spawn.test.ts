// The checks of pi against the real pi 0.54.2 with a fake model, on its own stdin and stdout. Violations are in a table
// with their reasons; any other violation means a wrong rule.
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import type { Result } from '../../../src/conformance/check/check.ts';
import { descriptionsOf } from '../../../src/conformance/check/sets.ts';
import { startFakeAnthropic } from '../../../src/conformance/model/endpoint.ts';
import { piAgent } from '../../../src/conformance/pi/agent.ts';
import { runChecks } from '../../../src/conformance/runner/runner.ts';
import { modelScript } from '../../../src/conformance/runner/scripts.ts';
import type { Target } from '../../../src/conformance/runner/target.ts';
import { killAllChildren } from '../../../src/transports/child/process-group.ts';
import { makePiHome, piCommand } from '../../support/pi-rig.ts';

afterAll(killAllChildren);

/** Run every scenario and check; by default those with the most coverage in the least time. */
const runsEverything = process.env.PATCHBAY_CONFORMANCE === 'all';
const usual: ReadonlySet<string> = new Set([
  'text',
  'tools',
  'state',
  'sessions',
  'odd',
  'odd lines',
  'abort',
  'dialogs',
  'displays',
]);
const usualChecks: ReadonlySet<string> = new Set(['pi/raw-split', 'pi/separators', 'pi/input-ends']);

/** Violations of the real pi 0.54.2. */
const theirs: ReadonlyMap<string, string> = new Map([
  ['pi/failure-id', 'Until 0.79.6 pi forgets the id of an unknown command, and of one in which something is thrown.'],
  ['pi/answered-once', 'Until 0.67.3 a prompt that was refused is answered again, with success.'],
]);

/** Checks that are not applicable even when everything runs. */
const unheard: readonly string[] = [
  // There is one model only.
  'pi/cycle-model-told',
  // Newer versions only.
  'pi/settled-outside-run',
  'pi/queue-update-fields',
  'pi/agent-end-retry',
  'pi/bash-update-fields',
];

const asks = fileURLToPath(new URL('../support/asking-extension.ts', import.meta.url));
const script: ReadonlyMap<string, string> = new Map([
  ...modelScript,
  ...['select', 'confirm', 'input', 'editor'].map((method) => [method, `/ask ${method}`] as const),
  ['notice', '/show'],
  ['status', '/show'],
  ['extension error', '/throw'],
]);

const levels = new Map(descriptionsOf(piAgent).map(({ id, level }) => [id, level]));
const of = (results: readonly Result[], verdict: Result['verdict']) =>
  results.filter((result) => result.verdict === verdict);

test('the real pi 0.54.2', { timeout: 240_000 }, async () => {
  const fake = await startFakeAnthropic();
  const home = makePiHome({ baseUrl: fake.url });
  const { argv, env } = piCommand(home);
  // Without the recorder, and with stored sessions.
  const [program = '', ...words] = argv.slice(argv.indexOf('--') + 1).filter((word) => word !== '--no-session');
  const target: Target = {
    label: 'pi 0.54.2',
    script,
    stdio: { command: [program, ...words, '--extension', asks], cwd: home.project, env },
  };
  const checks = new Set(piAgent.checks.map(({ id }) => id));
  const results = await runChecks(piAgent, target, {
    atOnce: 2,
    patienceMs: 30_000,
    only: ({ id }) => runsEverything || !checks.has(id) || usualChecks.has(id),
    scenarios: (name) => runsEverything || usual.has(name),
  });
  await fake.close();
  home.remove();

  const [passed, failed] = [of(results, 'passed'), of(results, 'failed')];
  console.log(
    `pi 0.54.2: ${passed.length + failed.length} of ${levels.size} checks applied, ${passed.length} passed, ` +
      `${theirs.size} departures of theirs`,
  );
  const wrong = failed.filter(({ id }) => levels.get(id) !== 'MAY' && !theirs.has(id));
  expect(wrong.map(({ id, reason }) => `${id}: ${reason}`)).toEqual([]);
  expect([...theirs.keys()].filter((id) => !failed.some((result) => result.id === id))).toEqual([]);
  expect(of(results, 'unclear').map(({ id, reason }) => `${id}: ${reason}`)).toEqual([]);
  const silent = of(results, 'not-applicable').map(({ id }) => id);
  if (runsEverything) expect(silent.sort()).toEqual([...unheard].sort());
});
