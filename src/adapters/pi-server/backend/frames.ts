// The frames of a server as its client reads them (docs/protocols/pi-server.md 5, 6, 16), and whose each is.
// Loose, for key order and absent fields vary. Knows no canonical types.
import { z } from 'zod';
import type { Multiplexing } from '../../../core/contract/adapter.ts';
import type { Frame } from '../../../core/contract/channel.ts';
import { dictionaryOf } from '../../../core/model/dictionary.ts';

const version = z.number().optional();

/** The greeting (docs/protocols/pi-server.md 16.1). */
export const ServerReady = z.looseObject({
  type: z.literal('server_ready'),
  data: z.looseObject({ protocolVersion: z.string() }),
});

/** The answer to a command. `id` is missing where the server could not tell whom it answers. */
export const Response = z.looseObject({
  type: z.literal('response'),
  id: z.unknown().optional(),
  success: z.boolean(),
  data: z.unknown().optional(),
  error: z.string().optional(),
  sessionVersion: version,
  timedOut: z.boolean().optional(),
});
export type Response = z.infer<typeof Response>;

/** How far a command is (docs/protocols/pi-server.md 7.2). */
export const Lifecycle = z.looseObject({
  type: z.enum(['command_accepted', 'command_started', 'command_finished']),
  data: z.looseObject({
    commandId: z.string(),
    commandType: z.string(),
    sessionId: z.string().optional(),
    success: z.boolean().optional(),
    error: z.string().optional(),
    sessionVersion: version,
    replayed: z.boolean().optional(),
  }),
});
export type Lifecycle = z.infer<typeof Lifecycle>;

/** Something that a session says (docs/protocols/pi-server.md 19). */
export const SessionEvent = z.looseObject({
  type: z.literal('event'),
  sessionId: z.string(),
  event: z.looseObject({ type: z.string() }),
});

/** What is told of sessions to everybody. */
export const SessionNews = z.looseObject({
  type: z.enum(['session_created', 'session_deleted']),
  data: z.looseObject({ sessionId: z.string() }),
});

/** The farewell (docs/protocols/pi-server.md 16.2). */
export const ServerShutdown = z.looseObject({
  type: z.literal('server_shutdown'),
  data: z.looseObject({ reason: z.string().optional() }).optional(),
});

/** The id of our nth command for that session: no other client may have it (docs/protocols/pi-server.md 8.4). */
export function commandId(name: string, n: number): string {
  return `${name}:${n}`;
}

/** The session that a command of ours is about. An id of another client leads nowhere. */
function sessionOfCommand(id: string): string {
  const colon = id.lastIndexOf(':');
  return colon === -1 ? id : id.slice(0, colon);
}

/** Whose a frame is: several sessions share one connection. */
export const multiplexing: Multiplexing = {
  route(frame) {
    const line = lineOf(frame);
    if (line === null) return { name: null };
    const data = dictionaryOf(line.data);
    switch (line.type) {
      case 'server_ready':
        return { name: null, isGreeting: true };
      case 'event':
        return { name: typeof line.sessionId === 'string' ? line.sessionId : null };
      case 'response':
        return { name: typeof line.id === 'string' ? sessionOfCommand(line.id) : null };
      case 'session_created':
      case 'session_deleted':
        return { name: typeof data.sessionId === 'string' ? data.sessionId : null };
      case 'command_accepted':
      case 'command_started':
      case 'command_finished': {
        if (typeof data.sessionId === 'string') return { name: data.sessionId };
        return { name: typeof data.commandId === 'string' ? sessionOfCommand(data.commandId) : null };
      }
      default:
        return { name: null };
    }
  },
};

function lineOf(frame: Frame) {
  try {
    return dictionaryOf(frame.json);
  } catch {
    return null;
  }
}
