// Writes the page on the recordings of the corpus, which is no part of the project (PATCHBAY_CORPUS is its folder): the
// verdicts of the rules. The page copies nothing but ids of checks.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { agentSetOf, clientSetOf } from '../../../src/conformance/index.ts';
import { judgeTrace, readTraceFile } from '../../../src/conformance/trace/trace-file.ts';
import { explanationOf, levelsOf, madeWith, root, tableOf, writePage } from './page.ts';

const corpus = path.resolve(root, process.env.PATCHBAY_CORPUS ?? '../shared/corpus');

interface Group {
  readonly title: string;
  readonly folder: string;
  /** Selects files; default all. */
  readonly files?: RegExp;
  readonly protocol: string;
  readonly side: 'agent' | 'client';
  /** Name of the file with the explanations. */
  readonly explanations: string;
}

const piVersions = ['0.54.2', '0.73.1', '0.87.1'];
const groups: readonly Group[] = [
  {
    title: 'pi 0.13.2',
    folder: 'pi/0.13.2',
    protocol: 'pi-legacy',
    side: 'agent',
    explanations: 'pi-0.13.2',
  },
  ...piVersions.map(
    (version): Group => ({
      title: `pi ${version}`,
      folder: `pi/${version}`,
      protocol: 'pi',
      side: 'agent',
      explanations: 'pi',
    }),
  ),
  {
    title: 'pi-server 2.0 and 2.2',
    folder: 'pi-server',
    protocol: 'pi-server',
    side: 'agent',
    explanations: 'pi-server',
  },
  {
    title: 'Claude Code 2.1.329',
    folder: 'claude-sdk/cli-2.1.329',
    protocol: 'claude',
    side: 'agent',
    explanations: 'claude-code',
  },
  { title: 'ECA servers', folder: 'eca', protocol: 'eca', side: 'agent', explanations: 'eca-servers' },
  {
    title: 'Clients of pi 0.13.2',
    folder: 'pi/0.13.2',
    protocol: 'pi-legacy',
    side: 'client',
    explanations: 'pi-legacy-clients',
  },
  ...piVersions.map(
    (version): Group => ({
      title: `Clients of pi ${version}`,
      folder: `pi/${version}`,
      protocol: 'pi',
      side: 'client',
      explanations: 'pi-clients',
    }),
  ),
  {
    title: 'Clients of pi-server',
    folder: 'pi-server',
    protocol: 'pi-server',
    side: 'client',
    explanations: 'pi-server-clients',
  },
  {
    title: 'Claude Agent SDK 0.3.329',
    folder: 'claude-sdk/sdk-client-0.3.329',
    protocol: 'claude',
    side: 'client',
    explanations: 'claude-clients',
  },
  {
    title: 'ECA for Emacs',
    folder: 'eca',
    files: /^eca-emacs/u,
    protocol: 'eca',
    side: 'client',
    explanations: 'eca-clients',
  },
];

interface Failure {
  readonly file: string;
  readonly id: string;
  readonly level: string;
  readonly places: number;
}

function judgeGroup({ folder, files = /./u, protocol, side }: Group) {
  const set = side === 'agent' ? agentSetOf(protocol) : clientSetOf(protocol);
  if (set === undefined) throw new Error(`no checks for ${side}s of ${protocol}`);
  const names = readdirSync(path.join(corpus, folder)).filter((name) => name.endsWith('.jsonl') && files.test(name));
  const levelOf = levelsOf(set);
  const failures: Failure[] = [];
  const heard = new Set<string>();
  let [judgements, wrong] = [0, 0];
  for (const name of names) {
    const traces = readTraceFile(readFileSync(path.join(corpus, folder, name), 'utf8'));
    for (const { id, verdict, breaches = [] } of judgeTrace([set], traces).flatMap(({ results }) => results)) {
      if (verdict === 'not-applicable') continue;
      heard.add(id);
      judgements += 1;
      if (verdict === 'passed') continue;
      wrong += 1;
      const file = path.basename(name, '.jsonl');
      failures.push({ file, id, level: levelOf.get(id) ?? '', places: Math.max(1, breaches.length) });
    }
  }
  return { set, names, failures, rules: heard.size, judgements, wrong };
}

/** Writes the page, or reports that there is nothing to judge. */
export function makeRecordings(): void {
  if (!existsSync(corpus)) return console.log(`there are no recordings at ${corpus}: the page stays as it is`);
  const judged = groups.map((group) => ({ group, ...judgeGroup(group) }));
  const rows = judged.map(({ group: { title, protocol, side }, names, rules, judgements, failures }) => {
    const strict = failures.filter(({ level }) => level !== 'MAY').length;
    return [
      ...[title, `${protocol} ${side}`, String(names.length), `${rules}`, `${judgements - failures.length}`],
      ...[strict === 0 ? '0' : `**${strict}**`, String(failures.length - strict)],
    ];
  });
  const sum = (of: (one: (typeof judged)[number]) => number) => judged.reduce((all, one) => all + of(one), 0);
  const sections = judged.flatMap(({ group: { title, explanations }, failures }) => {
    if (failures.length === 0) return [];
    const table = [...new Set(failures.map(({ id }) => id))].map((id) => {
      const of = failures.filter((failure) => failure.id === id);
      const places = of.map(({ file, places }) => (places === 1 ? file : `${file} (${places})`));
      return [`\`${id}\``, of[0]?.level ?? '', places.join(', '), explanationOf(explanations, id)];
    });
    return [`## ${title}`, tableOf(['check', 'level', 'recordings (places)', 'explanation'], table)];
  });
  const sets = [...new Set(judged.map(({ set }) => set))];
  writePage('recordings.md', [
    '# Recordings of real programs',
    'What the rules make of recorded conversations (`--trace`). Nothing behind the end of a recording is held against anybody, and a check that must do something itself is left out.',
    `**${sum(({ names }) => names.length)} recordings (twice where both sides were judged), ${sum(({ judgements }) => judgements)} verdicts: ` +
      `${sum(({ judgements, failures }) => judgements - failures.length)} passed, ${sum(({ failures }) => failures.length)} failed, all of them explained below.**`,
    tableOf(
      ['who', 'checks of', 'recordings', 'rules that came up', 'passed', 'MUST, SHOULD failed', 'MAY failed'],
      rows,
    ),
    'Most clients of pi and of pi-server in these recordings are probes that say wrong things on purpose, to see what the agent makes of them.',
    ...sections,
    madeWith(sets),
  ]);
  console.log(rows.map((row) => row.join(' | ')).join('\n'));
}
