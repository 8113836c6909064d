// Every line that the gateway sends to pi (docs/protocols/pi.md 4, 12.1; newer ones: 1.7). Loose objects: fields of a
// newer client pass through.
import { z } from 'zod';

export const WireImage = z.looseObject({ type: z.literal('image'), data: z.string(), mimeType: z.string() });
export type WireImage = z.infer<typeof WireImage>;

function command<Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) {
  return z.looseObject({ type: z.literal(type), id: z.string().optional(), ...shape });
}

const promptFields = { message: z.string(), images: z.array(WireImage).optional() };
const mode = { mode: z.enum(['all', 'one-at-a-time']) };
const enabled = { enabled: z.boolean() };

/** Lines by their `type`. */
export const commandSchemas = {
  prompt: command('prompt', { ...promptFields, streamingBehavior: z.enum(['steer', 'followUp']).optional() }),
  steer: command('steer', promptFields),
  follow_up: command('follow_up', promptFields),
  abort: command('abort', {}),
  clear_queue: command('clear_queue', {}),
  new_session: command('new_session', { parentSession: z.string().optional() }),
  get_state: command('get_state', {}),
  get_messages: command('get_messages', {}),
  set_model: command('set_model', { provider: z.string(), modelId: z.string() }),
  cycle_model: command('cycle_model', {}),
  get_available_models: command('get_available_models', {}),
  set_thinking_level: command('set_thinking_level', { level: z.string() }),
  cycle_thinking_level: command('cycle_thinking_level', {}),
  get_available_thinking_levels: command('get_available_thinking_levels', {}),
  set_steering_mode: command('set_steering_mode', mode),
  set_follow_up_mode: command('set_follow_up_mode', mode),
  compact: command('compact', { customInstructions: z.string().optional() }),
  set_auto_compaction: command('set_auto_compaction', enabled),
  set_auto_retry: command('set_auto_retry', enabled),
  abort_retry: command('abort_retry', {}),
  bash: command('bash', { command: z.string() }),
  abort_bash: command('abort_bash', {}),
  get_session_stats: command('get_session_stats', {}),
  export_html: command('export_html', { outputPath: z.string().optional() }),
  switch_session: command('switch_session', { sessionPath: z.string() }),
  fork: command('fork', { entryId: z.string() }),
  get_fork_messages: command('get_fork_messages', {}),
  get_last_assistant_text: command('get_last_assistant_text', {}),
  set_session_name: command('set_session_name', { name: z.string().trim().min(1, 'Session name cannot be empty') }),
  get_commands: command('get_commands', {}),
} as const;

/** A line of the gateway, without its id. */
export type WireCommand = {
  [Type in keyof typeof commandSchemas]: z.input<(typeof commandSchemas)[Type]>;
}[keyof typeof commandSchemas];

const answer = { type: z.literal('extension_ui_response'), id: z.string() };

/** The answer to a dialog. pi does not respond to it. */
export const ExtensionUiResponse = z.union([
  z.looseObject({ ...answer, value: z.string() }),
  z.looseObject({ ...answer, confirmed: z.boolean() }),
  z.looseObject({ ...answer, cancelled: z.literal(true) }),
]);
export type ExtensionUiResponse = z.infer<typeof ExtensionUiResponse>;
