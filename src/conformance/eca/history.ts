// The changes of each version of the sets of checks of eca.
import type { SetHistory } from '../check/history.ts';

/** Of the checks of agents. */
export const agentHistory: SetHistory = [
  {
    version: '2',
    why: 'finds what passed unread; what no specification says is no MUST',
    added: ['eca/reason-once', 'eca/call-ended-stays'],
    were: {
      MUST: [
        'eca/config-shape',
        'eca/progress-shape',
        'eca/request-id-kept',
        'eca/prompt-echoed',
        'eca/content-text',
        'eca/content-progress',
        'eca/content-usage',
        'eca/content-image',
        'eca/content-metadata',
        'eca/content-tool-call-running',
        'eca/content-tool-called',
        'eca/content-tool-call-rejected',
        'eca/content-outputs',
        'eca/role-of-model',
        'eca/role-of-server',
        'eca/status-shape',
        'eca/call-prepared',
        'eca/chat-notices',
      ],
    },
  },
];

/** Of the checks of clients. */
export const clientHistory: SetHistory = [
  {
    version: '2',
    why: 'what no specification says is no MUST',
    were: { MUST: ['eca/client/survives-unknown'] },
    reworded: ['eca/client/prompt-request-id'],
  },
  {
    version: '3',
    why: 'notices what the mutation score showed to pass unread',
    added: ['eca/client/error-shape'],
    reworded: ['eca/client/request-id', 'eca/client/query-fields'],
  },
];
