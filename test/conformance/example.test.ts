// The worked example of docs/conformance/add-a-check.md: its set passes a correct agent, judges a recording, and
// catches each mutant; and the page quotes the code unchanged.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { descriptionsOf } from '../../src/conformance/check/sets.ts';
import { runChecks } from '../../src/conformance/runner/runner.ts';
import type { Target } from '../../src/conformance/runner/target.ts';
import { judgeTrace, readTraceFile } from '../../src/conformance/trace/trace-file.ts';
import { memoryPair } from '../../src/transports/memory.ts';
import { testBrokenAgents } from './support/broken.ts';
import { echoAgent, echoMutants } from './support/example-check.ts';

const root = path.resolve(import.meta.dirname, '../..');

/** A correct agent. */
function target(): Target {
  return {
    label: 'echo',
    script: new Map(),
    memory() {
      const [near, far] = memoryPair();
      near.open({
        frame({ text }) {
          try {
            const { id, text: answer } = JSON.parse(text) as { id: string; text: string };
            near.send(JSON.stringify({ id, answer }));
          } catch {
            // Not a call: no answer.
          }
        },
        fault() {},
        end() {},
      });
      return far;
    },
  };
}

test('a correct agent passes all of it', async () => {
  const results = await runChecks(echoAgent, target(), { patienceMs: 2000 });
  expect(results.map(({ id, verdict }) => [id, verdict])).toEqual(
    descriptionsOf(echoAgent).map(({ id }) => [id, 'passed']),
  );
});

test('a recording is judged by the same rules', () => {
  const rows = [
    { dir: 'in', msg: { id: 'a', text: 'hello' } },
    { dir: 'out', msg: { id: 'a', answer: 'goodbye' } },
    { dir: 'in', msg: { id: 'b', text: 'anybody there?' } },
  ];
  const [judged] = judgeTrace([echoAgent], readTraceFile(rows.map((row) => `${JSON.stringify(row)}\n`).join('')));
  expect(judged?.results.map(({ id, verdict, reason }) => [id, verdict, reason])).toEqual([
    ['echo/answered', 'passed', undefined],
    ['echo/same-text', 'failed', 'must be "hello"'],
  ]);
});

describe('mutants', () => {
  testBrokenAgents(echoAgent, echoMutants, { target, patienceMs: 300 });
});

test('the page quotes real code', () => {
  const page = readFileSync(path.join(root, 'docs/conformance/add-a-check.md'), 'utf8');
  const fences = [...page.matchAll(/```ts\n\/\/ ([\w./-]+)\n([\s\S]*?)```/gu)];
  expect(fences.length).toBeGreaterThan(3);
  expect(page.match(/```ts/gu)).toHaveLength(fences.length);
  const squeezed = (text: string) => text.replace(/\s+/gu, ' ').trim();
  for (const [, file = '', code = ''] of fences) {
    const whole = squeezed(readFileSync(path.join(root, file), 'utf8'));
    for (const part of code.split(/\n *…\n/u)) expect(whole, file).toContain(squeezed(part));
  }
});

test('the page names only files that there are', () => {
  const page = readFileSync(path.join(root, 'docs/conformance/add-a-check.md'), 'utf8');
  const files = [...page.matchAll(/`((?:src|test|docs)\/[\w./-]+)`/gu)].map(([, file = '']) => file);
  expect(files.length).toBeGreaterThan(8);
  for (const file of files) expect(() => readFileSync(path.join(root, file)), file).not.toThrow(/ENOENT/u);
});
