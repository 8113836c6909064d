// What users read speaks of the protocols and their documents, never of how this project calls them among its makers.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { adapters } from '../src/adapters/index.ts';
import { descriptionsOf } from '../src/conformance/check/sets.ts';
import { sets } from '../src/conformance/index.ts';
import { patchbay, type RunOptions } from './support/command.ts';

const root = join(import.meta.dirname, '..');
/** But for the option `--seed` and the field `"seed"`. */
const ours = /(?<!--|")\bseeds?\b[^\n]*/giu;

/** The pages of a folder, with all below it. */
function pagesIn(folder: string): string[] {
  const names = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
  return names.filter((name) => /\.(?:md|json|html)$/u.test(name)).map((name) => join(folder, name));
}

const pages = [
  'README.md',
  'patchbay.schema.json',
  'canonical.schema.json',
  'conformance-report.schema.json',
  'docs/fidelity.md',
  'docs/contexts.md',
  'docs/performance.md',
  ...pagesIn('docs/guides'),
  ...pagesIn('docs/conformance'),
];
test.each(pages)('%s', (page) => {
  expect(readFileSync(join(root, page), 'utf8').match(ours)).toBeNull();
});

test('titles of protocols', () => {
  expect([...adapters.values()].map(({ title }) => title).filter((title) => title.match(ours))).toEqual([]);
});

test('sentences of checks', () => {
  const texts = sets.flatMap((set) => descriptionsOf(set).map((description) => JSON.stringify(description)));
  expect(texts.length).toBeGreaterThan(500);
  expect(texts.filter((text) => text.match(ours))).toEqual([]);
});

describe('--help', () => {
  test.each<[NonNullable<RunOptions['program']>, string[]]>([
    ['patchbay', []],
    ['patchbay', ['serve']],
    ['patchbay', ['stdio']],
    ['patchbay', ['translate']],
    ['patchbay', ['record']],
    ['patchbay', ['replay']],
    ['patchbay', ['redact']],
    ['patchbay', ['chaos']],
    ['patchbay', ['compare']],
    ['patchbay', ['conformance']],
    ['patchbay', ['agents']],
    ['patchbay-pi', []],
    ['patchbay-claude', []],
    ['patchbay-eca', []],
  ])('%s %j', async (program, words) => {
    const { code, stdout } = await patchbay([...words, '--help'], { program });
    expect([code, stdout.match(ours)]).toEqual([0, null]);
  });
});
