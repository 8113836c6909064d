// The changes of each version of the sets of checks of acp.
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

/** Of the checks of agents. */
export const agentHistory: SetHistory = [
  {
    version: '2',
    why: 'notices what the mutation score showed to pass unread',
    added: ['acp/request-has-id', 'acp/cancel-request-known', 'acp/content-known', 'acp/call-content-known'],
    reworded: [
      'acp/options-shape',
      'acp/permission-shape',
      'acp/call-content',
      'acp/elicitation-shape',
      'acp/elicitation-flat',
    ],
  },
];
