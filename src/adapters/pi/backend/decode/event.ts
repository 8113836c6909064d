// Converts the event lines of one pi process to canonical events. Passes each line to the responsible part.
import type { z } from 'zod';
import type { Env } from '../../../../core/contract/adapter/action.ts';
import type { Outbox } from '../../../../core/contract/adapter/outbox.ts';
import type { Streaming } from '../../../../core/fast-path/templates.ts';
import type { CallChanges } from '../../../../core/log/call-changes.ts';
import { textIn } from '../../../../core/log/messages.ts';
import type { Extra, FileChange } from '../../../../core/model/content.ts';
import { dictionaryOf, without } from '../../../../core/model/dictionary.ts';
import type { Event, EventOf } from '../../../../core/model/event.ts';
import type { SessionInfo } from '../../../../core/model/session-info.ts';
import { extraOf } from '../../decode-values.ts';
import { AssistantMessageEvent, type EventLine, eventSchemas, updateSchemas } from '../../wire/events.ts';
import { problemOf } from '../../wire/problem.ts';
import { type AnyMessage, messageSchemas } from '../../wire/values.ts';
import { changeMade } from '../file-changes.ts';
import { createMessageDecoder } from './message.ts';
import { createRunDecoder, type RunDecoder, type RunWatcher } from './run.ts';
import { decodeStateless } from './stateless.ts';
import { wholeMessage } from './whole-message.ts';

type Line = Record<string, unknown>;
type Origin = EventOf<'message-added'>['origin'];

/** The facts about sent commands that the decoder uses. */
export interface EventContext extends RunWatcher {
  /** The origin of a user message, found by its text. Undefined if no such message was sent. */
  originOf(words: string): Origin;
  /** The command whose shell output has no id. */
  bashId(): string | undefined;
  /** The line of an open command. The id in the line is the one that a pi client chose. */
  bashLine?(id: string): { readonly id?: unknown } | undefined;
  /** The file changes of the calls. */
  readonly changes: CallChanges;
  /** Why a tool did not run, if the user was asked about the tool. */
  skippedOf?(call: string): EventOf<'tool-end'>['skipped'];
  /**
   * Whether a prompt was sent whose run has not begun. Absent: every line of a message belongs to a run. The first pi may
   * run two prompts at once, and its first agent_end is the end of one of them.
   */
  expectsRun?(): boolean;
  /** Called for a system message, which may list the tools. */
  learnTools?(message: AnyMessage): void;
  /** Called when pi reported session information. */
  learn(changes: SessionInfo, extra?: Extra): void;
}

/** Decodes event lines. */
export interface EventDecoder {
  readonly run: RunDecoder;
  /** The streaming message, for the fast path. */
  readonly streaming: Streaming;
  /** Whether pi has announced a compaction that has not ended. */
  isCompacting(): boolean;
  /**
   * Whether a line of that type may follow an agent_end without deciding about the end of the run. Such a line waits,
   * and is delivered after the end.
   */
  waits(type: string): boolean;
  /** Takes one line that is neither a response nor an extension UI request. */
  line(line: Line): void;
}

/** Lines that never come between agent_end and the continuation of a run (docs/protocols/pi.md 11.4). */
const proving: ReadonlySet<string> = new Set([
  'turn_start',
  'turn_end',
  'message_start',
  'message_update',
  'message_end',
  'tool_execution_start',
  'tool_execution_update',
  'tool_execution_end',
  'compaction',
  'error',
]);

/** Lines at which an agent ends and restarts (agent-restarts.ts). */
const bracketing: ReadonlySet<string> = new Set([
  'agent_start',
  'agent_end',
  'agent_settled',
  'turn_start',
  'auto_retry_start',
  'compaction_start',
  'auto_compaction_start',
]);

/** Lines that occur only inside a run. Such a line opens a run if the beginning was not seen. */
const insideRuns: ReadonlySet<string> = new Set(['turn_start', 'message_update', 'tool_execution_start']);

/** Whether the line continues a message of the agent. Such a line never begins a run. */
const continuesMessage = ({ type, message }: Line): boolean =>
  type === 'message_update' || (type === 'message_end' && dictionaryOf(message)?.role === 'assistant');

/** A message that has just begun may lack any field. Built once, because zod compiles each new schema. */
const begunMessage = messageSchemas.assistant.partial();

