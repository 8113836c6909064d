// The kept reports match the present checks: they name the versions of the sets, and explain each failure.
// make.spawn.test.ts makes them anew.
import { expect, test } from 'vitest';
import { descriptionsOf } from '../../../src/conformance/check/sets.ts';
import { sets } from '../../../src/conformance/index.ts';
import { explain } from '../../../src/conformance/report/explanations.ts';
import { explanationNames, explanationsIn, pageNames, readPage } from './page.ts';

const ids = sets.flatMap((set) => descriptionsOf(set).map(({ id }) => id));
const protocols = new Set(sets.map(({ protocol }) => protocol));
const versions = new Map(sets.map(({ protocol, side, version }) => [`${protocol} ${side}s`, version]));
const pages = pageNames().filter((name) => name !== 'README.md');

test.each(pages)('%s is up to date and explains every failure', (name) => {
  const text = readPage(name);
  const named = [...text.matchAll(/checks of ([\w-]+ (?:agents|clients)), version (\w+)/gu)];
  expect(named.length, 'it names its checks').toBeGreaterThan(0);
  expect(named.filter(([, set = '', version]) => versions.get(set) !== version).map(([words]) => words)).toEqual([]);

  // In every table with explanations, the first cell is the check and the last one its explanation.
  const rows = text.split('\n').filter((line) => /^\| `[\w-]+\//u.test(line));
  for (const row of rows) {
    const cells = row.split(/(?<!\\)\|/u).map((cell) => cell.trim());
    expect(ids, row).toContain(cells[1]?.replaceAll('`', ''));
    expect(cells.at(-2), row).toMatch(/^(?:Theirs|Ours|Nobody's)\b/u);
  }
  const codes = [...text.matchAll(/`([\w-]+)\/[\w./-]+`/gu)].filter(([, protocol = '']) => protocols.has(protocol));
  expect(codes.map(([code]) => code.replaceAll('`', '')).filter((id) => !ids.includes(id))).toEqual([]);
});

/** The versions that the sets cover: those of pi by `--as-of`, of Claude Code what was measured and newer. */
const covered = pages.filter((name) => /^(?:pi-[\d.]+|claude-code-2\.1\.332)\.md$/u.test(name));

test.each(covered)('%s has no MUST that a true program fails, and nothing unclear', (name) => {
  const troubles = readPage(name)
    .split('\n')
    .filter((line) => /^\| `[\w-]+\/[\w-]+` \| MUST/u.test(line));
  expect(troubles).toEqual([]);
  expect(readPage(name)).toMatch(/ 0 unclear,/u);
});

test.each(explanationNames())('explanations/%s.json names existing checks', (name) => {
  expect(explain(explanationsIn(name), ids).stray).toEqual([]);
});

test('the index page lists every other page with its totals', () => {
  const index = readPage('README.md');
  for (const name of pages) {
    expect(index).toContain(`](${name})`);
    const totals = /^\*\*(.+?)\*\*$/mu.exec(readPage(name))?.[1];
    expect(totals).toBeDefined();
    expect(index).toContain(totals);
  }
});
