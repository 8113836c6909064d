// Decodes the frames of a Claude-format agent into canonical events: passes each frame to the part that reads it
// (docs/protocols/claude.md 4, 5).
import type { z } from 'zod';
import type { Env } from '../../../../core/contract/adapter/action.ts';
import type { Outbox } from '../../../../core/contract/adapter/outbox.ts';
import type { Streaming } from '../../../../core/fast-path/templates.ts';
import type { CallChanges } from '../../../../core/log/call-changes.ts';
import type { Dictionary, Failure } from '../../../../core/model/content.ts';
import { isDictionary, without } from '../../../../core/model/dictionary.ts';
import {
  type AgentFrame,
  AgentUserFrame,
  AssistantFrame,
  ErrorFrame,
  faultIn,
  ResultFrame,
  StreamEventFrame,
  streamEvents,
} from '../../wire/agent.ts';
import { type AgentInfo, createInfo } from '../agent-info.ts';
import { createPlans } from '../plans.ts';
import { type Compactions, createCompactions } from './compaction.ts';
import { createMessageDecoder } from './message.ts';
import { createRun, type RunDecoder } from './run.ts';
import { createSystemDecoder } from './system.ts';
import { createTools, type Tools } from './tools.ts';
import { unreadFieldsOf } from './unread-fields.ts';
import { createUserDecoder } from './user.ts';
import { claudeExtra, otherFields } from './values.ts';

/** The facts about sent commands that the decoder uses. */
export interface AgentContext {
  /** The file changes of calls. */
  readonly changes: CallChanges;
  runStarted(): void;
  runEnded(): void;
  /** A requested compaction is over, in a turn without a run. */
  isCompacting(): boolean;
  compacted(result: ResultFrame): void;
}

/** Decodes all frames but control frames. */
export interface AgentDecoder {
  readonly run: RunDecoder;
  readonly tools: Tools;
  readonly info: AgentInfo;
  readonly compactions: Compactions;
  frame(frame: AgentFrame): void;
  /** The streaming message, for the hot path. */
  readonly streaming: Streaming;
  finish(): void;
}

