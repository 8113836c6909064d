// docs/fidelity.md says what the adapters do today. `UPDATE=1` writes it anew; read what it writes.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { adapters } from '../src/adapters/index.ts';
import { acpPart } from './support/acp-differences.ts';
import { fidelityPage } from './support/fidelity.ts';
import { isUpdate } from './support/fixtures.ts';

const file = path.resolve(import.meta.dirname, '../docs/fidelity.md');
const all = [...adapters.values()];
const page = `${fidelityPage(all)}\n${acpPart()}`;

test('docs/fidelity.md is up to date', () => {
  if (isUpdate) writeFileSync(file, page);
  expect(readFileSync(file, 'utf8'), 'UPDATE=1 npx vitest run test/fidelity.test.ts writes it').toBe(page);
});

test('it has a part for each protocol of agents with each of clients', () => {
  const pairs = all.flatMap((agent) =>
    all.flatMap((client) =>
      agent.agent === undefined || client.client === undefined ? [] : [`## ${agent.id} agent, ${client.id} client`],
    ),
  );
  const headings = page.split('\n').filter((line) => / agent, .* client$/u.test(line));
  expect(headings).toEqual(pairs);
});
