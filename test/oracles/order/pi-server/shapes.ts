// The frames that a pi-server may send, in strict form (docs/protocols/pi-server.md 7.5, 17.4 to 17.9).
import { z } from 'zod';

const name = z.string().min(1);
const version = z.int().nonnegative();

const identity = {
  commandId: name,
  commandType: name,
  sessionId: name.optional(),
  dependsOn: z.array(name),
  ifSessionVersion: version.optional(),
  idempotencyKey: name.optional(),
};
/** The fields of a lifecycle frame that identify the command. */
export const Identity = z.strictObject(identity);
export type Identity = z.infer<typeof Identity>;

const Finished = z
  .strictObject({
    ...identity,
    success: z.boolean(),
    error: name.optional(),
    sessionVersion: version.optional(),
    replayed: z.literal(true).optional(),
  })
  .refine(saysWhy, 'has an error if and only if it failed, and no version then');
export type Finished = z.infer<typeof Finished>;

const Response = z
  .strictObject({
    type: z.literal('response'),
    command: name,
    success: z.boolean(),
    id: z.union([z.string(), z.number()]).optional(),
    error: name.optional(),
    data: z.unknown().optional(),
    sessionVersion: version.optional(),
    replayed: z.literal(true).optional(),
    timedOut: z.literal(true).optional(),
  })
  .refine(saysWhy, 'has an error if and only if it failed, and no version then')
  // An invalid id comes back as it was sent (docs/protocols/pi-server.md 4.2).
  .refine(({ success, id }) => !success || id === undefined || name.safeParse(id).success, 'succeeds under no id')
  .refine((response) => response.success || !('data' in response), 'failed and has data')
  .refine(({ success, timedOut }) => !success || timedOut === undefined, 'is a success out of time');
export type Response = z.infer<typeof Response>;

function saysWhy(said: { success: boolean; error?: string | undefined; sessionVersion?: number | undefined }): boolean {
  return said.success ? said.error === undefined : said.error !== undefined && said.sessionVersion === undefined;
}

const SessionInfo = z.looseObject({ sessionId: name });

/** Every frame of a server. */
export const ServerFrame = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('server_ready'),
    data: z.looseObject({ serverVersion: name, protocolVersion: name, transports: z.array(name).min(1) }),
  }),
  z.looseObject({ type: z.literal('startup_recovery_summary') }),
  z.strictObject({
    type: z.literal('server_shutdown'),
    data: z.looseObject({ reason: name, timeoutMs: z.number().nonnegative() }),
  }),
  z.strictObject({ type: z.literal('command_accepted'), data: Identity }),
  z.strictObject({ type: z.literal('command_started'), data: Identity }),
  z.strictObject({ type: z.literal('command_finished'), data: Finished }),
  z.strictObject({
    type: z.literal('session_created'),
    data: z
      .strictObject({ sessionId: name, sessionInfo: SessionInfo })
      .refine(({ sessionId, sessionInfo }) => sessionId === sessionInfo.sessionId, 'names two sessions'),
  }),
  z.strictObject({ type: z.literal('session_deleted'), data: z.strictObject({ sessionId: name }) }),
  z.strictObject({ type: z.literal('event'), sessionId: name, event: z.looseObject({ type: name }) }),
  Response,
]);
export type ServerFrame = z.infer<typeof ServerFrame>;

/** The session in the answer to `switch_session`. */
export const Switched = z.object({ sessionInfo: SessionInfo });

/** The fields of a client's frame that the checker needs. */
export const Sent = z.looseObject({ type: z.unknown(), id: z.unknown(), streamingBehavior: z.unknown() });
