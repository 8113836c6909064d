// Every heading, every kind of message and every requirement of a specification has a check, or a reason for having
// none. The specifications themselves are compared where they are available.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Description } from '../../src/conformance/check/check.ts';
import { descriptionsOf } from '../../src/conformance/check/sets.ts';
import { sets } from '../../src/conformance/index.ts';
import { readDocument, sectionNames } from './support/document-headings.ts';
import { kindsIn } from './support/document-kinds.ts';
import { askingSentences, plainWords } from './support/document-sentences.ts';

const documents = process.env.PATCHBAY_DOCUMENTS ?? '../shared/seeds';
const folder = path.resolve(import.meta.dirname, '../../src/conformance');
/** The page of this project that stands for the documents of ACP. */
const ourPage = 'acp.md';

const Item = z.strictObject({ name: z.string().min(1), reason: z.string().min(1).optional() });
const Coverage = z.strictObject({
  document: z.string(),
  protocols: z.array(z.string()).min(1),
  sections: z.array(Item).min(1),
  kinds: z.array(Item).min(1),
  sentences: z.array(
    z.strictObject({ words: z.string().min(1), checks: z.array(z.string()).optional(), reason: z.string().optional() }),
  ),
});
type Coverage = z.infer<typeof Coverage>;

/** The `coverage.ts` of every protocol that has one. */
const coverages: readonly Coverage[] = await Promise.all(
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(path.join(folder, entry.name, 'coverage.ts')))
    .map(async ({ name }) => {
      const exported: Record<string, unknown> = await import(path.join(folder, name, 'coverage.ts'));
      const [coverage, ...more] = Object.values(exported);
      expect(more, `${name}/coverage.ts exports one thing`).toEqual([]);
      return Coverage.parse(coverage);
    }),
);

const documentFiles = [
  'acp.md',
  'claude-rpc-message.md',
  'eca-protocol.md',
  'pi-legacy-rpc.md',
  'pi-rpc.md',
  'pi-server-protocol.md',
] as const;

const all: readonly Description[] = sets.flatMap(descriptionsOf);
const checksOf = ({ protocols }: Coverage): Description[] =>
  sets.filter(({ protocol }) => protocols.includes(protocol)).flatMap(descriptionsOf);

/** Names that come more than once. */
const twice = (names: readonly string[]): string[] => names.filter((name, index) => names.indexOf(name) !== index);

test('every specification has an inventory, and every protocol is in one', () => {
  const hint = 'each src/conformance/<name>/coverage.ts names its document, and documentFiles of this test lists it';
  expect(coverages.map(({ document }) => document).sort(), hint).toEqual(documentFiles);
  const covered = coverages.flatMap(({ protocols }) => protocols);
  expect([...new Set(sets.map(({ protocol }) => protocol))].filter((protocol) => !covered.includes(protocol))).toEqual(
    [],
  );
  expect(twice(covered)).toEqual([]);
});

test('ids are unique words that begin with their protocol and side', () => {
  expect(twice(all.map(({ id }) => id))).toEqual([]);
  for (const set of sets) {
    const begin = set.side === 'agent' ? `${set.protocol}/` : `${set.protocol}/client/`;
    for (const { id } of descriptionsOf(set)) {
      expect(id.startsWith(begin), id).toBe(true);
      // The part after a colon is a word of the wire.
      expect(id.slice(begin.length), id).toMatch(/^[a-z\d]+(?:[.-][a-z\d]+)*(?::[a-z_]+)?$/u);
    }
  }
});

