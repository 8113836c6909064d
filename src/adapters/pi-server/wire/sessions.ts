// The values of the pi-server wire: sessions and the lifecycle of commands (docs/protocols/pi-server.md 7.5, 17.5).
// Loose: newer servers add keys.
import { z } from 'zod';
import { WireModel } from '../../pi/wire/values.ts';

const info = {
  /** The server's session id, not pi's own. */
  sessionId: z.string(),
  sessionName: z.string().optional(),
  model: WireModel.optional(),
  thinkingLevel: z.string(),
  isStreaming: z.boolean(),
  messageCount: z.int().nonnegative(),
  /** ISO 8601. */
  createdAt: z.iso.datetime().optional(),
};

/** An open session. */
export const SessionInfo = z.looseObject({ ...info, sessionFile: z.string().optional() });
export type SessionInfo = z.infer<typeof SessionInfo>;

/** A stored session (docs/protocols/pi-server.md 20.1). */
export const StoredSessionInfo = z.looseObject({
  ...info,
  sessionFile: z.string(),
  sessionPath: z.string(),
  cwd: z.string(),
  isStreaming: z.literal(false),
  fileExists: z.boolean(),
});
export type StoredSessionInfo = z.infer<typeof StoredSessionInfo>;

/** The fields of all lifecycle events. */
export const course = {
  commandId: z.string().min(1),
  commandType: z.string(),
  sessionId: z.string().optional(),
  dependsOn: z.array(z.string()),
  ifSessionVersion: z.int().nonnegative().optional(),
  idempotencyKey: z.string().optional(),
};
