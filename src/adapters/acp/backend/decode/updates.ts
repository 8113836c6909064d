// The updates of a session, by their kind (docs/protocols/acp.md 4, 5).
import type { z } from 'zod';
import type { Env } from '../../../../core/contract/adapter/action.ts';
import type { Outbox } from '../../../../core/contract/adapter/outbox.ts';
import type { Content } from '../../../../core/model/content.ts';
import { dictionaryOf } from '../../../../core/model/dictionary.ts';
import type { EventOf } from '../../../../core/model/event.ts';
import {
  CallUpdate,
  Chunk,
  CommandsUpdate,
  CompactionUpdate,
  ModeUpdate,
  NoticeUpdate,
  OptionsUpdate,
  PlanUpdate,
  SessionInfoUpdate,
  UsageUpdate,
} from '../../wire/agent.ts';
import { TurnUsage } from '../../wire/content.ts';
import { type AgentInfo, commandInfo } from '../agent-info.ts';
import { createHistory } from '../history.ts';
import { createRemarks } from '../outside.ts';
import { type Calls, createCalls } from './calls.ts';
import { createMessageDecoder, type Spoken } from './message.ts';
import { createRun, type RunDecoder, type RunParts } from './run.ts';
import { acpExtra, contentOf, usageOf } from './values.ts';

/** Reads the updates of one session. */
export interface UpdateDecoder {
  readonly run: RunDecoder;
  readonly calls: Calls;
  /** See Streaming of core/fast-path/templates.ts. */
  streaming(index: number): object | null;
  take(update: { readonly sessionUpdate: string }): void;
  /** Reads an update of the past that the agent tells. */
  takePast(update: { readonly sessionUpdate: string }): void;
  /** Delivers the past. */
  told(): void;
  /** A prompt is about to be sent. `words`: an echo of them is dropped. */
  prompting(words: string): void;
  /** The agent asks something: what was held back comes first. */
  release(): void;
  onTimer(timer: string): boolean;
}

type Take = (update: unknown) => void;

