// Every fault of docs/faults.md, injected: one test a row of docs/fault-table.md. `FAULT_TABLE=1` writes that page.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { agentFaults } from '../support/faults/agent-faults.ts';
import { agentOutputFaults } from '../support/faults/agent-output-faults.ts';
import { clientFaults } from '../support/faults/client-faults.ts';
import { gatewayFaults } from '../support/faults/gateway-faults.ts';
import { journalFaults } from '../support/faults/journal-faults.ts';
import { processFaults } from '../support/faults/process-faults.ts';
import { questionFaults } from '../support/faults/question-faults.ts';
import type { FaultRow, Outcome } from '../support/faults/row.ts';
import { faultTable, namesIn, sorted } from '../support/faults/table.ts';
import { upstreamFaults } from '../support/faults/upstream-faults.ts';

const rows: readonly FaultRow[] = sorted([
  ...agentFaults,
  ...agentOutputFaults,
  ...clientFaults,
  ...questionFaults,
  ...processFaults,
  ...gatewayFaults,
  ...journalFaults,
  ...upstreamFaults,
]);
const nameOf = ({ fault, what }: FaultRow): string => `${fault}: ${what}`;
const page = fileURLToPath(new URL('../../docs/fault-table.md', import.meta.url));
const catalogue = fileURLToPath(new URL('../../docs/faults.md', import.meta.url));
const isWriting = process.env.FAULT_TABLE === '1';

const outcomes = new Map<FaultRow, Outcome>();
afterAll(() => {
  if (isWriting) writeFileSync(page, faultTable(rows, outcomes));
});

for (const row of rows) {
  const why = row.skipped === undefined ? '' : ` (skipped: ${row.skipped})`;
  test.skipIf(row.skipped !== undefined)(`${nameOf(row)}${why}`, async () => {
    const outcome = await row.run();
    outcomes.set(row, outcome);
    expect([outcome.lost ?? 0, outcome.repeated ?? 0]).toEqual([0, 0]);
  });
}

test('every fault of the catalogue has a row, and every row a name of its own', () => {
  const faults = [...readFileSync(catalogue, 'utf8').matchAll(/^- \*\*(F\d+)\*\*/gmu)].map(([, fault]) => fault);
  expect(faults).toHaveLength(32);
  expect([...new Set(rows.map(({ fault }) => fault))].sort()).toEqual(faults.sort());
  expect(new Set(rows.map(nameOf)).size).toBe(rows.length);
});

test.skipIf(isWriting)('docs/fault-table.md has these rows', () => {
  expect(namesIn(readFileSync(page, 'utf8'))).toEqual(rows.map(nameOf));
});
