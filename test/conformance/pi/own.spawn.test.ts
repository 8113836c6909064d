// The checks of pi against our own frontend in front of the demo agent, in both dialects: every MUST and SHOULD passes,
// and the checks that are not applicable are listed. Raw bytes are tested on stdin and stdout of our program.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import type { Result } from '../../../src/conformance/check/check.ts';
import { descriptionsOf } from '../../../src/conformance/check/sets.ts';
import { piAgent } from '../../../src/conformance/pi/agent.ts';
import { departures } from '../../../src/conformance/pi/own-departures.ts';
import { runChecks } from '../../../src/conformance/runner/runner.ts';
import { demoScript } from '../../../src/conformance/runner/scripts.ts';
import { killAllChildren } from '../../../src/transports/child/process-group.ts';
import { ownMemory } from '../support/targets.ts';

afterAll(killAllChildren);

const of = (results: readonly Result[], verdict: Result['verdict']) =>
  results.filter((result) => result.verdict === verdict);
const levels = new Map(descriptionsOf(piAgent).map(({ id, level }) => [id, level]));
const names = (results: readonly Result[]) => results.map(({ id }) => id.replace('pi/', '')).sort();

function told(label: string, results: readonly Result[]): void {
  const [passed, failed, silent] = [of(results, 'passed'), of(results, 'failed'), of(results, 'not-applicable')];
  console.log(
    `pi, ${label}: ${results.length} checks, ${passed.length} passed, ${failed.length} failed (${names(failed).join(', ')}), ` +
      `${silent.length} not applicable`,
  );
  const wrong = failed.filter(({ id }) => levels.get(id) !== 'MAY' && !departures.has(id));
  expect(wrong.map(({ id, reason }) => `${id}: ${reason}`)).toEqual([]);
  expect([...departures.keys()].filter((id) => !failed.some((one) => one.id === id))).toEqual([]);
  expect(of(results, 'unclear').map(({ id, reason }) => `${id}: ${reason}`)).toEqual([]);
}

/** Memory channels have frames of their own. */
const bytes = ['input-ends', 'raw-blank-line', 'raw-crlf', 'raw-joined', 'raw-last-line', 'raw-split'];
/** The demo agent stores no files, has no failing extension, and sets no editor text. */
const never = ['extension-error', 'switch-session-data', 'switch-session-file', 'ui-set-editor-text'];

test.each([
  ['growing', []],
  ['delta-only', ['partial', 'partial-same', 'update-message']],
] as const)('our own frontend, in memory, %s', { timeout: 60_000 }, async (dialect, newer) => {
  const script = new Map([...demoScript, ['busy', 'slow 10'], ['long', 'long 200']]);
  const config = { agents: { demo: { protocol: 'demo', options: { paceMs: 0 } } } };
  const own = ownMemory('pi', { script, config, client: { dialect } });
  const results = await runChecks(piAgent, own.target, { atOnce: 32 });
  await own.remove();
  told(dialect, results);
  expect(names(of(results, 'not-applicable'))).toEqual([...bytes, ...never, ...newer].sort());
});

test('our own frontend, on stdin and stdout', { timeout: 60_000 }, async () => {
  const home = mkdtempSync(join(tmpdir(), 'patchbay-conformance-'));
  const cli = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url));
  const command = [process.execPath, cli, 'stdio', '--frontend', 'pi', '--agent', 'demo'] as const;
  const stdio = { command, cwd: home, env: { HOME: home } };
  const only = ({ id }: { readonly id: string }) => bytes.includes(id.replace('pi/', ''));
  const target = { label: 'patchbay', script: demoScript, stdio };
  const results = await runChecks(piAgent, target, { only }).finally(() =>
    rmSync(home, { recursive: true, force: true }),
  );
  told('stdio', results);
  expect(names(of(results, 'passed'))).toEqual([...bytes].sort());
});
