// The adapter for the pi coding agent in RPC mode.
import type { Adapter } from '../../core/contract/adapter.ts';
import { createBackend } from './backend/backend.ts';
import { readClientOptions } from './frontend/dialect.ts';
import { createConnection } from './frontend/frontend.ts';
import { withInstructions } from './instructions.ts';
import { readOptions } from './backend/options.ts';
import { createProjection } from './projection/projection.ts';
import { storedFormat } from './stored-session.ts';
import { toldEvents } from './told-events.ts';

/** pi's RPC protocol in all dialects (docs/protocols/pi.md and docs/protocols/pi-legacy.md). */
export const pi: Adapter = {
  id: 'pi',
  title: 'pi coding agent, RPC mode',
  framing: { stdio: 'jsonl', websocket: 'text', sse: 'event-stream' },
  can: {
    events: toldEvents,
    commands: [
      'prompt',
      'steer',
      'follow-up',
      'abort',
      'clear-queue',
      'answer-approval',
      'answer-dialog',
      'compact',
      'bash',
      'set-model',
      'cycle-model',
      'set-thinking',
      'cycle-thinking',
      'set-queue-mode',
      'set-auto',
      'set-name',
      'new-session',
      'switch-session',
      'fork',
      'export',
      'query',
      'unknown',
    ],
  },
  client: {
    acceptsEmptyFrames: true,
    frontend(_env, options) {
      const { dialect } = readClientOptions(options);
      return {
        key: dialect,
        connection: (session) => createConnection(session),
        projection: (session) => createProjection(session, { dialect }),
      };
    },
  },
  agent: {
    backend: (env, options) => createBackend(env, readOptions(options)),
    withInstructions,
    stored: storedFormat,
  },
};
