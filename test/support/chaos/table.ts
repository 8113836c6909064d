// docs/chaos-table.md: written from the outcomes of a run, and read again.
import type { CellEnding } from './cell.ts';
import type { ChaosRow } from './rows.ts';

const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

/** A row of the page. */
interface Cell {
  readonly name: string;
  readonly row: ChaosRow;
  readonly agent: string;
}

/** The page. `endings` by the names of cells. */
export function chaosTable(cells: readonly Cell[], endings: ReadonlyMap<string, CellEnding>): string {
  const body = cells.map(({ name, row, agent }) => {
    const ending = endings.get(name);
    if (ending === undefined) throw new Error(`${name} did not end well`);
    return line([`\`${row.fault}\``, agent, ending, row.harm === 'lossy' ? '–' : 'legal', 'all seven']);
  });
  return [
    '# Table of faults on demand',
    '',
    'Every kind of fault of [`patchbay chaos`](guides/chaos.md), between the gateway and the first process of an agent, with',
    'one client of each of the seven protocols on the session. `test/e2e/chaos.test.ts` makes the table: one test for each row',
    'in every `npm test`; `npm run test:full` runs each row with an agent of each of six protocols.',
    '`CHAOS_TABLE=1 npx vitest run test/e2e/chaos.test.ts` writes this page anew. The clients take turns in asking.',
    '',
    'MID is the frame that tells the result of the tool, ASK is the prompt, in the words of each protocol.',
    '',
    '**the run**: how the run that the fault hit ended, as the client that had asked was told. *whole*; *in part*: as if all',
    'were well, but something that the agent had said is missing; *failed*: with an error; *refused*: there was no run. A',
    'prompt that may never have reached its agent (`on in`) is aborted by its client.',
    '**order**: of the frames, for all clients, by the judges of `test/oracles`, and for ACP by the schema of its SDK; not asked (–)',
    'where the fault makes the agent contradict itself, because what an agent says is passed on.',
    '**ends well**: the clients for which all of this is so: who had asked was told an end; the commands of pi-server clients',
    'were answered; the next prompt ran, and everybody saw its last words and, but for ACP, which tells only who asked, its end; no process was left.',
    '',
    `Made with Node ${process.version}.`,
    '',
    line(['fault', 'agent', 'the run', 'order', 'ends well']),
    line(['---', '---', '---', '---', '---']),
    ...body,
    '',
  ].join('\n');
}

/** The faults of a page. */
export const faultsIn = (page: string): string[] =>
  [...page.matchAll(/^\| `([^`|]+)` \|/gmu)].map(([, fault]) => fault ?? '');
