// docs/conformance/checks.md, changelog.md and shapes.md are up to date. `UPDATE=1` writes it; read what it writes.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { descriptionsOf } from '../../src/conformance/check/sets.ts';
import { sets } from '../../src/conformance/index.ts';
import { renderChangelogPage } from '../../src/conformance/report/changelog-page.ts';
import { renderChecksPage } from '../../src/conformance/report/checks-page.ts';
import { renderShapesPage } from '../../src/conformance/report/shapes-page.ts';
import { isUpdate } from '../support/fixtures.ts';

const pages = { 'checks.md': renderChecksPage, 'changelog.md': renderChangelogPage, 'shapes.md': renderShapesPage };

test.each(Object.entries(pages))('docs/conformance/%s is up to date', (name, render) => {
  const file = path.resolve(import.meta.dirname, '../../docs/conformance', name);
  const page = render(sets);
  if (isUpdate) writeFileSync(file, page);
  expect(readFileSync(file, 'utf8'), 'UPDATE=1 npx vitest run test/conformance/checks-page.test.ts writes it').toBe(
    page,
  );
});

test('it has a row for every check', () => {
  const rows = renderChecksPage(sets)
    .split('\n')
    .flatMap((line) => /^\| `([^`]+)` \|/u.exec(line)?.[1] ?? []);
  expect(rows).toHaveLength(sets.flatMap(descriptionsOf).length);
  expect(new Set(rows)).toEqual(new Set(sets.flatMap(descriptionsOf).map(({ id }) => id)));
});

test('what no specification says is no MUST, and its set names the versions that were measured', () => {
  const all = sets.flatMap((set) => descriptionsOf(set).map((one) => ({ ...one, set })));
  const measured = all.filter(({ basis }) => basis === 'measured');
  expect(measured.length).toBeGreaterThan(100);
  expect(measured.filter(({ level }) => level === 'MUST').map(({ id }) => id)).toEqual([]);
  expect(measured.filter(({ set }) => set.measuredOn === undefined).map(({ id }) => id)).toEqual([]);
});
