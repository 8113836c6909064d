// A page about clients: one row for each, and each verdict that is none of its passes.
import type { Result, Verdict } from '../../../src/conformance/check/check.ts';
import { clientSetOf } from '../../../src/conformance/index.ts';
import { levels, type Tally } from '../../../src/conformance/report/report.ts';
import { explanationOf, levelsOf, madeWith, seconds, tableOf, tallyText, writePage } from './page.ts';

/** A client that can be judged. */
export interface JudgedClient {
  readonly label: string;
  readonly protocol: string;
  judge(): Promise<readonly Result[]>;
}

/** The words around the tables. */
export interface ClientsPage {
  readonly title: string;
  readonly introduction: string;
  /** Stands before the lists of checks that were not applicable. */
  readonly silence: string;
  readonly notes?: readonly string[];
}

function tallyOf(results: readonly Result[]): Tally {
  const count = (wanted: Verdict) => results.filter(({ verdict }) => verdict === wanted).length;
  return {
    passed: count('passed'),
    failed: count('failed'),
    unclear: count('unclear'),
    'not-applicable': count('not-applicable'),
  };
}

/** Judges the clients one after the other and writes the page. `name`: of the page, and of the file of explanations. */
export async function makeClientsPage(name: string, page: ClientsPage, clients: readonly JudgedClient[]) {
  const rows: string[][] = [];
  const troubles: string[][] = [];
  const silent: string[] = [];
  const sets = new Set<NonNullable<ReturnType<typeof clientSetOf>>>();
  let [passed, wrong] = [0, 0];
  for (const { label, protocol, judge } of clients) {
    const set = clientSetOf(protocol);
    if (set === undefined) throw new Error(`no checks for clients of ${protocol}`);
    sets.add(set);
    const startedAt = Date.now();
    const results = await judge();
    const levelOf = levelsOf(set);
    const cells = levels.map((level) => tallyText(tallyOf(results.filter(({ id }) => levelOf.get(id) === level))));
    rows.push([label, ...cells, seconds(Date.now() - startedAt)]);
    const bad = results.filter(({ verdict }) => verdict === 'failed' || verdict === 'unclear');
    passed += tallyOf(results).passed;
    wrong += bad.length;
    for (const { id, verdict } of bad)
      troubles.push([`\`${id}\``, label, levelOf.get(id) ?? '', verdict, explanationOf(name, id)]);
    const quiet = results.flatMap(({ id, verdict }) => (verdict === 'not-applicable' ? [`\`${id}\``] : []));
    if (quiet.length > 0) silent.push(`- ${label}: ${quiet.join(', ')}`);
  }
  writePage(`${name}.md`, [
    `# ${page.title}`,
    page.introduction,
    `**${passed} checks passed, ${wrong} did not.**`,
    tableOf(['client', 'MUST', 'SHOULD', 'MAY', 'time'], rows),
    ...(troubles.length === 0 ? [] : [tableOf(['check', 'client', 'level', 'verdict', 'explanation'], troubles)]),
    ...(page.notes ?? []),
    ...(silent.length === 0 ? [] : [page.silence, silent.join('\n')]),
    madeWith([...sets]),
  ]);
}
