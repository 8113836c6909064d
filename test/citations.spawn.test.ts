// Resolves every citation of a rule: the source names rules by file and number (docs/protocols/README.md), and a rule that is cited must
// be there.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '..');

/** Text by path from the project's root. */
type Texts = ReadonlyMap<string, string>;

function readTexts(): Texts {
  const names = execFileSync('git', ['ls-files', '*.ts', '*.mjs', '*.md'], { cwd: root, encoding: 'utf8' });
  const files = names.split('\n').filter((file) => file !== '' && existsSync(path.join(root, file)));
  return new Map(files.map((file) => [file, readFileSync(path.join(root, file), 'utf8')]));
}

/** A citation that runs over the end of a comment line is one citation. */
const joined = (text: string): string => text.replaceAll(/\n\s*(?:\/\/|\*(?!\/))? ?/g, ' ');

const number = String.raw`[A-Z]?\d+(?:\.\d+)?`;
const citation = new RegExp(
  String.raw`\b(docs/(?:protocols/)?[\w-]+\.md)(?: (${number}(?:(?:, (?:and )?| and | to | or )${number})*))?(?![\w.]*\()`,
  'g',
);

interface Citation {
  readonly page: string;
  /** Rules (`4.12`, `T9`) and sections (`4`). */
  readonly numbers: readonly string[];
}

function citationsIn(text: string): Citation[] {
  return [...joined(text).matchAll(citation)].map(([, page = '', numbers = '']) => ({
    page,
    numbers: numbers === '' ? [] : numbers.split(/, (?:and )?| and | to | or /),
  }));
}

/** The rules and sections of a page. */
function rulesOf(markdown: string): ReadonlySet<string> {
  const rules = [...markdown.matchAll(/^- \*\*([A-Z]?\d+(?:\.\d+)?)\*\*/gm)];
  const sections = [...markdown.matchAll(/^## (\d+)/gm)];
  return new Set([...rules, ...sections].map((match) => match[1]!));
}

/** Documents in the repositories of the protocols themselves, by the paths that they have there. */
const upstream = new Set(['protocol', 'RPC', 'RPC_MESSAGE_FORMAT', 'message-types'].map((name) => `docs/${name}.md`));

/** Citations that lead nowhere. `pages`: the documents. */
function faults(texts: Texts, pages: Texts): string[] {
  const rules = new Map([...pages].map(([page, markdown]) => [page, rulesOf(markdown)]));
  const found: string[] = [];
  for (const [file, text] of texts) {
    for (const { page, numbers } of citationsIn(text)) {
      if (upstream.has(page)) continue;
      const known = rules.get(page);
      if (known === undefined) found.push(`${file}: ${page} is no file`);
      for (const cited of numbers) if (known?.has(cited) === false) found.push(`${file}: ${page} has no ${cited}`);
    }
  }
  return found;
}

const withoutProtocol = /^docs\/(?:protocols\/(?:common|resume)|threats|faults|limits|performance|contexts)\.md$/;

/** Core and transports know no protocol, so they cite only what belongs to all. */
function citesProtocol([file, text]: readonly [string, string]): string[] {
  if (!/^src\/(?:core|transports)\//.test(file)) return [];
  return citationsIn(text).flatMap(({ page }) => (withoutProtocol.test(page) ? [] : [`${file}: cites ${page}`]));
}

describe('the citations', () => {
  const texts = readTexts();
  const pages = new Map([...texts].filter(([file]) => /^docs\/.*\.md$/.test(file)));
  const cited = [...texts].filter(([file]) => file.startsWith('src/')).flatMap(([, text]) => citationsIn(text));

  test('are there', () => expect(cited.flatMap(({ numbers }) => numbers).length).toBeGreaterThan(500));
  test('resolve', () => expect(faults(texts, pages)).toEqual([]));
  test('of core and transports name no protocol', () => expect([...texts].flatMap(citesProtocol)).toEqual([]));
});

/** Citations in the form that points outside of the repository. */
const outside =
  /\b(?:the )?(?:seed|reference)(?:'s)? (?:pi|eca|claude|rpc|common|performance|reliability|threat|section|\d)/i;

test('no file cites a document outside of the repository', () => {
  const found = [...readTexts()].flatMap(([file, text]) => {
    const match = /^(?:src|test|bench)\//.test(file) ? outside.exec(joined(text)) : null;
    return match === null || file === 'test/citations.spawn.test.ts' ? [] : [`${file}: ${match[0]}`];
  });
  expect(found).toEqual([]);
});

describe('the check itself', () => {
  const page = ['docs', 'protocols', 'a.md'].join('/');
  const threats = ['docs', 'threats.md'].join('/');
  const pages: Texts = new Map([
    [page, '## 4 Prompts\n\n- **4.12** *ours* A rule.\n'],
    [threats, '- **T9** A threat.\n'],
  ]);

  test.each([
    `// (${page} 4.12)`,
    `// A rule (${page}\n// 4.12, 4).`,
    ` * See ${threats} T9.`,
    `// ${page} 4.12 and ${threats} T9: both.`,
    `// ${page} is long.`,
  ])('accepts %j', (text) => expect(faults(new Map([['x.ts', text]]), pages)).toEqual([]));

  test.each([
    [`// (${page} 4.13)`, `x.ts: ${page} has no 4.13`],
    [`// (${page}\n// 5)`, `x.ts: ${page} has no 5`],
    [`// ${page} 4.12, 4.99.`, `x.ts: ${page} has no 4.99`],
    [`// ${threats} T10`, `x.ts: ${threats} has no T10`],
    [`// ${page.replace('a.md', 'b.md')} 4`, `x.ts: ${page.replace('a.md', 'b.md')} is no file`],
  ])('refuses %j', (text, fault) => expect(faults(new Map([['x.ts', text]]), pages)).toEqual([fault]));
});
