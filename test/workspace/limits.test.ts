// The page that people read (docs/contexts.md) tells the limits that count.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { inWords } from '../../src/workspace/budget.ts';
import { limits } from '../../src/workspace/limits.ts';

test('docs/contexts.md tells the limits', () => {
  const page = readFileSync(new URL('../../docs/contexts.md', import.meta.url), 'utf8');
  const number = (count: number) => count.toLocaleString('en');
  const { contexts, prompt, file, search, directory, listing, visits, offered } = limits;
  for (const row of [
    `| contexts of a prompt | ${contexts} |`,
    `| a prompt | ${inWords(prompt)} of contexts |`,
    `| a file | ${inWords(file)}, cut at the end of a line; lines are looked for in its first ${inWords(search)}, and in ${inWords(limits.searches)} for a prompt |`,
    `| a directory | ${directory.files} files of ${inWords(directory.file)} at most, ${inWords(directory.bytes)} in all |`,
    `| a tree | ${number(listing.paths)} paths, ${inWords(listing.bytes)}; ${limits.depth} directories deep |`,
    `| entries looked at | ${number(visits)} for a prompt, and for a question what may be chosen |`,
    `| rules of \`.gitignore\` files tried | ${number(limits.tries)} for the same;`,
    `At most ${offered} are offered`,
  ]) {
    expect(page).toContain(row);
  }
});
