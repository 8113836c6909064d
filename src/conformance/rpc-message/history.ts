// The changes of each version of the sets of checks of rpc-message.
import type { SetHistory } from '../check/history.ts';

/** Of the checks of agents. */
export const agentHistory: SetHistory = [
  {
    version: '2',
    why: 'what no specification says is no MUST',
    were: {
      MUST: [
        'rpc-message/result-usage',
        'rpc-message/stop-reason',
        'rpc-message/assistant-id',
        'rpc-message/result-failed',
        'rpc-message/request-answered',
        'rpc-message/request-answered-once',
        'rpc-message/envelope-known',
        'rpc-message/envelope-shape',
        'rpc-message/answer-shape',
        'rpc-message/refusal-shape',
        'rpc-message/query-result',
        'rpc-message/query-complete',
        'rpc-message/query-content',
        'rpc-message/error-goes-on',
        'rpc-message/next-query',
        'rpc-message/unknown-type',
        'rpc-message/unknown-method',
        'rpc-message/bad-params',
        'rpc-message/interrupt-ends',
        'rpc-message/connect-result',
        'rpc-message/set-mode-answer',
        'rpc-message/set-model-answer',
        'rpc-message/history-list',
        'rpc-message/interrupt-answer',
      ],
      SHOULD: ['rpc-message/message-id-own'],
    },
    reworded: ['rpc-message/message-id-own', 'rpc-message/stop-reason'],
  },
];

/** Of the checks of clients. */
export const clientHistory: SetHistory = [
  {
    version: '2',
    why: 'what no specification says is no MUST',
    were: {
      MUST: [
        'rpc-message/client/request-object',
        'rpc-message/client/request-id',
        'rpc-message/client/request-unique',
        'rpc-message/client/request-known',
        'rpc-message/client/query-params',
        'rpc-message/client/content-params',
        'rpc-message/client/content-blocks',
        'rpc-message/client/setting-params',
      ],
    },
  },
  {
    version: '3',
    why: 'notices what the mutation score showed to pass unread',
    added: ['rpc-message/client/block-known'],
  },
];
