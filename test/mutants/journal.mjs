// Verdicts on disk, so that a run that was cut goes on. They hold for one tree: when a source or a test has changed, all are forgotten.
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** @typedef {import('./list.mjs').Mutant} Mutant */
/** @typedef {import('./judge.mjs').Judgement} Judgement */

/** A mended line is another mutant. */
const keyOf = (/** @type {Mutant} */ { id, original, mutated }) => [id, original, mutated].join('\t');

/** @param {readonly string[]} files */
function digest(root, files) {
  const hash = createHash('sha256');
  for (const file of files.filter((name) => /^(src|test|fixtures|package)/.test(name) && !name.endsWith('.tsv'))) {
    hash.update(file).update(readFileSync(path.join(root, file)));
  }
  return hash.digest('hex');
}

/**
 * @param {string | undefined} file nothing is kept without one
 * @param {readonly string[]} files of the tree, as paths from its root
 */
export function openJournal(file, root, files) {
  /** @type {Map<string, Judgement>} */
  const known = new Map();
  if (file !== undefined) {
    const head = JSON.stringify({ tree: digest(root, files) });
    const lines = existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
    if (lines[0] !== head) writeFileSync(file, `${head}\n`);
    else for (const line of lines.slice(1)) known.set(...JSON.parse(line));
  }
  return {
    /** @returns {Judgement | undefined} */
    get: (/** @type {Mutant} */ mutant) => known.get(keyOf(mutant)),
    set: (/** @type {Mutant} */ mutant, /** @type {Judgement} */ judgement) => {
      known.set(keyOf(mutant), judgement);
      if (file !== undefined) appendFileSync(file, `${JSON.stringify([keyOf(mutant), judgement])}\n`);
    },
  };
}
