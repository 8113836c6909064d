// Every client with every agent of the registry, over every transport: a cover in `npm test`, all in `npm run test:full`.
import { expect, test } from 'vitest';
import { adapters } from '../src/adapters/index.ts';
import { coverOf, describePairs, pairsOf } from './contract/pair.ts';
import { agentRoles } from './support/agent-roles.ts';
import { clientRoles } from './support/client-roles.ts';

const all = [...adapters.values()];

test('there are as many pairs as the registry makes', () => {
  const clients = all.filter(({ client }) => client !== undefined).length;
  const agents = all.filter(({ agent }) => agent !== undefined).length;
  expect(pairsOf(all)).toHaveLength(clients * agents * 4);
  expect(new Set(pairsOf(all).map(({ name }) => name)).size).toBe(clients * agents * 4);
});

test('the cover has each frontend with each backend once, and each of them over each transport', () => {
  const cover = coverOf(all);
  const both = new Set(cover.map(({ frontend, backend }) => `${frontend} ${backend}`));
  expect(both.size).toBe(cover.length);
  expect(cover).toHaveLength(pairsOf(all).length / 4);
  for (const side of ['frontend', 'backend'] as const) {
    const over = new Set(cover.map((pair) => `${pair[side]} ${pair.name.split(', ').at(-1)}`));
    expect(over.size, side).toBe(new Set(cover.map((pair) => pair[side])).size * 4);
  }
});

describePairs(all, { clients: clientRoles, agents: agentRoles });
