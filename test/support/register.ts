// A protocol of the tests in the registry, for the length of one test file.
import { afterAll } from 'vitest';
import { adapters } from '../../src/adapters/index.ts';
import { type ProtocolEntry, protocols } from '../../src/adapters/protocols.ts';
import type { Adapter } from '../../src/core/contract/adapter/adapter.ts';

/** Adds the protocol until the test file that calls this has ended. */
export function register(adapter: Adapter): void {
  if (!(adapters instanceof Map && protocols instanceof Map))
    throw new Error('the registry is no longer a Map: register test protocols otherwise');
  const whole: Map<string, Adapter> = adapters;
  const registry: Map<string, ProtocolEntry> = protocols;
  const load = async () => adapter;
  whole.set(adapter.id, adapter);
  registry.set(adapter.id, {
    protocol: adapter,
    ...(adapter.client === undefined ? {} : { client: load }),
    ...(adapter.agent === undefined ? {} : { agent: load }),
  });
  afterAll(() => {
    whole.delete(adapter.id);
    registry.delete(adapter.id);
  });
}
