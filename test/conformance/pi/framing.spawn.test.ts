// Programs that split lines wrongly, each with one fault, caught by the checks of raw bytes.
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { piAgent } from '../../../src/conformance/pi/agent.ts';
import { runChecks } from '../../../src/conformance/runner/runner.ts';
import { killAllChildren } from '../../../src/transports/child/process-group.ts';

afterAll(killAllChildren);

const program = fileURLToPath(new URL('./careless-pi.mjs', import.meta.url));
const checks = new Set(piAgent.checks.filter(({ needs }) => needs?.raw === true).map(({ id }) => id));

async function failing(fault: string, isFound = (verdict: string) => verdict !== 'passed'): Promise<string[]> {
  const stdio = { command: [process.execPath, program, fault] } as const;
  const target = { label: fault, script: new Map<string, string>(), stdio };
  const results = await runChecks(piAgent, target, { patienceMs: 3000, atOnce: 3, only: ({ id }) => checks.has(id) });
  expect(results.length).toBe(checks.size);
  return results.filter(({ verdict }) => isFound(verdict)).map(({ id }) => id.replace('pi/', ''));
}

describe('a program that reads raw bytes', () => {
  test.concurrent.each([
    ['well', 'none', []],
    ['and passes over lines that end with CR LF', 'crlf', ['raw-crlf']],
    ['and takes one line of each piece', 'joined', ['raw-joined', 'raw-blank-line']],
    ['and takes each piece by itself', 'split', ['raw-split', 'raw-last-line']],
    ['and dies of a blank line', 'blank', ['raw-blank-line']],
    ['and forgets what has no LF at the end', 'last', ['raw-last-line']],
    ['and leaves with another code', 'end', ['input-ends']],
  ])('%s', { timeout: 60_000 }, async (_, fault, caught) => {
    expect((await failing(fault)).sort()).toEqual([...caught].sort());
  });

  test.concurrent.each(['state', 'id'])(
    'does not fail checks of raw bytes where it lacks %s',
    { timeout: 60_000 },
    async (fault) => {
      expect(await failing(fault, (verdict) => verdict === 'failed')).toEqual([]);
    },
  );

  test('covers every check of raw bytes', () => {
    const names = ['input-ends', 'raw-blank-line', 'raw-crlf', 'raw-joined', 'raw-last-line', 'raw-split'];
    expect([...checks].map((id) => id.replace('pi/', '')).sort()).toEqual(names);
  });
});
