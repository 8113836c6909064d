// The journal keeps the contract of all stores.
import { describeStore } from '../../contract/session-store.ts';
import { freshJournal } from './journal-rig.ts';

describeStore('journal', async (options) => {
  const { journal, dispose } = await freshJournal(options);
  return { store: journal, dispose };
});
