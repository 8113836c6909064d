// Every command of a client (docs/protocols/pi-server.md 17, 18.2) and its envelope (docs/protocols/pi-server.md 4).
// Loose: unknown fields are kept.
import { z } from 'zod';
import {
  atMost,
  CommandId,
  controlCharacters,
  IdempotencyKey,
  longest,
  NewSessionId,
  never,
  optionalText,
  RequestId,
  required,
  SessionPath,
  StraySessionId,
  sessionName,
} from './command-fields.ts';

const [isTooLong, tooLong] = atMost(longest.id);

function faultOfDependency(id: unknown): string | null {
  if (typeof id !== 'string' || id.trim() === '') return 'Must be a non-empty command ID string';
  return isTooLong(id) ? tooLong : null;
}

/** The envelope of any command, in the order in which errors are reported. */
export const Identity = z.looseObject({
  id: CommandId.optional(),
  idempotencyKey: IdempotencyKey.optional(),
  dependsOn: z
    .array(z.unknown(), { error: 'Must be an array of command IDs' })
    .superRefine((ids, context) => {
      if (ids.length > longest.dependsOn) {
        context.addIssue({ code: 'custom', message: `Too many dependencies (max ${longest.dependsOn})` });
      }
      for (const [place, id] of ids.entries()) {
        const fault = faultOfDependency(id);
        if (fault !== null) context.addIssue({ code: 'custom', message: fault, path: [place] });
      }
    })
    .transform((ids) => ids.filter((id) => typeof id === 'string'))
    .optional(),
});
export type Identity = z.infer<typeof Identity>;

const noVersion = 'Must be a non-negative integer';

/** The version of the session that a command requires (docs/protocols/pi-server.md 10.1). */
export const Precondition = z.looseObject({
  ifSessionVersion: z.int({ error: noVersion }).nonnegative({ error: noVersion }).optional(),
});

/** The session of a session command. */
export const SessionTarget = z.looseObject({
  sessionId: sessionName("Session commands must have a non-empty string 'sessionId'"),
});

/** Real servers do not check images. An invalid image would reach no model. */
const WireImage = z.looseObject(
  {
    type: z.literal('image', { error: "Must be 'image'" }),
    data: z.string({ error: 'Required string' }),
    mimeType: z.string({ error: 'Required string' }),
  },
  { error: 'Required object' },
);
export type WireImage = z.infer<typeof WireImage>;

const images = z.array(WireImage, { error: 'Must be an array of images' }).nullish();
const promptFields = { message: required(atMost(longest.prompt)), images };
const enabled = { enabled: z.boolean({ error: 'Required boolean' }) };

const noSession = { sessionId: StraySessionId.optional() };

/** The two server commands that name one session. */
const namedSession = { sessionId: sessionName('Required non-empty string') };

function command<Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) {
  return z.looseObject({ type: z.literal(type), ...shape });
}

/** Server commands (docs/protocols/pi-server.md 17.1), by type. */
export const serverCommands = {
  list_sessions: command('list_sessions', noSession),
  create_session: command('create_session', { sessionId: NewSessionId.optional(), cwd: optionalText }),
  delete_session: command('delete_session', namedSession),
  switch_session: command('switch_session', namedSession),
  get_metrics: command('get_metrics', noSession),
  health_check: command('health_check', noSession),
  list_stored_sessions: command('list_stored_sessions', noSession),
  load_session: command('load_session', { sessionPath: SessionPath, sessionId: NewSessionId.optional() }),
} as const;

/** `off` and `minimal` appear in reported states, but real servers do not accept them. */
const levels = ['none', 'off', 'minimal', 'low', 'medium', 'high', 'xhigh'] as const;
const answerMethods = ['select', 'confirm', 'input', 'editor', 'interview', 'cancelled'] as const;

/** The answer to a dialog of an extension (docs/protocols/pi-server.md 18.2). Real servers check only its method. */
export const UiResponse = z.looseObject(
  { method: z.enum(answerMethods, { error: `Must be one of: ${answerMethods.join(', ')}` }) },
  { error: 'Required object' },
);
export type UiResponse = z.infer<typeof UiResponse>;

/** Session commands (docs/protocols/pi-server.md 17.2, 17.3), by type. */
export const sessionCommands = {
  get_available_models: command('get_available_models', {}),
  get_commands: command('get_commands', {}),
  get_skills: command('get_skills', {}),
  get_tools: command('get_tools', {}),
  list_session_files: command('list_session_files', {}),
  prompt: command('prompt', {
    ...promptFields,
    streamingBehavior: z.enum(['steer', 'followUp'], { error: 'Must be one of: steer, followUp' }).nullish(),
  }),
  steer: command('steer', promptFields),
  follow_up: command('follow_up', promptFields),
  abort: command('abort', {}),
  get_state: command('get_state', {}),
  get_messages: command('get_messages', {}),
  set_model: command('set_model', { provider: required(), modelId: required() }),
  cycle_model: command('cycle_model', {
    direction: z.enum(['forward', 'backward'], { error: "Must be 'forward' or 'backward'" }).optional(),
  }),
  set_thinking_level: command('set_thinking_level', {
    level: z.enum(levels, { error: 'Must be one of: none, low, medium, high, xhigh' }),
  }),
  cycle_thinking_level: command('cycle_thinking_level', {}),
  set_session_name: command('set_session_name', {
    name: required(atMost(longest.name), never(controlCharacters, 'Must not contain control characters')),
  }),
  compact: command('compact', { customInstructions: optionalText }),
  abort_compaction: command('abort_compaction', {}),
  set_auto_compaction: command('set_auto_compaction', enabled),
  set_auto_retry: command('set_auto_retry', enabled),
  abort_retry: command('abort_retry', {}),
  bash: command('bash', { command: required(atMost(longest.bash)) }),
  abort_bash: command('abort_bash', {}),
  get_session_stats: command('get_session_stats', {}),
  export_html: command('export_html', { outputPath: optionalText }),
  new_session: command('new_session', { parentSession: z.string({ error: 'Must be a string if provided' }).nullish() }),
  switch_session_file: command('switch_session_file', { sessionPath: SessionPath }),
  fork: command('fork', { entryId: required() }),
  get_fork_messages: command('get_fork_messages', {}),
  get_last_assistant_text: command('get_last_assistant_text', {}),
  get_context_usage: command('get_context_usage', {}),
  extension_ui_response: command('extension_ui_response', { requestId: RequestId, response: UiResponse }),
} as const;
