// Converts the lines of a pi client to canonical commands (docs/protocols/pi.md 4, 13; newer ones: 1.7). The inverse is
// backend/encode-command.ts.
import type { z } from 'zod';
import type { Command } from '../../../core/model/command.ts';
import type { Content, Dictionary } from '../../../core/model/content.ts';
import { without } from '../../../core/model/dictionary.ts';
import { extraOf } from '../decode-values.ts';
import { commandSchemas, type WireImage } from '../wire/commands.ts';
import { problemOf } from '../wire/problem.ts';

/** A command, or the problem with its line. */
export type Decoded = { readonly command: Command } | { readonly problem: string };

/** The command of a line. A command known only to a newer pi passes as `unknown`. */
export function decodeCommand(line: Dictionary & { readonly type: string }): Decoded {
  const read = readers.get(line.type);
  return read === undefined ? { command: { type: 'unknown', protocol: 'pi', payload: line } } : read(line);
}

type Reader = (line: Dictionary) => Decoded;

/**
 * `known` are the fields that the canonical command covers. All other fields go into `extra`, for an agent that speaks
 * pi.
 */
function reader<Schema extends z.ZodType>(
  schema: Schema,
  known: readonly string[],
  make: (line: z.output<Schema>) => Command,
): Reader {
  return (line) => {
    // An id may be any JSON value. A null field counts as absent if it is optional, as in pi itself.
    const fields = Object.fromEntries(Object.entries(line).filter(([name, value]) => name !== 'id' && value !== null));
    const read = schema.safeParse(fields);
    if (!read.success) return { problem: problemOf(read.error) };
    // Shell output refers to the id of the bash command. All other ids stay on their connection.
    const id = line.type === 'bash' ? line.id : undefined;
    const images = Array.isArray(line.images) && line.images.length === 0 ? line.images : undefined;
    return { command: { ...make(read.data), ...extraOf({ ...without(fields, 'type', ...known), id, images }) } };
  };
}

const schemas = commandSchemas;
const query = (subject: Extract<Command, { type: 'query' }>['subject']) => (): Command => ({ type: 'query', subject });

const whenBusy = { steer: 'steer', followUp: 'follow-up' } as const;

const readers: ReadonlyMap<string, Reader> = new Map([
  [
    'prompt',
    // `streamingBehavior` also stays in `extra`: an idle pi accepts and ignores it.
    reader(schemas.prompt, ['message', 'images'], ({ message, images, streamingBehavior }) => ({
      type: 'prompt',
      content: contentOf(message, images),
      whenBusy: streamingBehavior === undefined ? 'refuse' : whenBusy[streamingBehavior],
    })),
  ],
  [
    'steer',
    reader(schemas.steer, ['message', 'images'], ({ message, images }) => ({
      type: 'steer',
      content: contentOf(message, images),
    })),
  ],
  [
    'follow_up',
    reader(schemas.follow_up, ['message', 'images'], ({ message, images }) => ({
      type: 'follow-up',
      content: contentOf(message, images),
    })),
  ],
  ['abort', reader(schemas.abort, [], () => ({ type: 'abort', target: 'run', untilIdle: true }))],
  ['abort_retry', reader(schemas.abort_retry, [], () => ({ type: 'abort', target: 'retry' }))],
  ['abort_bash', reader(schemas.abort_bash, [], () => ({ type: 'abort', target: 'bash' }))],
  ['clear_queue', reader(schemas.clear_queue, [], () => ({ type: 'clear-queue' }))],
  [
    'new_session',
    reader(schemas.new_session, ['parentSession'], ({ parentSession }) => ({
      type: 'new-session',
      ...(parentSession === undefined ? {} : { parent: parentSession }),
    })),
  ],
  [
    'switch_session',
    reader(schemas.switch_session, ['sessionPath'], ({ sessionPath }) => ({
      type: 'switch-session',
      path: sessionPath,
    })),
  ],
  ['fork', reader(schemas.fork, ['entryId'], ({ entryId }) => ({ type: 'fork', entry: entryId }))],
  [
    'set_model',
    reader(schemas.set_model, ['provider', 'modelId'], ({ provider, modelId }) => ({
      type: 'set-model',
      provider,
      model: modelId,
    })),
  ],
  ['cycle_model', reader(schemas.cycle_model, [], () => ({ type: 'cycle-model' }))],
  [
    'set_thinking_level',
    reader(schemas.set_thinking_level, ['level'], ({ level }) => ({ type: 'set-thinking', level })),
  ],
  ['cycle_thinking_level', reader(schemas.cycle_thinking_level, [], () => ({ type: 'cycle-thinking' }))],
  [
    'set_steering_mode',
    reader(schemas.set_steering_mode, ['mode'], ({ mode }) => ({ type: 'set-queue-mode', queue: 'steering', mode })),
  ],
  [
    'set_follow_up_mode',
    reader(schemas.set_follow_up_mode, ['mode'], ({ mode }) => ({ type: 'set-queue-mode', queue: 'follow-up', mode })),
  ],
  [
    'set_auto_compaction',
    reader(schemas.set_auto_compaction, ['enabled'], ({ enabled }) => ({
      type: 'set-auto',
      what: 'compaction',
      enabled,
    })),
  ],
  [
    'set_auto_retry',
    reader(schemas.set_auto_retry, ['enabled'], ({ enabled }) => ({ type: 'set-auto', what: 'retry', enabled })),
  ],
  ['set_session_name', reader(schemas.set_session_name, ['name'], ({ name }) => ({ type: 'set-name', name }))],
  [
    'compact',
    reader(schemas.compact, ['customInstructions'], ({ customInstructions }) => ({
      type: 'compact',
      ...(customInstructions === undefined ? {} : { instructions: customInstructions }),
    })),
  ],
  ['bash', reader(schemas.bash, ['command'], ({ command }) => ({ type: 'bash', command }))],
  [
    'export_html',
    reader(schemas.export_html, ['outputPath'], ({ outputPath }) => ({
      type: 'export',
      format: 'html',
      ...(outputPath === undefined ? {} : { path: outputPath }),
    })),
  ],
  ['get_state', reader(schemas.get_state, [], query('state'))],
  ['get_messages', reader(schemas.get_messages, [], query('messages'))],
  ['get_session_stats', reader(schemas.get_session_stats, [], query('statistics'))],
  ['get_last_assistant_text', reader(schemas.get_last_assistant_text, [], query('last-text'))],
  ['get_fork_messages', reader(schemas.get_fork_messages, [], query('fork-points'))],
  ['get_available_models', reader(schemas.get_available_models, [], query('models'))],
  ['get_available_thinking_levels', reader(schemas.get_available_thinking_levels, [], query('thinking-levels'))],
  ['get_commands', reader(schemas.get_commands, [], query('commands'))],
]);

function contentOf(message: string, images: readonly WireImage[] = []): Content[] {
  return [
    { type: 'text', text: message },
    ...images.map((image): Content => {
      const { data, mimeType: mediaType } = image;
      return { type: 'image', data, mediaType, ...extraOf(without(image, 'type', 'data', 'mimeType')) };
    }),
  ];
}
