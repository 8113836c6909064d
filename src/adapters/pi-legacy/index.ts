// The adapter for pi 0.12.7 to 0.13.2 in RPC mode.
import type { Adapter } from '../../core/contract/adapter.ts';
import { createProjection } from '../pi/projection/projection.ts';
import { createBackend } from './backend.ts';
import { createConnection } from './frontend.ts';
import { withInstructions } from '../pi/instructions.ts';
import { checkClientOptions, readAgentOptions } from './options.ts';

/** pi's first RPC protocol: three commands, events, no responses (docs/protocols/pi-legacy.md). */
export const piLegacy: Adapter = {
  id: 'pi-legacy',
  title: 'pi coding agent 0.13.2, RPC mode without responses',
  framing: { stdio: 'jsonl', websocket: 'text', sse: 'event-stream' },
  can: {
    events: [
      'run-start',
      'run-end',
      'turn-start',
      'turn-end',
      'message-added',
      'message-start',
      'block-start',
      'block-delta',
      'block-end',
      'message-end',
      'tool-start',
      'tool-end',
      'notice',
      'compaction-start',
      'compaction-end',
      'error',
      'unknown',
    ],
    commands: ['prompt', 'abort', 'compact'],
  },
  client: {
    acceptsEmptyFrames: true,
    frontend(_env, options) {
      checkClientOptions(options);
      return {
        key: '',
        connection: (session) => createConnection(session),
        projection: (session) => createProjection(session, { dialect: 'legacy' }),
      };
    },
  },
  agent: {
    backend: (env, options) => createBackend(env, readAgentOptions(options)),
    withInstructions,
  },
};
