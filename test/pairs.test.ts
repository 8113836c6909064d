// Every client with every agent of the registry, over every transport.
import { expect, test } from 'vitest';
import { adapters } from '../src/adapters/index.ts';
import { describePairs, pairsOf } from './contract/pair.ts';
import { agentRoles } from './support/agent-roles.ts';
import { clientRoles } from './support/client-roles.ts';

const all = [...adapters.values()];

test('there are as many pairs as the registry makes', () => {
  const clients = all.filter(({ client }) => client !== undefined).length;
  const agents = all.filter(({ agent }) => agent !== undefined).length;
  expect(pairsOf(all)).toHaveLength(clients * agents * 4);
  expect(new Set(pairsOf(all).map(({ name }) => name)).size).toBe(clients * agents * 4);
});

describePairs(all, { clients: clientRoles, agents: agentRoles });
