// What becomes of one mutant.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { findFile, mutate } from './list.mjs';
import { relatedTests } from './related.mjs';

/**
 * - `killed`: a test fails that passes without the mutant; `timeout`: such a test no longer ends.
 * - `survived`: all tests that were tried pass.
 * - `stale`: the original is not in the source once. `broken`: the mutated source does not load.
 *
 * @typedef {'killed' | 'timeout' | 'survived' | 'stale' | 'broken'} Verdict
 * @typedef {{ verdict: Verdict, file?: string, killer?: string, why?: string }} Judgement
 * @typedef {ReturnType<typeof import('./scratch.mjs').createTester>} Tester
 */

/** Tests that run together, after the recorded killer alone. */
const batchSize = 6;

/** @param {readonly string[]} all */
const batches = (all) =>
  Array.from({ length: Math.ceil(all.length / batchSize) }, (_, at) => all.slice(at * batchSize, (at + 1) * batchSize));

/**
 * @param {{ root: string, files: readonly string[], importers: ReadonlyMap<string, readonly string[]>, limit: number,
 *   tester: Tester, green: Map<string, boolean> }} tree
 * `limit`: how many tests are tried beside the recorded killer; `green`: which tests are known to pass without a mutant
 * @param {import('./list.mjs').Mutant} mutant
 * @returns {Promise<Judgement>}
 */
export async function judge({ root, files, importers, limit, tester, green }, mutant) {
  const place = mutate(root, mutant, files);
  if ('stale' in place) return { verdict: 'stale', why: place.stale };
  const { file, text } = place;
  const whole = readFileSync(path.join(root, file), 'utf8');

  const run = (tests, source) => {
    tester.write(file, source);
    return tester.run(tests);
  };
  /** Whether a test passes without the mutant. */
  const isGreen = async (test) => {
    if (!green.has(test)) green.set(test, (await run([test], whole)).green.includes(test));
    return green.get(test);
  };

  const recorded = findFile(root, mutant.killer, files);
  const related = relatedTests(file, importers);
  const mirrored = related.mirrored.filter((test) => test !== recorded);
  const others = related.others.filter((test) => test !== recorded);
  const tried = [recorded === null ? [] : [recorded], mirrored, ...batches(others.slice(0, limit))].filter(
    (tests) => tests.length > 0,
  );
  let isBroken = false;
  try {
    for (const tests of tried) {
      const seen = await run(tests, text);
      // Of several files that share a process one may have failed for another's sake: it has to fail alone.
      for (const test of seen.isHung ? tests : [...seen.red, ...seen.broken]) {
        if (!(await isGreen(test))) continue;
        const alone = tests.length === 1 ? seen : await run([test], text);
        if (alone.red.length > 0) return { verdict: 'killed', file, killer: test };
        if (alone.isHung) return { verdict: 'timeout', file, killer: test };
        isBroken ||= alone.broken.length > 0;
      }
      if (isBroken) break;
    }
  } finally {
    tester.write(file, whole);
  }
  if (isBroken) return { verdict: 'broken', file, why: 'a test that imports it does not load' };
  const why = `${tried.flat().length} of ${tried.flat().length + Math.max(0, others.length - limit)} tests tried`;
  return { verdict: 'survived', file, why };
}
