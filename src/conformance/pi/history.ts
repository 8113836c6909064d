// The changes of each version of the sets of checks of pi.
import type { SetHistory } from '../check/history.ts';

/** Of the checks of agents. */
export const agentHistory: SetHistory = [
  {
    version: '2',
    why: 'finds what passed unread; what no specification says is no MUST',
    added: ['pi/blocks-streamed', 'pi/stop-reason-known', 'pi/update-message'],
    were: {
      MUST: [
        'pi/unreadable-line',
        'pi/missing-field',
        'pi/unknown-command',
        'pi/unknown-model',
        'pi/fork-unknown',
        'pi/assistant-in-turn',
        'pi/block-order',
        'pi/blocks-end',
        'pi/toolcall-end',
        'pi/partial',
        'pi/message-role',
        'pi/user-message',
        'pi/assistant-message',
        'pi/usage',
        'pi/stop-reason',
        'pi/tool-result-message',
        'pi/content-blocks',
        'pi/update-event',
        'pi/tool-result',
        'pi/call-answered',
        'pi/tool-start-fields',
        'pi/tool-update-fields',
        'pi/tool-end-fields',
        'pi/compaction-start-fields',
        'pi/compaction-end-fields',
        'pi/retry-start-fields',
        'pi/retry-end-fields',
        'pi/ui-id-unique',
        'pi/extension-error',
      ],
    },
    reworded: [
      'pi/stop-reason',
      'pi/tool-call-known',
      'pi/toolcall-end',
      'pi/tool-update-fields',
      'pi/tool-end-fields',
      'pi/compaction-end-fields',
    ],
  },
  {
    version: '3',
    why: 'notices what the mutation score showed to pass unread',
    added: ['pi/compaction-reason'],
  },
];

/** Of the checks of clients. */
export const clientHistory: SetHistory = [
  {
    version: '2',
    why: 'notices what the mutation score showed to pass unread',
    reworded: ['pi/client/streaming-behavior', 'pi/client/images-base64'],
  },
];
