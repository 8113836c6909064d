// Converts pi's answers to outcome data (core/model/outcome-data.ts). `extra` holds the original answer.
import type { z } from 'zod';
import { without } from '../../../../core/model/dictionary.ts';
import { type Outcome, refused } from '../../../../core/model/errors.ts';
import type { CommandInfo } from '../../../../core/model/session-info.ts';
import { extraOf, modelOf, usageOf } from '../../decode-values.ts';
import { problemOf } from '../../wire/problem.ts';
import { dataSchemas } from '../../wire/responses.ts';
import type { Answer } from '../pending-requests.ts';
import { sessionInfoOf } from '../session-info.ts';
import { historyOf } from './whole-message.ts';

/** The session figures that every pi version reports. */
export function statisticsOf({ tokens, cost, ...counts }: z.output<typeof dataSchemas.get_session_stats>) {
  return {
    userMessages: counts.userMessages,
    assistantMessages: counts.assistantMessages,
    toolCalls: counts.toolCalls,
    toolResults: counts.toolResults,
    totalMessages: counts.totalMessages,
    usage: usageOf(tokens),
    cost: typeof cost === 'number' ? { total: cost } : undefined,
  };
}

/** `missing` names data that this pi does not report and the session may know. */
type Convert = (
  data: unknown,
) => { readonly data: object } | { readonly problem: string } | { readonly missing: string };

/** The outcome of a command, by the command's line. `reading` names a different interpretation of the answer. */
export function outcomeOf(line: string, answer: Answer, reading: string = line): Outcome {
  switch (answer.kind) {
    case 'timeout':
      return refused('timeout', `pi did not answer ${line} in time`);
    case 'refused':
      return refused(answer.unknownCommand ? 'unsupported' : 'agent-refused', answer.error);
    case 'data': {
      const raw = answer.data === undefined ? {} : { extra: { pi: answer.data } };
      const convert = converters.get(reading);
      if (convert === undefined) return answer.data === undefined ? { ok: true } : { ok: true, data: raw };
      const converted = convert(answer.data);
      if ('problem' in converted) return refused('agent-refused', `pi answered ${line} oddly: ${converted.problem}`);
      if ('missing' in converted) return refused('unsupported', `pi does not tell ${converted.missing}`);
      return { ok: true, data: { ...converted.data, ...raw } };
    }
    default:
      return answer satisfies never;
  }
}

const converters: ReadonlyMap<string, Convert> = new Map([
  ['new_session', convert(dataSchemas.new_session, ({ cancelled }) => ({ cancelled }))],
  ['switch_session', convert(dataSchemas.switch_session, ({ cancelled }) => ({ cancelled }))],
  ['fork', convert(dataSchemas.fork, ({ text, cancelled }) => ({ text, cancelled }))],
  ['set_model', convert(dataSchemas.set_model, (model) => ({ model: modelOf(model) }))],
  [
    'cycle_model',
    convert(dataSchemas.cycle_model, (data) =>
      data === null ? {} : { model: modelOf(data.model), thinkingLevel: data.thinkingLevel },
    ),
  ],
  ['cycle_thinking_level', convert(dataSchemas.cycle_thinking_level, (data) => ({ level: data?.level }))],
  ['export_html', convert(dataSchemas.export_html, ({ path }) => ({ path }))],
  [
    'compact',
    convert(dataSchemas.compact, ({ summary, tokensBefore }) => ({
      summary,
      tokensBefore: tokensBefore ?? undefined,
    })),
  ],
  [
    'bash',
    convert(dataSchemas.bash, (data) => ({
      output: data.output ?? `${data.stdout ?? ''}${data.stderr ?? ''}`,
      exitCode: data.exitCode ?? undefined,
      cancelled: data.cancelled ?? false,
      truncated: data.truncated ?? false,
    })),
  ],
  [
    'get_state',
    convert(dataSchemas.get_state, (state) => ({
      changes: sessionInfoOf(state),
      running: state.isStreaming,
      compacting: state.isCompacting,
      pendingMessages: state.pendingMessageCount,
      messageCount: state.messageCount,
    })),
  ],
  ['get_messages', convert(dataSchemas.get_messages, ({ messages }) => ({ messages: historyOf(messages) }))],
  ['get_session_stats', convert(dataSchemas.get_session_stats, statisticsOf)],
  [
    'context-usage',
    (data) => {
      const read = dataSchemas.get_session_stats.safeParse(data);
      if (!read.success) return { problem: problemOf(read.error) };
      const { contextUsage } = read.data;
      // pi 0.54 does not report the context usage.
      if (contextUsage === undefined || contextUsage === null) return { missing: 'how full its context is' };
      return { data: { tokens: contextUsage.tokens ?? null, window: contextUsage.contextWindow ?? null } };
    },
  ],
  ['get_last_assistant_text', convert(dataSchemas.get_last_assistant_text, ({ text }) => ({ text: text ?? null }))],
  [
    'get_fork_messages',
    convert(dataSchemas.get_fork_messages, ({ messages }) => ({
      points: messages.map(({ entryId, text }) => ({ entry: entryId, text })),
    })),
  ],
  [
    'get_available_models',
    convert(dataSchemas.get_available_models, ({ models }) => ({ models: models.map(modelOf) })),
  ],
  ['get_available_thinking_levels', convert(dataSchemas.get_available_thinking_levels, ({ levels }) => ({ levels }))],
  ['get_commands', convert(dataSchemas.get_commands, ({ commands }) => ({ commands: commands.map(commandInfoOf) }))],
  [
    'skills',
    convert(dataSchemas.get_commands, ({ commands }) => ({
      skills: commands.filter(({ source }) => source === 'skill').map(commandInfoOf),
    })),
  ],
]);

/** A command as pi lists it. */
export function commandInfoOf(command: z.output<typeof dataSchemas.get_commands>['commands'][number]): CommandInfo {
  return {
    name: command.name,
    description: command.description,
    kind: command.source,
    ...extraOf(without(command, 'name', 'description', 'source')),
  };
}

function convert<Schema extends z.ZodType>(schema: Schema, make: (data: z.output<Schema>) => object): Convert {
  return (data) => {
    const read = schema.safeParse(data);
    return read.success ? { data: make(read.data) } : { problem: problemOf(read.error) };
  };
}
