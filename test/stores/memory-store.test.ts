// The store in memory keeps the contract of all stores.
import { createMemoryStore } from '../../src/stores/memory-store.ts';
import { describeStore } from '../contract/session-store.ts';

describeStore('memory', async (options) => {
  const store = createMemoryStore(options);
  return { store, dispose: () => store.close() };
});
