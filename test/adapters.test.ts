// Every protocol of the registry, through the contract suite.
import { expect, test } from 'vitest';
import { adapters } from '../src/adapters/index.ts';
import { adapterContract } from './contract/adapter.ts';
import { clientRoles } from './support/client-roles.ts';

test('the registry names each protocol by its own id', () => {
  expect([...adapters].map(([id, adapter]) => [id, adapter.id])).toEqual([...adapters.keys()].map((id) => [id, id]));
  expect(adapters.size).toBeGreaterThan(3);
});

for (const adapter of adapters.values()) adapterContract(adapter, { prompt: clientRoles.get(adapter.id)?.prompt });
