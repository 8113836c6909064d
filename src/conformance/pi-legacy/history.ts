// The changes of each version of the sets of checks of pi-legacy.
import type { SetHistory } from '../check/history.ts';

/** Of the checks of agents. */
export const agentHistory: SetHistory = [
  {
    version: '2',
    why: 'finds what passed unread',
    added: ['pi-legacy/block-ends', 'pi-legacy/blocks-streamed', 'pi-legacy/update-message'],
    reworded: ['pi-legacy/update-fields'],
  },
];

/** Of the checks of clients. */
export const clientHistory: SetHistory = [
  {
    version: '2',
    why: 'notices what the mutation score showed to pass unread',
    reworded: ['pi-legacy/client/attachment-base64'],
  },
];
