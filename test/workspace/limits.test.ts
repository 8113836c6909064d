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
    `| a file | ${inWords(file)}, cut at the end of a line; lines are searched in its first ${inWords(search)}, and in at most ${inWords(limits.searches)} per prompt |`,
    `| a directory | ${directory.files} files of ${inWords(directory.file)} at most, ${inWords(directory.bytes)} in all |`,
    `| a tree | ${number(listing.paths)} paths, ${inWords(listing.bytes)}; ${limits.depth} directories deep |`,
    `| directory entries read | ${number(visits)} per prompt, and per query for choices |`,
    `| rules of \`.gitignore\` files tried | ${number(limits.tries)} per prompt, and per query for choices;`,
    `At most ${offered} entries are offered`,
  ]) {
    expect(page).toContain(row);
  }
});
