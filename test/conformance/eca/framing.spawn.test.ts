// The checks of ECA servers that need raw bytes on stdio: our own program, and small programs with one fault each.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import type { Result } from '../../../src/conformance/check/check.ts';
import { ecaAgent } from '../../../src/conformance/eca/agent.ts';
import { departures } from '../../../src/conformance/eca/own-departures.ts';
import { runChecks } from '../../../src/conformance/runner/runner.ts';
import type { Target } from '../../../src/conformance/runner/target.ts';
import { killAllChildren } from '../../../src/transports/child/process-group.ts';
import { contentLength } from '../../../src/transports/framing/content-length.ts';
import { inBytes } from './mutants/in-bytes.ts';

const home = mkdtempSync(join(tmpdir(), 'patchbay-eca-'));
afterAll(async () => {
  await killAllChildren();
  rmSync(home, { recursive: true, force: true });
});

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

function program(...words: readonly string[]): Target {
  const command: [string, ...string[]] = [process.execPath, ...words];
  return {
    label: words.join(' '),
    framing: contentLength,
    script: new Map(),
    stdio: { command, cwd: home, env: { HOME: home } },
  };
}
const naive = (...fault: readonly string[]) => program(at('./naive-server.mjs'), ...fault);

/** The verdicts of these checks; of the scenarios only `start` runs. */
async function verdicts(target: Target, names: readonly string[], patienceMs: number): Promise<Map<string, string>> {
  const results = await resultsOf(target, names, patienceMs);
  return new Map(results.map(({ id, verdict }) => [id.replace('eca/', ''), verdict]));
}

function resultsOf(target: Target, names: readonly string[], patienceMs: number): Promise<Result[]> {
  const isAsked = (id: string) => names.includes(id.replace('eca/', ''));
  const options = { only: ({ id }: { id: string }) => isAsked(id), scenarios: (name: string) => name === 'start' };
  return runChecks(ecaAgent, target, { ...options, transport: 'stdio', atOnce: 4, patienceMs });
}

/** All checks of raw bytes, and that of an orderly end. */
const names = [...inBytes, 'exit-ends'];
/** Our own program takes half a second to start, and its framing has tests of its own, so a few checks suffice. */
const few = ['frames-readable', 'length-in-bytes', 'other-charset', 'exit-ends'];
const isAll = process.env.PATCHBAY_CONFORMANCE === 'all';
const passing = new Map(names.map((name) => [name, 'passed']));

describe('checks in bytes', () => {
  test('our own program passes except for its departures', { timeout: 60_000 }, async () => {
    const target = program(at('../../../dist/cli/main.js'), 'stdio', '--frontend', 'eca', '--agent', 'demo');
    const isOurs = (name: string) => departures.has(`eca/${name}`);
    const found = await verdicts(
      target,
      (isAll ? names : few).filter((name) => !isOurs(name)),
      10_000,
    );
    expect([...found].filter(([, verdict]) => verdict !== 'passed')).toEqual([]);
    const departing = await verdicts(target, names.filter(isOurs), 1500);
    expect([...departing].map(([name, verdict]) => [`eca/${name}`, verdict])).toEqual(
      [...departures.keys()].map((id) => [id, 'failed']),
    );
  });

  test('a small correct program passes', { timeout: 60_000 }, async () => {
    expect(Object.fromEntries(await verdicts(naive(), names, 10_000))).toEqual(Object.fromEntries(passing));
  });

  test('a program that counts letters is told so', { timeout: 60_000 }, async () => {
    const [counts] = await resultsOf(naive('letters'), ['message-shape'], 1000);
    expect([counts?.verdict, counts?.reason]).toEqual(['failed', expect.stringMatching(/count letters, not bytes/u)]);
  });

  test.each(inBytes)('a program is found that fails at %s', { concurrent: true, timeout: 60_000 }, async (fault) => {
    const found = await verdicts(naive(fault), [fault], 1000);
    expect([...found]).toEqual([[fault, 'failed']]);
  });
});
