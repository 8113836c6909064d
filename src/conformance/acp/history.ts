// What each version of the sets of checks of acp changed.
import type { SetHistory } from '../check/history.ts';

/** Of the checks of clients. */
export const clientHistory: SetHistory = [
  {
    version: '2',
    why: 'notices what the mutation score showed to pass unread',
    added: ['acp/client/request-has-id', 'acp/client/prompt-known'],
    reworded: [
      'acp/client/initialize-first',
      'acp/client/meta-object',
      'acp/client/capabilities-shape',
      'acp/client/elicitation-values',
      'acp/client/cancel-request-known',
    ],
  },
];
