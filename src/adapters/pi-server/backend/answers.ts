// Converts pi-server's answers to outcome data (core/model/outcome-data.ts). `extra` holds the original answer: under
// `pi` if pi answers in the same form, else under `pi-server`.
import { z } from 'zod';
import { without } from '../../../core/model/dictionary.ts';
import { type Outcome, refused } from '../../../core/model/errors.ts';
import type { CommandInfo } from '../../../core/model/session-info.ts';
import { statisticsOf } from '../../pi/backend/decode/answer.ts';
import { historyOf } from '../../pi/backend/decode/whole-message.ts';
import { sessionInfoOf } from '../../pi/backend/session-info.ts';
import { extraOf, modelOf } from '../../pi/decode-values.ts';
import { problemOf } from '../../pi/wire/problem.ts';
import { dataSchemas } from '../../pi/wire/responses.ts';
import { WireModel } from '../../pi/wire/values.ts';
import { type Answer, refusalOf } from './requests.ts';

const Skill = z.looseObject({ name: z.string(), description: z.string().optional(), source: z.string().optional() });
const Tool = z.looseObject({
  name: z.string(),
  description: z.string().optional(),
  parameters: z.unknown().optional(),
});

/** The answer to a command that opens a session or subscribes to one. */
export const Opened = z.looseObject({ sessionInfo: z.unknown() });

type Read = (data: unknown) => { readonly data: object; readonly isPi: boolean } | { readonly problem: string };

/** The outcome of a command, by the command's line. */
export function outcomeOf(line: string, answer: Answer): Outcome {
  if (answer.kind === 'refused') return refusalOf(answer);
  const { data } = answer;
  const read = readers.get(line);
  if (read === undefined)
    return data === undefined ? { ok: true } : { ok: true, data: { extra: { 'pi-server': data } } };
  const decoded = read(data);
  if ('problem' in decoded) return refused('agent-refused', `the pi-server answered ${line} oddly: ${decoded.problem}`);
  return { ok: true, data: { ...decoded.data, extra: { [decoded.isPi ? 'pi' : 'pi-server']: data } } };
}

/** Answers that pi gives in the same form. */
function asPi<Schema extends z.ZodType>(schema: Schema, make: (data: z.output<Schema>) => object): Read {
  return reader(schema, make, true);
}

/** Answers in a form of pi-server's own. */
function own<Schema extends z.ZodType>(schema: Schema, make: (data: z.output<Schema>) => object): Read {
  return reader(schema, make, false);
}

function reader<Schema extends z.ZodType>(
  schema: Schema,
  make: (data: z.output<Schema>) => object,
  isPi: boolean,
): Read {
  return (data) => {
    const read = schema.safeParse(data);
    return read.success ? { data: make(read.data), isPi } : { problem: problemOf(read.error) };
  };
}

const readers: ReadonlyMap<string, Read> = new Map([
  [
    'get_state',
    own(dataSchemas.get_state, (info) => ({
      changes: sessionInfoOf(info),
      running: info.isStreaming,
      messageCount: info.messageCount,
    })),
  ],
  ['get_messages', asPi(dataSchemas.get_messages, ({ messages }) => ({ messages: historyOf(messages) }))],
  ['get_session_stats', asPi(dataSchemas.get_session_stats, statisticsOf)],
  [
    'get_context_usage',
    own(z.looseObject({ tokens: z.number().nullish(), contextWindow: z.number().nullish() }), (usage) => ({
      tokens: usage.tokens ?? null,
      window: usage.contextWindow ?? null,
    })),
  ],
  ['get_last_assistant_text', asPi(dataSchemas.get_last_assistant_text, ({ text }) => ({ text: text ?? null }))],
  [
    'get_fork_messages',
    asPi(dataSchemas.get_fork_messages, ({ messages }) => ({
      points: messages.map(({ entryId, text }) => ({ entry: entryId, text })),
    })),
  ],
  ['get_available_models', asPi(dataSchemas.get_available_models, ({ models }) => ({ models: models.map(modelOf) }))],
  ['get_commands', asPi(dataSchemas.get_commands, ({ commands }) => ({ commands: commands.map(commandInfoOf) }))],
  [
    'get_skills',
    own(z.looseObject({ skills: z.array(Skill) }), ({ skills }) => ({ skills: skills.map(commandInfoOf) })),
  ],
  [
    'get_tools',
    own(z.looseObject({ tools: z.array(Tool) }), ({ tools }) => ({
      tools: tools.map(({ name, description, parameters }) => ({ name, description, parameters })),
    })),
  ],
  [
    'list_session_files',
    own(
      z.looseObject({
        files: z.array(
          z.looseObject({ path: z.string(), name: z.string().optional(), modifiedAt: z.string().optional() }),
        ),
      }),
      ({ files }) => ({ files: files.map(({ path, name, modifiedAt }) => ({ path, name, modifiedAt })) }),
    ),
  ],
  ['set_model', own(z.looseObject({ model: WireModel }), ({ model }) => ({ model: modelOf(model) }))],
  [
    'cycle_model',
    asPi(dataSchemas.cycle_model, (data) =>
      data === null ? {} : { model: modelOf(data.model), thinkingLevel: data.thinkingLevel },
    ),
  ],
  ['cycle_thinking_level', asPi(dataSchemas.cycle_thinking_level, (data) => ({ level: data?.level }))],
  [
    'compact',
    asPi(dataSchemas.compact, ({ summary, tokensBefore }) => ({ summary, tokensBefore: tokensBefore ?? undefined })),
  ],
  [
    'bash',
    own(dataSchemas.bash, (data) => ({
      output: data.output ?? '',
      exitCode: data.exitCode ?? undefined,
      cancelled: data.cancelled ?? false,
      truncated: data.truncated ?? false,
    })),
  ],
  ['export_html', asPi(dataSchemas.export_html, ({ path }) => ({ path }))],
  ['new_session', asPi(dataSchemas.new_session, ({ cancelled }) => ({ cancelled }))],
  ['switch_session_file', asPi(dataSchemas.switch_session, ({ cancelled }) => ({ cancelled }))],
  ['fork', asPi(dataSchemas.fork, ({ text, cancelled }) => ({ text, cancelled }))],
]);

function commandInfoOf(command: z.output<typeof Skill>): CommandInfo {
  return {
    name: command.name,
    description: command.description,
    kind: command.source,
    ...extraOf(without(command, 'name', 'description', 'source')),
  };
}
