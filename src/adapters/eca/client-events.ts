// The events that this protocol can express to clients.
import type { EventType } from '../../core/model/event.ts';

/** The event types that clients receive. */
export const clientEvents = [
  'run-start',
  'run-end',
  'message-added',
  'history-reset',
  'message-start',
  'block-start',
  'block-delta',
  'block-end',
  'message-end',
  'tool-start',
  'tool-end',
  'approval-request',
  'approval-end',
  'dialog-request',
  'dialog-end',
  'notice',
  'compaction-start',
  'compaction-end',
  'retry-start',
  'retry-end',
  'usage-changed',
  'session-changed',
  'tool-server-changed',
  'activity',
  'error',
  'unknown',
] as const satisfies readonly EventType[];
