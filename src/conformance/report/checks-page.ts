// Renders the page docs/conformance/checks.md: the list of all checks.
import type { Description } from '../check/check.ts';
import { type CheckSet, descriptionsOf } from '../check/sets.ts';

const introduction = `# The checks

Made from the sets of checks in \`src/conformance\`; a test fails when this page is out of date, and
\`UPDATE=1 npx vitest run test/conformance/checks-page.test.ts\` writes it anew. Do not edit it.

\`patchbay conformance <protocol> --list\` prints the same for one protocol. An **id** is stable: \`--only\` and files of checks that are
known to fail name checks by it. **MUST**, **SHOULD** and **MAY** are those of RFC 2119. *measured*: the specification is silent
there, and this is what the named versions do; such a check is no MUST. *acts*: the check does something of its own, so a recorded trace cannot
show it; all others read what was said, live or recorded.
`;

/** Groups by section, in the order of the first check of each. */
function checksBySection(descriptions: readonly Description[]): ReadonlyMap<string, readonly Description[]> {
  const sections = new Map<string, Description[]>();
  for (const description of descriptions) {
    const those = sections.get(description.section) ?? [];
    sections.set(description.section, those);
    those.push(description);
  }
  return sections;
}

/** The page. Sets come in the given order, with all sets of one protocol together. */
export function renderChecksPage(sets: readonly CheckSet[]): string {
  const protocols = [...new Set(sets.map(({ protocol }) => protocol))];
  const parts = protocols.flatMap((protocol) => [
    `## ${protocol}`,
    ...sets.filter((set) => set.protocol === protocol).flatMap(setParts),
  ]);
  return `${[introduction.trimEnd(), totals(sets), ...parts].join('\n\n')}\n`;
}

function totals(sets: readonly CheckSet[]): string {
  const rows = sets.map((set) => [set.protocol, `${set.side}s`, set.version, ...figures(set)]);
  const sums = figuresOf(
    sets.flatMap((set) => descriptionsOf(set)),
    sets.flatMap((set) => [...session(set)]).length,
  );
  return [
    '| protocol | of | version | checks | that act | MUST | SHOULD | MAY | measured |',
    '|---|---|--:|--:|--:|--:|--:|--:|--:|',
    ...[...rows, ['all', '', '', ...sums]].map((row) => `| ${row.join(' | ')} |`),
  ].join('\n');
}

const session = (set: CheckSet): ReadonlySet<string> =>
  new Set(set.side === 'agent' ? set.checks.map(({ id }) => id) : []);

const figures = (set: CheckSet): readonly number[] => figuresOf(descriptionsOf(set), session(set).size);

function figuresOf(descriptions: readonly Description[], behaviours: number): readonly number[] {
  const of = (wanted: Description['level']) => descriptions.filter(({ level }) => level === wanted).length;
  const measured = descriptions.filter(({ basis }) => basis === 'measured').length;
  return [descriptions.length, behaviours, of('MUST'), of('SHOULD'), of('MAY'), measured];
}

function setParts(set: CheckSet): string[] {
  const behaviours = session(set);
  const descriptions = descriptionsOf(set);
  return [
    `### ${set.protocol} ${set.side}s (${descriptions.length})`,
    ...(set.measuredOn === undefined ? [] : [`*measured*: ${cell(set.measuredOn)}.`]),
    ...[...checksBySection(descriptions)].flatMap(([section, those]) => [
      `**${cell(section)}**`,
      ['| id | level | | what is to be so |', '|---|---|---|---|', ...those.map((one) => row(one, behaviours))].join(
        '\n',
      ),
    ]),
  ];
}

function row({ id, level, basis, sentence }: Description, behaviours: ReadonlySet<string>): string {
  const labels = [...(basis === 'measured' ? ['measured'] : []), ...(behaviours.has(id) ? ['acts'] : [])];
  return `| \`${id}\` | ${level} | ${labels.map((mark) => `*${mark}*`).join(', ')} | ${cell(sentence)} |`;
}

const cell = (text: string): string => text.replace(/[|<>_*]/gu, (mark) => `\\${mark}`).replaceAll('\n', ' ');
