// Converts the outcome of a command to the `data` of its response, by the line of the command. A response of a real pi
// returns unchanged. For other agents, complete objects are built, with every field that pi's client types require
// (docs/protocols/pi.md 4, 5; differences between wire and document: 5.5).
import type { z } from 'zod';
import type { SessionView } from '../../../core/contract/adapter/projection.ts';
import type { Dictionary } from '../../../core/model/content.ts';
import { isDictionary } from '../../../core/model/dictionary.ts';
import { OutcomeData, QueryData } from '../../../core/model/outcome-data.ts';
import type { CommandInfo } from '../../../core/model/session-info.ts';
import { encodeModel, encodeUsage, piFields, present } from '../encode-values.ts';
import { encodeMessage } from './encode-message.ts';

/** The session, as far as an answer needs it. Absent if the connection has none. */
type Session = SessionView | undefined;
type Make = (data: unknown, session: Session) => unknown;

/** The `data` of the response to a line, or undefined for none. */
export function answerTo(line: string, data: unknown, session: Session): unknown {
  const raw = isDictionary(data) && isDictionary(data.extra) ? data.extra : {};
  if (Object.hasOwn(raw, 'pi') && isWhole(line, raw.pi)) return raw.pi;
  return makers.get(line)?.(data, session);
}

/** pi 0.13.2 answers `compact` with its event, which newer clients do not accept as an answer. */
function isWhole(line: string, raw: unknown): boolean {
  return line !== 'compact' || (isDictionary(raw) && typeof raw.firstKeptEntryId === 'string');
}

/** Parses the outcome by its schema. Data that does not match counts as none. */
function maker<Schema extends z.ZodType>(
  schema: Schema,
  make: (data: z.output<Schema> | undefined, session: Session) => unknown,
): Make {
  return (data, session) => make(schema.safeParse(data).data, session);
}

const cancelled = (data: { cancelled: boolean } | undefined) => ({ cancelled: data?.cancelled ?? false });

/**
 * pi sends `disposition` since 0.99. Its RpcClient reads the field; older clients read no data (rpc-client.js, prompt,
 * steer, followUp).
 */
const disposition = <Word extends string>(usual: Word) =>
  maker(OutcomeData.prompt, (data) => ({ disposition: data?.taken ?? usual }));

const makers: ReadonlyMap<string, Make> = new Map([
  ['prompt', disposition('started')],
  ['steer', disposition('queued')],
  ['follow_up', disposition('queued')],
  ['new_session', maker(OutcomeData['new-session'], cancelled)],
  ['switch_session', maker(OutcomeData['switch-session'], cancelled)],
  ['fork', maker(OutcomeData.fork, (data) => ({ text: data?.text ?? '', ...cancelled(data) }))],
  [
    'set_model',
    maker(OutcomeData['set-model'], (data, session) => {
      const model = data?.model ?? session?.transcript.info.model;
      return encodeModel(model ?? { id: 'unknown' });
    }),
  ],
  [
    'cycle_model',
    maker(OutcomeData['cycle-model'], (data, session) =>
      data?.model === undefined
        ? null
        : { model: encodeModel(data.model), thinkingLevel: data.thinkingLevel ?? levelOf(session), isScoped: false },
    ),
  ],
  [
    'cycle_thinking_level',
    maker(OutcomeData['cycle-thinking'], (data) => (data?.level === undefined ? null : { level: data.level })),
  ],
  [
    'compact',
    maker(OutcomeData.compact, (data) => ({
      summary: data?.summary ?? '',
      firstKeptEntryId: '',
      tokensBefore: data?.tokensBefore ?? 0,
    })),
  ],
  [
    'bash',
    // Both forms: the fields that pi sends and the fields in the document.
    maker(OutcomeData.bash, (data) => {
      const { output = '', exitCode, cancelled: isCancelled = false, truncated = false } = data ?? {};
      const ended = exitCode === undefined ? {} : { exitCode };
      return { output, ...ended, cancelled: isCancelled, truncated, stdout: output, stderr: '', signal: null };
    }),
  ],
  ['export_html', maker(OutcomeData.export, (data) => ({ path: data?.path ?? '' }))],
  [
    'clear_queue',
    maker(OutcomeData['clear-queue'], (data) => ({ steering: data?.steering ?? [], followUp: data?.followUp ?? [] })),
  ],
  ['get_state', maker(QueryData.state, stateOf)],
  [
    'get_messages',
    maker(QueryData.messages, (data, session) => {
      const timestamp = session?.timeOrigin ?? 0;
      const { provider, id: model } = session?.transcript.info.model ?? {};
      const own = data?.messages.filter(({ parent }) => parent === undefined) ?? [];
      return { messages: own.map((message) => encodeMessage(message, { timestamp, provider, model })) };
    }),
  ],
  ['get_session_stats', maker(QueryData.statistics, statisticsOf)],
  ['get_last_assistant_text', maker(QueryData['last-text'], (data) => (data?.text ? { text: data.text } : {}))],
  [
    'get_fork_messages',
    maker(QueryData['fork-points'], (data) => ({
      messages: (data?.points ?? []).map(({ entry, text }) => ({ entryId: entry, text })),
    })),
  ],
  ['get_available_models', maker(QueryData.models, (data) => ({ models: (data?.models ?? []).map(encodeModel) }))],
  [
    'get_available_thinking_levels',
    maker(QueryData['thinking-levels'], (data, session) => ({ levels: data?.levels ?? [levelOf(session)] })),
  ],
  ['get_commands', maker(QueryData.commands, (data) => ({ commands: (data?.commands ?? []).map(commandOf) }))],
]);