test('every check states its requirement as a sentence', () => {
  for (const { id, sentence } of all) expect(sentence, id).toMatch(/^[A-Z$`'"\p{Ll}].*[.!]$/su);
  for (const set of sets) expect(twice(descriptionsOf(set).map(({ sentence }) => sentence)), set.protocol).toEqual([]);
});

test('there are at least 300 checks', () => {
  const rows = sets.map((set) => `${set.protocol} ${set.side}: ${descriptionsOf(set).length}`);
  console.log(`${all.length} checks; ${rows.join(', ')}`);
  expect(all.length).toBeGreaterThanOrEqual(300);
});

describe.each(coverages.map((coverage) => [coverage.document, coverage] as const))('%s', (document, coverage) => {
  const checks = checksOf(coverage);

  test('every section has a check or a reason', () => {
    const checked = new Set(checks.map(({ section }) => section));
    expect(unexplained(coverage.sections, checked), 'neither').toEqual([]);
    expect(overexplained(coverage.sections, checked), 'both').toEqual([]);
    const names = coverage.sections.map(({ name }) => name);
    expect(twice(names)).toEqual([]);
    expect(
      checks.filter(({ section }) => !names.includes(section)).map(({ id, section }) => `${id}: ${section}`),
      'checks of sections that there are not',
    ).toEqual([]);
  });

  test('every kind of message has a check or a reason', () => {
    const checked = new Set(checks.flatMap(({ covers = [] }) => covers));
    expect(unexplained(coverage.kinds, checked), 'neither').toEqual([]);
    expect(overexplained(coverage.kinds, checked), 'both').toEqual([]);
    const names = coverage.kinds.map(({ name }) => name);
    expect(twice(names)).toEqual([]);
    expect(
      [...checked].filter((kind) => !names.includes(kind)),
      'kinds that there are not',
    ).toEqual([]);
  });

  test('every sentence has a check or a reason', () => {
    const ids = new Set(checks.map(({ id }) => id));
    const rows = coverage.sentences.map(({ checks: about = [], reason = '', ...row }) => ({ ...row, about, reason }));
    const isDecided = (about: readonly string[], reason: string) => about.length > 0 !== (reason.trim() !== '');
    expect(
      rows.filter(({ about, reason }) => !isDecided(about, reason)).map(({ words }) => words),
      'neither, or both',
    ).toEqual([]);
    expect(
      rows.flatMap(({ about }) => about).filter((id) => !ids.has(id)),
      'checks that there are not',
    ).toEqual([]);
  });

  if (document === ourPage) {
    const page = readFileSync(path.resolve(import.meta.dirname, '../../docs/protocols', document), 'utf8');

    test('the rules of the page are the sections', () => {
      const rules = [...page.matchAll(/^- \*\*(\d+\.\d+)\*\* \*(?:document|measured|ours)\*/gmu)].map(
        ([, number]) => number,
      );
      expect(rules.length).toBeGreaterThan(60);
      expect(coverage.sections.map(({ name }) => name).sort()).toEqual(rules.sort());
    });

    test('the methods and updates of the page are among the kinds', () => {
      const methods = [...page.matchAll(/`((?:session|fs|terminal|elicitation|\$)\/[a-z_]+)/gu)].map(
        ([, name = '']) => name,
      );
      const updates = [...page.matchAll(/"sessionUpdate":"(\w+)"/gu)].map(([, name = '']) => name);
      expect(new Set(methods).size).toBeGreaterThan(15);
      const names = coverage.kinds.map(({ name }) => name);
      expect([...methods, ...updates].filter((kind) => !names.some((name) => name.endsWith(`:${kind}`)))).toEqual([]);
    });
    return;
  }

  const file = path.join(documents, document);
  const isAtHand = existsSync(file);
  if (!isAtHand) console.log(`${document} is not at hand (PATCHBAY_DOCUMENTS): not compared with it`);

  describe.skipIf(!isAtHand)('compared with the specification', () => {
    const read = readDocument(isAtHand ? readFileSync(file, 'utf8') : '');

    test('its headings are the sections', () => {
      expect(read.headings.length).toBeGreaterThan(10);
      const names = coverage.sections.map(({ name }) => name);
      const missing = read.headings.filter((heading) => !sectionNames(heading).some((name) => names.includes(name)));
      expect(missing, 'headings without a section').toEqual([]);
      const known = new Set(read.headings.flatMap(sectionNames));
      expect(
        names.filter((name) => !known.has(name) && name !== read.title),
        'sections without a heading',
      ).toEqual([]);
    });

    test('its kinds of message are among the kinds', () => {
      const kinds = kindsIn(read);
      expect(kinds.length).toBeGreaterThan(10);
      const names = coverage.kinds.map(({ name }) => name);
      expect(kinds.filter((kind) => !names.some((name) => name === kind || name.endsWith(`:${kind}`)))).toEqual([]);
    });

    test('each sentence that asks for something is one of the sentences', () => {
      const sentences = askingSentences(read);
      const words = coverage.sentences.map((entry) => plainWords(entry.words));
      const found = sentences.map(
        (sentence) => [sentence, words.filter((one) => sentence.includes(one)).length] as const,
      );
      expect(found.filter(([, count]) => count !== 1)).toEqual([]);
      const whole = plainWords(
        [...read.prose, ...read.code.map(({ text }) => text)].join(' ').replace(/\s\*+(?=\s)/gu, ''),
      );
      expect(
        words.filter((one) => !sentences.some((sentence) => sentence.includes(one)) && !whole.includes(one)),
        'words that it does not hold',
      ).toEqual([]);
    });
  });
});

/** Items with neither a check nor a reason. */
const unexplained = (rows: Coverage['sections'], checked: ReadonlySet<string>): string[] =>
  rows.filter(({ name, reason = '' }) => !checked.has(name) && reason.trim() === '').map(({ name }) => name);

/** Items with both. */
const overexplained = (rows: Coverage['sections'], checked: ReadonlySet<string>): string[] =>
  rows.filter(({ name, reason }) => checked.has(name) && reason !== undefined).map(({ name }) => name);
