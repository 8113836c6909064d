// The table of faults, docs/fault-table.md: written from the outcomes of a run, and read again.
import { dialects } from './dialects.ts';
import type { FaultRow, Outcome } from './row.ts';

const columns = ['fault', 'what is done', 'clients', 'told after ms', 'lost', 'repeated', 'verdict'];

const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

/** `claude, pi over ws and sse`, or the number of protocols where all are there. */
function clientsOf({ clients }: Outcome): string {
  const protocols = [...new Set(clients.map(({ frontend }) => frontend))];
  const transports = [...new Set(clients.map(({ transport }) => transport))].sort().reverse();
  const who = protocols.length === dialects.size ? 'all seven protocols' : protocols.join(', ');
  return `${who}, ${transports.join(' and ')} (${clients.length})`;
}

const numberOf = ({ fault }: FaultRow): number => Number(fault.slice(1));

/** The rows by their faults; rows of one fault keep their order. */
export const sorted = (rows: readonly FaultRow[]): FaultRow[] => [...rows].sort((a, b) => numberOf(a) - numberOf(b));

/** The page. */
export function faultTable(rows: readonly FaultRow[], outcomes: ReadonlyMap<FaultRow, Outcome>): string {
  const body = sorted(rows).map((row) => {
    const outcome = outcomes.get(row);
    if (outcome === undefined) throw new Error(`${row.fault}: ${row.what} did not run`);
    const { toldMs, lost, repeated, verdict } = outcome;
    const [told = '', without = '', twice = ''] = [toldMs, lost, repeated].map((figure) =>
      figure === null ? '–' : String(Math.round(figure)),
    );
    return line([row.fault, row.what, clientsOf(outcome), told, without, twice, `pass: ${verdict}`]);
  });
  return [
    '# Table of faults',
    '',
    'Every fault of [faults.md](faults.md), injected into a gateway with clients on one session, over WebSocket (`ws`) and',
    'server-sent events (`sse`). `test/e2e/faults.test.ts` makes the table: one test for each row, in every `npm test`.',
    '`FAULT_TABLE=1 npx vitest run test/e2e/faults.test.ts` writes this page anew.',
    '',
    '**told**: from the cause until the last client had its ending, with the times in brackets as they were configured. The',
    'times are of one run, on a machine with other work, and no test asserts them. **lost**, **repeated**: frames, between',
    'clients of one dialect over different transports, or beside a client without the fault; `–` where nothing is compared.',
    'In each row every client hears one ending for each run, in the order of its protocol by the judges of `test/oracles`; the',
    'next prompt runs or is refused with a reason; descriptors and agents are back at their number before (docs/faults.md 1.8).',
    '',
    `Made with Node ${process.version}.`,
    '',
    line(columns),
    line(columns.map(() => '---')),
    ...body,
    '',
  ].join('\n');
}

/** What the rows of a page are called: fault and what is done. */
export const namesIn = (page: string): string[] =>
  [...page.matchAll(/^\| (F\d+) \| ([^|]+) \|/gmu)].map(([, fault, what]) => `${fault}: ${what}`);