const roles: ReadonlySet<string> = new Set(Object.keys(messageSchemas));
const updates: ReadonlySet<string> = new Set(Object.keys(updateSchemas));
/** Repetitions of message_start and message_end (docs/protocols/pi.md 6.2). */
const echoes: ReadonlySet<string> = new Set(['start', 'done', 'error']);

export function createEventDecoder(env: Env, out: Outbox, graceMs: number, context: EventContext): EventDecoder {
  const message = createMessageDecoder(env, out);
  let userMessages = 0;
  let compacting = false;
  const run = createRunDecoder(out, graceMs, {
    started() {
      userMessages = 0;
      context.started();
    },
    ended() {
      message.forget();
      context.changes.clear();
      context.ended();
    },
    isHeld: () => context.isHeld?.() === true,
  });

  function unknown(payload: Line): void {
    out.deliver({ type: 'unknown', protocol: 'pi', payload });
  }

  function violation(type: string, problem: string): void {
    out.note('violation', `${type}: ${problem}`);
  }

  /** Whether the line is a rest of the run that has ended (docs/faults.md F32). */
  function isLate(line: Line): boolean {
    return run.isOver() && context.expectsRun?.() === false && continuesMessage(line);
  }

  function messageStart(line: EventLine<'message_start'>): void {
    const { role } = line.message;
    if (role !== 'assistant') {
      // The message_end of a whole message delivers it.
      if (!roles.has(role)) unknown(line);
      return;
    }
    run.ensure();
    const read = begunMessage.safeParse(line.message);
    message.start(read.success ? read.data : {});
  }

  function messageEnd(line: EventLine<'message_end'>): void {
    const { role } = line.message;
    if (role === 'assistant') return assistantEnd(line.message);
    const whole = wholeMessage(line.message);
    if (whole === null) return unknown(line);
    if (role === 'system') context.learnTools?.(line.message);
    if ('problem' in whole) return violation('message_end', `message.${whole.problem}`);
    const origin = whole.role === 'user' ? originOf(textIn(whole.content)) : undefined;
    out.deliver({ type: 'message-added', ...whole, origin });
  }

  function assistantEnd(wire: AnyMessage): void {
    const read = messageSchemas.assistant.safeParse(wire);
    if (!read.success) return violation('message_end', `message.${problemOf(read.error)}`);
    run.ensure();
    const { stop, failure } = message.end(read.data);
    run.stopped(stop, failure);
  }

  /** The first message of a run is its prompt. A later message that the gateway did not send is a steer. */
  function originOf(words: string): Origin {
    userMessages += 1;
    return context.originOf(words) ?? (userMessages === 1 ? 'prompt' : 'steer');
  }

  function messageUpdate(line: EventLine<'message_update'>): void {
    const event = line.assistantMessageEvent;
    const read = AssistantMessageEvent.safeParse(event);
    const snapshot = event.partial ?? line.message;
    if (read.success) return message.update(read.data, snapshot, besideUpdate(line, event));
    if (updates.has(event.type)) {
      return violation('message_update', `assistantMessageEvent.${problemOf(read.error)}`);
    }
    if (echoes.has(event.type)) return;
    // Without the snapshots, which would make the log grow with the square of the message (docs/protocols/pi.md 14.1,
    // 14.5).
    unknown({ ...without(line, 'message'), assistantMessageEvent: without(event, 'partial') });
  }

  /** Replaces the gateway's command id by the id of the pi client. Ids of other origin stay. */
  function bashOutput({ type, id: commandId, delta, ...rest }: EventLine<'bash_execution_update'>): void {
    const command = commandId ?? context.bashId();
    const asked = command === undefined ? undefined : context.bashLine?.(command);
    const id = asked === undefined ? commandId : asked.id;
    out.deliver({ type: 'bash-output', command, delta, ...extraOf({ ...rest, id }) });
  }

  /** Lines with the same meaning in every state. They still advance the run. */
  function plain(type: string, line: Line): void {
    const events = decodeStateless(type, line);
    if (events === null) return unknown(line);
    if ('problem' in events) return violation(type, events.problem);
    for (const event of events) {
      if (event.type === 'session-changed') context.learn(event.changes, event.extra);
      else if (event.type === 'retry-start') out.deliver(withEnd(event, run.retryStart()));
      else if (event.type === 'compaction-start') out.deliver(withEnd(event, run.compactionStart()));
      else if (event.type === 'compaction-end' && event.failure !== undefined && !compacting)
        out.deliver(failureWithoutStart(event.failure.message, line));
      else if (event.type === 'tool-start') out.deliver(withChange(event, asked(event)));
      else if (event.type === 'tool-end') out.deliver(withSkip(finished(event), context.skippedOf?.(event.call)));
      else out.deliver(event);
      if (event.type === 'retry-end') run.retryEnd(event.success, event.failure);
      if (event.type === 'compaction-end') run.compactionEnd(event.willRetry === true);
      if (event.type === 'compaction-start' || event.type === 'compaction-end') {
        compacting = event.type === 'compaction-start';
      }
    }
  }

  function asked({ call, name, input }: EventOf<'tool-start'>): FileChange | undefined {
    return context.changes.of(call, name, input);
  }

  /** Removes the change of a failed tool: a failed tool has changed nothing. */
  function finished(event: EventOf<'tool-end'>): EventOf<'tool-end'> {
    const change = context.changes.ended(event.call);
    return event.isError ? event : withChange(event, changeMade(change, event.details));
  }

  const table: ReadonlyMap<string, (line: Line) => string | null> = new Map([
    ['agent_start', take(eventSchemas.agent_start, () => run.agentStart())],
    ['agent_end', take(eventSchemas.agent_end, (line) => run.agentEnd(without(line, 'type', 'messages')))],
    ['agent_settled', take(eventSchemas.agent_settled, (line) => run.agentSettled(without(line, 'type')))],
    [
      'turn_start',
      take(eventSchemas.turn_start, () => {
        run.turnStart();
        out.deliver({ type: 'turn-start' });
      }),
    ],
    [
      'turn_end',
      take(eventSchemas.turn_end, () => {
        message.forget();
        out.deliver({ type: 'turn-end' });
      }),
    ],
    ['message_start', take(eventSchemas.message_start, messageStart)],
    ['message_update', take(eventSchemas.message_update, messageUpdate)],
    ['message_end', take(eventSchemas.message_end, messageEnd)],
    ['bash_execution_update', take(eventSchemas.bash_execution_update, bashOutput)],
  ]);

  return {
    run,
    streaming: {
      block: (index) => (run.isRunning() ? message.streaming(index) : null),
      streamed: message.streamed,
    },
    isCompacting: () => compacting,
    waits: (type) => run.isEnding() && !bracketing.has(type) && !proving.has(type) && type !== 'response',
    line(line) {
      const type = typeof line.type === 'string' ? line.type : '';
      if (isLate(line)) return violation(type, 'its run is over');
      if (!bracketing.has(type)) run.aside();
      if (proving.has(type)) run.proven();
      if (insideRuns.has(type)) run.ensure();
      const handle = table.get(type);
      if (handle === undefined) return plain(type, line);
      const problem = handle(line);
      if (problem !== null) violation(type, problem);
    },
  };
}

