// Every protocol of the registry, through the contract suite.
import { expect, test } from 'vitest';
import { adapters } from '../src/adapters/index.ts';
import { loadAdapters, protocols } from '../src/adapters/protocols.ts';
import { adapterContract } from './contract/adapter.ts';
import { clientRoles } from './support/client-roles.ts';

test('the registry names each protocol by its own id', () => {
  expect([...adapters].map(([id, adapter]) => [id, adapter.id])).toEqual([...adapters.keys()].map((id) => [id, id]));
  expect(adapters.size).toBeGreaterThan(3);
});

test('the facts about a protocol are true of its adapter', () => {
  expect([...protocols.keys()], 'src/adapters/index.ts lists the adapter too').toEqual([...adapters.keys()]);
  for (const [id, { protocol, client, agent }] of protocols) {
    const adapter = adapters.get(id);
    expect(adapter, id).toMatchObject(protocol);
    for (const sides of [protocol, adapter])
      expect([sides?.client !== undefined, sides?.agent !== undefined], id).toEqual([
        client !== undefined,
        agent !== undefined,
      ]);
    expect(protocol.agent?.takesInstructions === true, id).toBe(adapter?.agent?.withInstructions !== undefined);
    // The demo agent stands in for no wire: the gateway plays it.
    const isBuiltIn = id === 'demo' || adapter?.agent?.connect !== undefined;
    expect(protocol.agent?.isBuiltIn === true, id).toBe(isBuiltIn);
  }
});

test('both sides of a protocol, loaded one by one, are the whole adapter', async () => {
  const ids = [...protocols.keys(), 'constructor', 'no such protocol'];
  expect(await loadAdapters({ client: ids, agent: ids })).toEqual(adapters);
});

test('no side is loaded that was not asked for', async () => {
  const loaded = await loadAdapters({ client: ['pi'], agent: ['demo', 'rpc-message'] });
  expect([...loaded.keys()]).toEqual([...adapters.keys()]);
  const sides = [...loaded].filter(([, { client, agent }]) => client !== undefined || agent !== undefined);
  expect(sides.map(([id, { client, agent }]) => [id, client !== undefined, agent !== undefined])).toEqual([
    ['pi', true, false],
    ['demo', false, true],
  ]);
  expect(loaded.get('claude')?.title).toBe(adapters.get('claude')?.title);
});

for (const adapter of adapters.values()) adapterContract(adapter, { prompt: clientRoles.get(adapter.id)?.prompt });
