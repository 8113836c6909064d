// The checks of ACP agents that need raw bytes or a process: our own program, and small programs with one fault each.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { acpAgent } from '../../../src/conformance/acp/agent.ts';
import { runChecks } from '../../../src/conformance/runner/runner.ts';
import type { Target } from '../../../src/conformance/runner/target.ts';
import { killAllChildren } from '../../../src/transports/child/process-group.ts';
import { inBytes } from './mutants/in-bytes.ts';

const home = mkdtempSync(join(tmpdir(), 'patchbay-acp-'));
afterAll(async () => {
  await killAllChildren();
  rmSync(home, { recursive: true, force: true });
});

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

function program(...words: readonly string[]): Target {
  const command: [string, ...string[]] = [process.execPath, ...words];
  return { label: words.join(' '), script: new Map(), stdio: { command, cwd: home, env: { HOME: home } } };
}
const naive = (...fault: readonly string[]) => program(at('./naive-agent.mjs'), ...fault);

async function verdicts(target: Target, names: readonly string[], patienceMs: number): Promise<Record<string, string>> {
  const only = ({ id }: { readonly id: string }) => names.includes(id.replace('acp/', ''));
  const results = await runChecks(acpAgent, target, { only, transport: 'stdio', atOnce: 4, patienceMs });
  return Object.fromEntries(results.map(({ id, verdict }) => [id.replace('acp/', ''), verdict]));
}
const passing = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, 'passed']));

describe('checks in bytes', () => {
  test('our own program passes', { timeout: 60_000 }, async () => {
    const target = program(at('../../../dist/cli/main.js'), 'stdio', '--frontend', 'acp', '--agent', 'demo');
    // Its framing has tests of its own, and each check starts the program.
    const few = ['lines-in-one-write', 'blank-lines', 'input-ends'];
    expect(await verdicts(target, few, 15_000)).toEqual(passing(few));
  });

  test('a small correct program passes', { timeout: 60_000 }, async () => {
    expect(await verdicts(naive(), inBytes, 15_000)).toEqual(passing(inBytes));
  });

  test.each(inBytes)('a program is found that fails at %s', { concurrent: true, timeout: 60_000 }, async (fault) => {
    expect(await verdicts(naive(fault), [fault], 1500)).toEqual({ [fault]: 'failed' });
  });
});
