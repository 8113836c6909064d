// The frames of a server, as its client reads them (docs/protocols/pi-server.md 5, 6, 16), and the session of each
// frame. Loose: key order and absent fields vary.
import { z } from 'zod';
import type { Multiplexing } from '../../../core/contract/adapter/adapter.ts';
import type { Frame } from '../../../core/contract/channel.ts';
import { isAt } from '../../../core/fast-path/literal.ts';
import { dictionaryOf } from '../../../core/model/dictionary.ts';
import type { Wrapping } from '../../pi/backend/delta-template.ts';

const version = z.number().optional();

/** The greeting (docs/protocols/pi-server.md 16.1). */
export const ServerReady = z.looseObject({
  type: z.literal('server_ready'),
  data: z.looseObject({ protocolVersion: z.string() }),
});

/** The answer to a command. `id` is absent if the server could not identify the command. */
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

/** The progress of a command (docs/protocols/pi-server.md 7.2). */
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

/** An event of a session (docs/protocols/pi-server.md 19). */
export const SessionEvent = z.looseObject({
  type: z.literal('event'),
  sessionId: z.string(),
  event: z.looseObject({ type: z.string() }),
});

/** A line of pi inside of an event, for the fast path. The session of the event stands before it. */
export const ofEvent: Wrapping = {
  end: '}',
  unwrap(frame) {
    const read = SessionEvent.safeParse(frame);
    return read.success ? read.data.event : null;
  },
};

/** A broadcast about sessions. */
export const SessionNews = z.looseObject({
  type: z.enum(['session_created', 'session_deleted']),
  data: z.looseObject({ sessionId: z.string() }),
});

/** The farewell (docs/protocols/pi-server.md 16.2). */
export const ServerShutdown = z.looseObject({
  type: z.literal('server_shutdown'),
  data: z.looseObject({ reason: z.string().optional() }).optional(),
});

/**
 * The id of the nth command for that session. No other client may use the same id (docs/protocols/pi-server.md 8.4).
 */
export function commandId(name: string, n: number): string {
  return `${name}:${n}`;
}

/** The session of one of the gateway's commands. The id of another client yields no known session. */
function sessionOfCommand(id: string): string {
  const colon = id.lastIndexOf(':');
  return colon === -1 ? id : id.slice(0, colon);
}

/** The beginning of an event, up to the id of its session. */
const eventHead = new TextEncoder().encode('{"type":"event","sessionId":"');
/** Ids of sessions are shorter. */
const mostIdBytes = 200;
const QUOTE = 0x22;

/** Finds the session of a frame, because several sessions share one connection. */
export const multiplexing: Multiplexing = {
  seemsFor(peek, start, end) {
    if (!isAt(peek.bytes, start, eventHead)) return null;
    const from = start + eventHead.length;
    let to = from;
    const limit = Math.min(end, from + mostIdBytes);
    while (to < limit && peek.bytes[to] !== QUOTE) to += 1;
    return to < limit ? peek.ascii(from, to) : null;
  },
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