function levelOf(session: Session): string {
  return session?.transcript.info.thinkingLevel ?? 'off';
}

function stateOf(data: z.output<typeof QueryData.state> | undefined, session: Session): Dictionary {
  const info = { ...session?.transcript.info, ...data?.changes };
  return present({
    model: info.model === undefined ? undefined : encodeModel(info.model),
    thinkingLevel: info.thinkingLevel ?? 'off',
    isStreaming: data?.running ?? session?.transcript.run != null,
    isCompacting: data?.compacting ?? session?.transcript.compaction != null,
    steeringMode: info.steeringMode ?? 'all',
    followUpMode: info.followUpMode ?? 'all',
    sessionFile: info.file,
    sessionId: info.agentSessionId ?? session?.id ?? '',
    sessionName: info.name === '' ? undefined : info.name,
    autoCompactionEnabled: info.autoCompaction ?? false,
    messageCount: data?.messageCount ?? 0,
    pendingMessageCount: data?.pendingMessages ?? 0,
  });
}

function statisticsOf(data: z.output<typeof QueryData.statistics> | undefined, session: Session): Dictionary {
  const info = session?.transcript.info;
  const { input, output, cacheRead, cacheWrite, totalTokens: total } = encodeUsage(data?.usage, undefined, undefined);
  return present({
    sessionFile: info?.file,
    sessionId: info?.agentSessionId ?? session?.id ?? '',
    userMessages: data?.userMessages ?? 0,
    assistantMessages: data?.assistantMessages ?? 0,
    toolCalls: data?.toolCalls ?? 0,
    toolResults: data?.toolResults ?? 0,
    totalMessages: data?.totalMessages ?? 0,
    tokens: { input, output, cacheRead, cacheWrite, total },
    cost: data?.cost?.total ?? 0,
    contextUsage: contextUsageOf(data?.contextTokens, data?.contextWindow),
  });
}

/** Since 0.87. Without a context window there is no value. */
function contextUsageOf(tokens: number | null = null, contextWindow: number | undefined): Dictionary | undefined {
  if (contextWindow === undefined || contextWindow === 0) return undefined;
  return { tokens, contextWindow, percent: tokens === null ? null : (tokens / contextWindow) * 100 };
}

const sources: ReadonlySet<unknown> = new Set(['extension', 'prompt', 'skill']);

/** pi's description of a command that comes with the agent, since 0.62. The client type requires the field. */
const builtIn = { path: '', source: 'builtin', scope: 'temporary', origin: 'top-level' };

/**
 * pi has three kinds of command. A command of another agent is shown as a prompt template, because both begin a run and
 * a command of an extension may not. pi-acp does not offer commands of extensions.
 */
function commandOf({ name, description, kind, extra }: CommandInfo): Dictionary {
  const source = sources.has(kind) ? kind : 'prompt';
  const sourceInfo = extra?.pi === undefined ? builtIn : undefined;
  return present({ name, description, source, sourceInfo, ...piFields(extra) });
}
