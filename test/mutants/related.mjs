// Which tests can see a file: those of the mirrored path, then those that import it, the nearest first.
import { readFileSync } from 'node:fs';
import path from 'node:path';

const { posix } = path;
const imports = /(?:\bfrom\s*|\bimport\s*\(?\s*|\bmock\(\s*)['"](\.{1,2}\/[^'"\n]+)['"]/g;
/** Tests that start programs or need fetched ones: slow, and they see most files from far. */
const programs = /^test\/(e2e|cli|claude-code|newest|node-versions|contract)\//;
/** Tests of very many inputs. */
const long = /corpus|propert|laws|lossless/;
const isTest = (/** @type {string} */ file) => file.startsWith('test/') && file.endsWith('.test.ts');

/**
 * Files that import each file, directly.
 * @param {readonly string[]} files all files, as paths from the root
 * @returns {Map<string, string[]>}
 */
export function readImporters(root, files) {
  /** @type {Map<string, string[]>} */
  const importers = new Map();
  for (const file of files) {
    if (!/^(src|test)\/.*\.ts$/.test(file)) continue;
    const text = readFileSync(path.join(root, file), 'utf8');
    for (const [, specifier] of text.matchAll(imports)) {
      const imported = posix.join(posix.dirname(file), specifier);
      importers.set(imported, [...(importers.get(imported) ?? []), file]);
    }
  }
  return importers;
}

/** How many folders below `src` and `test` two files have in common, from the top. */
function nearness(file, test) {
  const [own, others] = [file, test].map((name) => posix.dirname(name).split('/').slice(1));
  const apart = own.findIndex((folder, at) => folder !== others[at]);
  return apart === -1 ? own.length : apart;
}

/** The test of the mirrored path: `test/core/window*.test.ts` of `src/core/window.ts`. */
function isMirrored(file, test) {
  const isNamed = posix.basename(test).startsWith(posix.basename(file, '.ts'));
  return isNamed && (nearness(file, test) > 0 || posix.dirname(test) === 'test');
}

/**
 * Tests in the order in which to try them, those of the mirrored path apart.
 * @param {ReadonlyMap<string, readonly string[]>} importers
 * @returns {{ mirrored: string[], others: string[] }}
 */
export function relatedTests(file, importers) {
  const seen = new Set([file]);
  // A set grows while it is walked: breadth first, so that the nearest come first.
  for (const known of seen) for (const importer of importers.get(known) ?? []) seen.add(importer);
  const tests = [...seen].filter((test) => isTest(test) && (!programs.test(test) || file.startsWith('src/cli/')));
  const others = tests.filter((test) => !isMirrored(file, test));
  const rank = (/** @type {string} */ test) => nearness(file, test) - (long.test(test) ? 10 : 0);
  return {
    mirrored: tests.filter((test) => isMirrored(file, test)),
    others: others.sort((one, other) => rank(other) - rank(one)),
  };
}
