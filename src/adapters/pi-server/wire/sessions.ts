// The nouns of the pi-server wire: sessions and the course of commands (docs/protocols/pi-server.md 7.5, 17.5). Loose: newer servers add
// keys. Knows no canonical types.
import { z } from 'zod';
import { WireModel } from '../../pi/wire/values.ts';

const info = {
  /** Of the server, not pi's own. */
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

/** A stored one (docs/protocols/pi-server.md 20.1). */
export const StoredSessionInfo = z.looseObject({
  ...info,
  sessionFile: z.string(),
  sessionPath: z.string(),
  cwd: z.string(),
  isStreaming: z.literal(false),
  fileExists: z.boolean(),
});
export type StoredSessionInfo = z.infer<typeof StoredSessionInfo>;

/** What all lifecycle events say of their command. */
export const course = {
  commandId: z.string().min(1),
  commandType: z.string(),
  sessionId: z.string().optional(),
  dependsOn: z.array(z.string()),
  ifSessionVersion: z.int().nonnegative().optional(),
  idempotencyKey: z.string().optional(),
};
