// The changes of each version of the sets of checks of pi-server.
import type { SetHistory } from '../check/history.ts';

/** Of the checks of agents. */
export const agentHistory: SetHistory = [
  {
    version: '3',
    why: 'finds what passed unread',
    added: [
      'pi-server/event-brackets',
      'pi-server/event-repeats',
      'pi-server/event-messages',
      'pi-server/event-blocks',
      'pi-server/event-deltas',
      'pi-server/event-tools',
      'pi-server/event-compactions',
      'pi-server/event-retries',
    ],
    reworded: ['pi-server/21.2-111'],
  },
  {
    version: '4',
    why: 'notices what the mutation score showed to pass unread, and blames nobody for what other clients do',
    reworded: [
      'pi-server/event-compactions',
      'pi-server/dependency-failed',
      'pi-server/dependency-succeeded',
      'pi-server/version-condition',
    ],
  },
];

/** Of the checks of clients. */
export const clientHistory: SetHistory = [
  {
    version: '2',
    why: 'notices what the mutation score showed to pass unread',
    reworded: ['pi-server/client/command-fields', 'pi-server/client/answer-method'],
  },
];
