// The unsolicited frames of a server (docs/protocols/pi-server.md 6, 16, 18.1, 19), by `type`. Session events are pi's.
// Extension requests are here with pi-server's names. Loose.
import { z } from 'zod';
import { course, SessionInfo } from './sessions.ts';

function message<Type extends string, Data extends z.ZodType>(type: Type, data: Data) {
  return z.looseObject({ type: z.literal(type), data });
}

const opened = z.looseObject({ sessionId: z.string(), sessionInfo: SessionInfo });

/** All frames except session events. */
export const eventSchemas = {
  server_ready: message(
    'server_ready',
    z.looseObject({ serverVersion: z.string(), protocolVersion: z.string(), transports: z.array(z.string()) }),
  ),
  server_shutdown: message(
    'server_shutdown',
    z.looseObject({ reason: z.string(), timeoutMs: z.number().nonnegative() }),
  ),
  session_created: message('session_created', opened),
  session_deleted: message('session_deleted', z.looseObject({ sessionId: z.string() })),
  command_accepted: message('command_accepted', z.looseObject(course)),
  command_started: message('command_started', z.looseObject(course)),
  command_finished: message(
    'command_finished',
    z.looseObject({
      ...course,
      success: z.boolean(),
      error: z.string().optional(),
      sessionVersion: z.int().nonnegative().optional(),
      replayed: z.literal(true).optional(),
    }),
  ),
  event: z.looseObject({
    type: z.literal('event'),
    sessionId: z.string(),
    event: z.looseObject({ type: z.string() }),
  }),
} as const;

function request<Method extends string, Shape extends z.ZodRawShape>(method: Method, shape: Shape) {
  return z.looseObject({
    type: z.literal('extension_ui_request'),
    requestId: z.string(),
    method: z.literal(method),
    ...shape,
  });
}

/** Ms. After this time the server answers itself. */
const timeout = z.number().nonnegative().optional();
const title = z.string();

/** Extension requests by method. The first five wait for an answer (docs/protocols/pi-server.md 18.1). */
export const requestSchemas = {
  select: request('select', { title, options: z.array(z.string()), timeout }),
  confirm: request('confirm', { title, message: z.string().optional(), timeout }),
  input: request('input', { title, placeholder: z.string().optional(), timeout }),
  editor: request('editor', { title, prefill: z.string().optional(), timeout }),
  /** No server was ever observed to send one, so the form of the questions is unknown. */
  interview: request('interview', { title: title.optional(), questions: z.array(z.unknown()).optional(), timeout }),
  notify: request('notify', { message: z.string(), notifyType: z.string().optional() }),
  setStatus: request('setStatus', { key: z.string(), text: z.string().nullish() }),
  setWidget: request('setWidget', {
    key: z.string(),
    content: z.array(z.string()).nullish(),
    placement: z.string().optional(),
  }),
  setTitle: request('setTitle', { title }),
  setWorkingMessage: request('setWorkingMessage', { message: z.string().nullish() }),
} as const;