function withChange<Told extends Event>(event: Told, change: FileChange | undefined): Told {
  return change === undefined ? event : { ...event, change };
}

/** pi 1.5.2 skips a second compaction and reports only its end. The reason is all the information there is. */
function failureWithoutStart(text: string, line: Line): EventOf<'notice'> {
  return { type: 'notice', level: 'error', text, source: 'agent', ...extraOf(without(line, 'errorMessage')) };
}

/** The end of a tool that the user did not allow to run. */
function withSkip(event: EventOf<'tool-end'>, skipped: EventOf<'tool-end'>['skipped']): Event {
  return skipped !== undefined && event.isError ? { ...event, skipped } : event;
}

/** Adds the agent_end that preceded the event. */
function withEnd(event: Event, end: Line | undefined): Event {
  return end === undefined ? event : { ...event, ...extraOf({ ...dictionaryOf(event.extra?.pi), end }) };
}

/** The figures so far and unknown fields of an update. Empty for most lines. */
function besideUpdate(line: Line, event: Line): Line {
  const { type, assistantMessageEvent, message, usage, ...others } = line;
  const more = without(event, 'type', 'contentIndex', 'delta', 'content', 'toolCall', 'partial', 'id', 'toolName');
  return {
    ...(usage === undefined ? {} : { usage }),
    ...(Object.keys(others).length === 0 ? {} : { line: others }),
    ...(Object.keys(more).length === 0 ? {} : { event: more }),
  };
}

/** Parses a line by its schema and handles it. Notes what the schema refuses. */
function take<Schema extends z.ZodType>(
  schema: Schema,
  handle: (line: z.output<Schema>) => void,
): (line: Line) => string | null {
  return (line) => {
    const read = schema.safeParse(line);
    if (!read.success) return problemOf(read.error);
    handle(read.data);
    return null;
  };
}
