// A protocol of the tests in the registry, for the length of one test file.
import { afterAll } from 'vitest';
import { adapters } from '../../src/adapters/index.ts';
import type { Adapter } from '../../src/core/contract/adapter.ts';

/** Adds the protocol until the test file that calls this has ended. */
export function register(adapter: Adapter): void {
  if (!(adapters instanceof Map)) throw new Error('the registry is no longer a Map: register test protocols otherwise');
  const registry: Map<string, Adapter> = adapters;
  registry.set(adapter.id, adapter);
  afterAll(() => void registry.delete(adapter.id));
}
