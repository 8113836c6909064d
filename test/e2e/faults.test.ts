// Every fault of docs/faults.md, injected: one test a row (docs/fault-table.md). `FAULT_TABLE=1` writes that page.
import { expect, test } from 'vitest';
import { agentFaults } from '../support/faults/agent-faults.ts';
import { clientFaults } from '../support/faults/client-faults.ts';
import { gatewayFaults } from '../support/faults/gateway-faults.ts';
import type { FaultRow } from '../support/faults/row.ts';

const rows: readonly FaultRow[] = [...agentFaults, ...clientFaults, ...gatewayFaults];

test.each(rows.map((row) => [`${row.fault}: ${row.what}`, row] as const))('%s', async (_, row) => {
  const { clients, ...seen } = await row.run();
  console.log(row.fault, row.what, clients.length, seen);
  expect(seen).toMatchObject({ lost: 0, repeated: 0 });
});