export function createUpdateDecoder(
  env: Env,
  out: Outbox,
  info: AgentInfo,
  context: Pick<RunParts, 'cancelQuestions' | 'loginHint'>,
): UpdateDecoder {
  const remarks = createRemarks(out);
  const messages = createMessageDecoder(env, out, {
    begins: () => run.turn(),
    model: () => info.known.model?.id,
    written: (id) => calls.written(id),
  });
  const calls = createCalls(out, messages, context.cancelQuestions);
  const run = createRun(out, { ...context, messages, calls, release });
  let history = createHistory(out);
  /** The words of the open prompt that an echo has not repeated. */
  let echo = '';
  /** The commands as the agent last told them (docs/protocols/acp.md 1.5). */
  let commands = '';

  function release(): void {
    for (const chunk of remarks.release()) messages.chunk('text', chunk);
  }

  function passOn(update: unknown): void {
    out.deliver({ type: 'unknown', protocol: 'acp', payload: { method: 'session/update', update } });
  }

  function speak(kind: Spoken, chunk: Chunk, update: unknown): void {
    const isEmpty = chunk.content.type === 'text' && (chunk.content.text ?? '') === '';
    if (isEmpty) return figures(chunk, update);
    if (!run.open) {
      if (kind === 'text') remarks.outside(chunk.content.text ?? '');
      return;
    }
    if (kind === 'thinking' && typeof chunk.messageId === 'string') remarks.inThought();
    if (kind === 'thinking') release();
    const spoken = kind === 'text' ? remarks.inRun(chunk) : [chunk];
    if (spoken.length > 0) calls.modelSpeaks();
    for (const one of spoken) messages.chunk(kind, one);
  }

  /** qwen tells the usage of a message in an empty chunk (docs/protocols/acp.md 4.33). */
  function figures(chunk: Chunk, update: unknown): void {
    const { data } = TurnUsage.safeParse(dictionaryOf(chunk._meta).usage);
    const usage = usageOf(data);
    if (run.open) release();
    if (usage !== undefined && run.open && !messages.used(usage)) out.deliver({ type: 'usage-changed', usage });
    if (chunk._meta) out.deliver({ type: 'session-changed', changes: {}, ...acpExtra({ update }) });
  }

  function userSays({ content }: Chunk): void {
    const part = contentOf(content);
    if (part.type === 'text' && part.text !== '' && echo.startsWith(part.text)) {
      echo = echo.slice(part.text.length);
      return;
    }
    messages.close({ reason: 'end' });
    out.deliver({ type: 'message-added', role: 'user', origin: 'agent', content: [part] });
  }

  function changeCall(update: CallUpdate): void {
    if (!run.open) return passOn(update);
    release();
    if (!calls.update(update)) passOn(update);
  }

  function plan({ entries }: z.infer<typeof PlanUpdate>): void {
    out.deliver({
      type: 'plan-changed',
      entries: entries.map(({ content, priority, status }) => ({
        text: content,
        ...(priority === 'high' || priority === 'medium' || priority === 'low' ? { priority } : {}),
        status: status === 'in_progress' ? 'in-progress' : status === 'completed' ? 'completed' : 'pending',
      })),
    });
  }

  function usage({ used, size, cost, _meta }: z.infer<typeof UsageUpdate>): void {
    const isDollars = cost?.currency.toUpperCase() === 'USD';
    if (cost && !isDollars) out.note('loss', 'usage_update: a cost that is not in US dollars');
    out.deliver({
      type: 'usage-changed',
      ...(typeof used === 'number' ? { contextTokens: used } : {}),
      ...(typeof size === 'number' ? { contextWindow: size } : {}),
      ...(cost && isDollars ? { sessionCost: { total: cost.amount } } : {}),
      ...acpExtra({ _meta: _meta ?? undefined }),
    });
  }

  function compaction({ compactionId, status, summary, error }: z.infer<typeof CompactionUpdate>): void {
    const extra = acpExtra({ compactionId });
    if (status === 'in_progress' || !status) {
      return out.deliver({ type: 'compaction-start', trigger: 'unknown', ...extra });
    }
    const outcome: EventOf<'compaction-end'>['outcome'] =
      status === 'completed' ? 'completed' : status === 'cancelled' ? 'aborted' : 'failed';
    const text = (summary ?? []).map((block) => block.text ?? '').join('\n');
    const reason = typeof error === 'string' ? error : error?.message;
    const failure = reason ? { failure: { kind: 'agent' as const, message: reason } } : {};
    out.deliver({ type: 'compaction-end', outcome, ...(text === '' ? {} : { summary: text }), ...failure, ...extra });
  }

  const kinds: ReadonlyMap<string, Take> = new Map<string, Take>([
    ['agent_message_chunk', reading(Chunk, (chunk, update) => speak('text', chunk, update))],
    ['agent_thought_chunk', reading(Chunk, (chunk, update) => speak('thinking', chunk, update))],
    ['user_message_chunk', reading(Chunk, userSays)],
    ['tool_call', reading(CallUpdate, changeCall)],
    ['tool_call_update', reading(CallUpdate, changeCall)],
    ['plan', reading(PlanUpdate, plan)],
    ['usage_update', reading(UsageUpdate, usage)],
    [
      'available_commands_update',
      reading(CommandsUpdate, ({ availableCommands }) => {
        const told = JSON.stringify(availableCommands);
        if (told === commands) return;
        commands = told;
        info.learn({ commands: availableCommands.map(commandInfo) });
      }),
    ],
    [
      'current_mode_update',
      reading(ModeUpdate, ({ currentModeId, modeId }) => {
        const id = currentModeId ?? modeId;
        if (typeof id === 'string') info.mode(id);
      }),
    ],
    ['config_option_update', reading(OptionsUpdate, ({ configOptions }) => info.options(configOptions))],
    [
      'session_info_update',
      reading(SessionInfoUpdate, ({ title, sessionUpdate: _, ...rest }) => {
        const changes = typeof title === 'string' ? { name: title } : {};
        // Vendors tell a state of their own this way (docs/protocols/acp.md 5): ACP clients alone are told.
        const said = { ...(title === null ? { title } : {}), ...rest };
        info.learn(changes, Object.keys(said).length > 0 ? acpExtra({ info: said }) : {});
      }),
    ],
    [
      'notice',
      reading(NoticeUpdate, ({ severity, title, description, _meta }) => {
        const level = severity === 'warning' || severity === 'error' ? severity : 'info';
        const text = description ? `${title}\n${description}` : title;
        const extra = acpExtra({ title, description: description ?? undefined, _meta: _meta ?? undefined });
        out.deliver({ type: 'notice', level, text, source: 'agent', ...extra });
      }),
    ],
    ['compaction_update', reading(CompactionUpdate, compaction)],
  ]);

  function reading<Schema extends z.ZodType>(
    schema: Schema,
    take: (read: z.output<Schema>, update: unknown) => void,
  ): Take {
    return (update) => {
      const { success, data } = schema.safeParse(update);
      if (success) take(data, update);
      else passOn(update);
    };
  }

  return {
    run,
    calls,
    streaming: (index) => (run.open && remarks.isPlain ? messages.streaming(index) : null),
    take(update) {
      // An unknown kind is never fatal (docs/protocols/acp.md 5.52).
      const take = kinds.get(update.sessionUpdate) ?? passOn;
      take(update);
    },
    takePast(update) {
      const kind = update.sessionUpdate;
      const isCall = kind === 'tool_call' || kind === 'tool_call_update';
      const call = isCall ? CallUpdate.safeParse(update).data : undefined;
      if (!history.take(kind, update, call)) kinds.get(kind)?.(update);
    },
    told() {
      history.finish();
      history = createHistory(out);
    },
    prompting(words) {
      remarks.flush();
      echo = words;
    },
    release,
    onTimer: remarks.onTimer,
  };
}

/** The text of a prompt, as an agent may repeat it (docs/protocols/acp.md 4.34). */
export function wordsOf(content: readonly Content[]): string {
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}