export function createAgentDecoder(env: Env, out: Outbox, context: AgentContext): AgentDecoder {
  const info = createInfo(out);
  const tools = createTools(out, context.changes, createPlans(out));
  const compactions = createCompactions(out);

  const messages = createMessageDecoder(env, out, {
    begins(lane) {
      tools.messageBegins(lane);
      if (lane !== undefined) return tools.atWork(lane);
      run.retried();
      run.turn();
    },
    calls: tools.announced,
    called: tools.called,
    ended(lane, stop) {
      if (stop.reason === 'aborted' || stop.reason === 'error') tools.messageCut(lane);
      else tools.messageEnded(lane);
      run.settleTurn();
    },
  });

  const run = createRun(out, {
    closeMessages: messages.closeAll,
    closeCalls: tools.closeAll,
    isTurnOver: () => !messages.isOpen(undefined) && !tools.owed,
    started: context.runStarted,
    ended: context.runEnded,
  });

  const user = createUserDecoder(out, { run, tools, compactions, messages });

  /** Opens a run for a frame of a turn. A turn that only compacts opens no run, because nobody sent a prompt. */
  function turnGoesOn(): void {
    if (!context.isCompacting()) run.ensure();
  }

  const system = createSystemDecoder(out, {
    info,
    compactions,
    atWork: tools.atWork,
    turnGoesOn,
    betweenTurns: run.betweenTurns,
    isCompactionAsked: () => context.isCompacting() || user.isCompactPrompt(),
    retry: (attempt) => run.retry(attempt),
  });

  /**
   * Every frame names the session (docs/protocols/claude.md 4.2), also frames before the first `init`. The `init`
   * itself tells more.
   */
  function learnSession({ session_id: id, subtype }: AgentFrame): void {
    if (subtype === 'init') return;
    if (info.known.agentSessionId === undefined && typeof id === 'string' && id !== '')
      info.learn({ agentSessionId: id });
  }

  function passOn(payload: Dictionary): void {
    out.deliver({ type: 'unknown', protocol: 'claude', payload });
  }

  /**
   * A sub-agent that continues after its call has a result works in the background. Its frames belong to no run, and
   * are passed unchanged to clients of this protocol (README).
   */
  function isInBackground(lane: string | null | undefined): boolean {
    return typeof lane === 'string' && !tools.has(lane) && !messages.isOpen(lane);
  }

  function userMessage(frame: AgentUserFrame): void {
    const { content } = frame.message;
    const isOwed = Array.isArray(content) && content.some(({ tool_use_id: call }) => tools.has(String(call)));
    if (isInBackground(frame.parent_tool_use_id) && !isOwed) return passOn(frame);
    if (typeof frame.parent_tool_use_id === 'string') tools.atWork(frame.parent_tool_use_id);
    user.take(frame);
  }

  const streamed: ReadonlyMap<
    string,
    (event: Dictionary, frame: Dictionary, lane: string | undefined) => string | null
  > = new Map([
    [
      'message_start',
      read(streamEvents.message_start, ({ message, ...event }, frame, lane) => {
        messages.start(lane, message ?? {}, unreadFieldsOf(frame, event));
      }),
    ],
    [
      'content_block_start',
      read(streamEvents.content_block_start, ({ index, content_block: block, ...event }, frame, lane) => {
        messages.blockStart(lane, index, block, unreadFieldsOf(frame, event));
      }),
    ],
    [
      'content_block_delta',
      read(streamEvents.content_block_delta, ({ index, delta, ...event }, frame, lane) => {
        messages.delta(lane, index, delta, unreadFieldsOf(frame, event));
      }),
    ],
    [
      'content_block_stop',
      read(streamEvents.content_block_stop, ({ index, ...event }, frame, lane) => {
        messages.blockStop(lane, index, unreadFieldsOf(frame, event));
      }),
    ],
    [
      'message_delta',
      read(streamEvents.message_delta, ({ delta, usage, ...event }, frame, lane) => {
        const fields = { delta: without(delta ?? {}, 'stop_reason') };
        messages.ending(lane, { stopReason: delta?.stop_reason ?? null, usage, fields }, unreadFieldsOf(frame, event));
      }),
    ],
    [
      'message_stop',
      read(streamEvents.message_stop, (event, frame, lane) => messages.stop(lane, unreadFieldsOf(frame, event))),
    ],
  ]);

  function streamEvent(frame: z.infer<typeof StreamEventFrame>): void {
    const { event, parent_tool_use_id: lane } = frame;
    const reader = streamed.get(event.type);
    if (reader === undefined || isInBackground(lane)) return passOn(frame);
    const problem = reader(event, frame, lane ?? undefined);
    if (problem !== null) out.note('violation', `${event.type}: ${problem}`);
  }

  /** The last text of a copy. The result repeats the text, and the log keeps both: as one string. */
  let lastText = '';

  function assistant(frame: AssistantFrame): void {
    lastText = lastTextIn(frame) ?? lastText;
    if (isInBackground(frame.parent_tool_use_id)) return passOn(frame);
    const failure = failureIn(frame);
    if (failure !== undefined && frame.parent_tool_use_id == null) run.retried(failure);
    messages.copy(frame, failure);
  }

  function result(frame: ResultFrame): void {
    if (!run.open && context.isCompacting()) return context.compacted(frame);
    if (!run.open && run.waiting === null) out.note('repair', 'result: no run is open');
    run.end(frame.result === lastText ? { ...frame, result: lastText } : frame);
    lastText = '';
  }

  function complaint({ message, ...rest }: z.infer<typeof ErrorFrame>): void {
    out.deliver({ type: 'error', message, ...claudeExtra(otherFields(rest)) });
  }

  const table: ReadonlyMap<string, (frame: Dictionary) => string | null> = new Map([
    ['stream_event', read(StreamEventFrame, streamEvent)],
    ['assistant', read(AssistantFrame, assistant)],
    ['user', read(AgentUserFrame, userMessage)],
    ['result', read(ResultFrame, result)],
    ['error', read(ErrorFrame, complaint)],
    [
      'system',
      (frame) => {
        system(frame);
        return null;
      },
    ],
  ]);

  return {
    run,
    tools,
    info,
    compactions,
    frame(frame) {
      if (!goesOnCompacting(frame)) compactions.flush();
      learnSession(frame);
      const handle = table.get(frame.type);
      if (handle === undefined) return passOn(frame);
      const problem = handle(frame);
      if (problem !== null) out.note('violation', `${frame.type}: ${problem}`);
    },
    streaming: {
      block: (index) => (run.open && !compactions.held ? messages.streaming(index) : null),
      // Streamed text is not collected here: a copy has the final text.
      streamed: () => {},
    },
    finish: compactions.flush,
  };
}

/** Whether the frame may stand between the frames of one compaction. */
function goesOnCompacting({ type, subtype, isSynthetic }: AgentFrame): boolean {
  if (type === 'system') return subtype === 'init' || subtype === 'compact_boundary';
  return type === 'user' && isSynthetic === true;
}

function lastTextIn({ message: { content } }: AssistantFrame): string | undefined {
  const block = Array.isArray(content) ? content.findLast(({ text }) => typeof text === 'string') : undefined;
  return typeof block?.text === 'string' ? block.text : undefined;
}

/** An API error in the form of an assistant message (docs/protocols/claude.md 5.4). */
function failureIn({
  is_api_error_message: isError,
  error,
  message,
  api_error_status: status,
}: AssistantFrame): Failure | undefined {
  if (isError !== true && (error === undefined || error === null)) return undefined;
  const { content } = message;
  const words =
    typeof content === 'string'
      ? content
      : (content ?? []).map(({ text }) => (typeof text === 'string' ? text : '')).join('');
  const failure = { kind: 'provider' as const, message: words === '' ? 'the call to the model failed' : words };
  return typeof status === 'number' ? { ...failure, status } : failure;
}

function read<Schema extends z.ZodType, Context extends readonly unknown[]>(
  schema: Schema,
  take: (value: z.output<Schema>, ...context: Context) => void,
): (value: Dictionary, ...context: Context) => string | null {
  return (value, ...context) => {
    const parsed = schema.safeParse(value);
    if (!parsed.success) return faultIn(parsed.error);
    take(parsed.data, ...context);
    return null;
  };
}

/** The object in a frame; null for anything else. */
export function objectIn(json: unknown): AgentFrame | null {
  return isDictionary(json) && typeof json.type === 'string' ? { ...json, type: json.type } : null;
}
