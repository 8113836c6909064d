// The page of the mutation scores: a table, the mutants that are legal by reason, and those that no rule notices.
import type { Score } from './score.ts';

const head = `# What the checks notice

Made by \`UPDATE=1 npm run test:full -- test/conformance/mutation\`. Do not edit it.

Each row changes what a correct agent or client sends, one place at a time: a frame is dropped, sent twice or swapped with the next; a
field is removed, or gets a value of another type, null, another value, or a shorter one. The conversations of agents are those of
\`fixtures/scenarios\`; those of clients, and more of ACP agents, are what our own clients and the fake agents of \`--as client\` say to each
other. Checks that act on a peer are not counted, and neither are changes inside the arguments of calls and inside snapshots. A mutant is *caught* if a rule finds a fault that the unchanged conversation does not have. A mutant that breaks no sentence
is *legal*, for the reasons below; the reasons are our own judgement. The score is caught of those that are not legal. All that is not
noticed is listed.

| set | tried | caught | legal | not noticed | score |
|---|--:|--:|--:|--:|--:|
`;

const legalIn = ({ legal }: Score): number => [...legal.values()].reduce((total, names) => total + names.length, 0);

function row(score: Score): string {
  const { protocol, side, tried, caught, missed } = score;
  const percent = ((100 * caught) / score.normative).toFixed(1);
  return `| ${protocol} ${side}s | ${tried} | ${caught} | ${legalIn(score)} | ${missed.length} | ${percent} % |\n`;
}

/** What is not noticed, a line for each kind of frame and a word for each field. */
function missedIn({ missed }: Score): string {
  const kinds = new Map<string, Map<string, string[]>>();
  for (const name of missed) {
    const [how = '', kind = '', ...rest] = name.split(' ');
    const fields = kinds.get(kind) ?? new Map<string, string[]>();
    kinds.set(kind, fields);
    const field = rest.join(' ');
    fields.set(field, [...(fields.get(field) ?? []), how]);
  }
  const wordsOf = ([field, hows]: [string, string[]]) =>
    field === '' ? hows.join(', ') : `${field.startsWith('and ') ? field : `\`${field}\``} (${hows.join(', ')})`;
  return [...kinds].map(([kind, fields]) => `- **${kind}**: ${[...fields].map(wordsOf).join('; ')}\n`).join('');
}

/** The part of the page on one set. */
export function sectionOf(score: Score): string {
  const legal = [...score.legal].map(([why, names]) => `- ${names.length}: ${why}\n`).join('');
  const missed = score.missed.length === 0 ? 'All else is noticed.\n' : `Not noticed:\n\n${missedIn(score)}`;
  return `\n## ${score.protocol} ${score.side}s\n\n${row(score)}\nLegal:\n\n${legal}\n${missed}`;
}

/** The whole page. */
export function scorePage(scores: readonly Score[]): string {
  return head + scores.map(row).join('') + scores.map(sectionOf).join('');
}
