// The adapter `demo`: a scripted agent inside the gateway, for trying every path of a client without a key or a
// network. It has no wire and no clients of its own.
import { z } from 'zod';
import type { Adapter } from '../../core/contract/adapter.ts';
import { GatewayError } from '../../core/model/errors.ts';
import { createBackend } from './backend.ts';

const Milliseconds = z.int().min(0).max(60_000);

const DemoOptions = z.strictObject({
  /** Delay between two batches of deltas, ms: a number, or digits from a URL. */
  paceMs: z.union([Milliseconds, z.string().regex(/^\d+$/u).transform(Number).pipe(Milliseconds)]).default(15),
});

/** The built-in demo agent. Options: `paceMs`, 0 to 60000, default 15. */
export const demo: Adapter = {
  id: 'demo',
  title: 'built-in scripted agent, needs no key and no network',
  framing: { stdio: 'jsonl', websocket: 'text', sse: 'event-stream' },
  can: {
    events: [
      'run-start',
      'run-end',
      'turn-start',
      'turn-end',
      'message-added',
      'history-reset',
      'message-start',
      'block-start',
      'block-delta',
      'block-end',
      'message-end',
      'tool-start',
      'tool-update',
      'tool-end',
      'approval-request',
      'approval-end',
      'dialog-request',
      'dialog-end',
      'notice',
      'display',
      'compaction-start',
      'compaction-end',
      'retry-start',
      'retry-end',
      'queue-changed',
      'usage-changed',
      'session-changed',
      'task-changed',
      'activity',
      'bash-output',
      'unknown',
    ],
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
      'set-mode',
      'set-queue-mode',
      'set-auto',
      'set-name',
      'new-session',
      'fork',
      'query',
    ],
  },
  agent: {
    backend(env, options) {
      const parsed = DemoOptions.safeParse(options);
      if (!parsed.success) throw new GatewayError('invalid', `demo: ${z.prettifyError(parsed.error)}`);
      return createBackend(env, parsed.data);
    },
  },
};
