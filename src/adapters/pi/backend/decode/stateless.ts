// Decodes the event lines that have the same meaning in every state. The inverse is frontend/encode-stateless.ts.
import type { z } from 'zod';
import { dictionaryOf, isDictionary, without } from '../../../../core/model/dictionary.ts';
import type { Event, EventOf } from '../../../../core/model/event.ts';
import { contentOf, extraOf, failureOf } from '../../decode-values.ts';
import { type EventLine, eventSchemas } from '../../wire/events.ts';
import { problemOf } from '../../wire/problem.ts';
import type { ToolOutput } from '../../wire/values.ts';

/** The events of a line, or the schema's complaint. */
export type Stateless = readonly Event[] | { readonly problem: string };
type Read = (line: Record<string, unknown>) => Stateless;

/** The events of a line that needs no memory, or null for other lines. */
export function decodeStateless(type: string, line: Record<string, unknown>): Stateless | null {
  return readers.get(type)?.(line) ?? null;
}

const readers: ReadonlyMap<string, Read> = new Map([
  ['tool_execution_start', reader(eventSchemas.tool_execution_start, toolStart)],
  ['tool_execution_update', reader(eventSchemas.tool_execution_update, toolUpdate)],
  ['tool_execution_end', reader(eventSchemas.tool_execution_end, toolEnd)],
  ['compaction', reader(eventSchemas.compaction, wholeCompaction)],
  ['compaction_start', reader(eventSchemas.compaction_start, compactionStart)],
  ['auto_compaction_start', reader(eventSchemas.auto_compaction_start, compactionStart)],
  ['compaction_end', reader(eventSchemas.compaction_end, compactionEnd)],
  ['auto_compaction_end', reader(eventSchemas.auto_compaction_end, compactionEnd)],
  ['auto_retry_start', reader(eventSchemas.auto_retry_start, retryStart)],
  ['auto_retry_end', reader(eventSchemas.auto_retry_end, retryEnd)],
  ['queue_update', reader(eventSchemas.queue_update, queueChanged)],
  ['session_info_changed', reader(eventSchemas.session_info_changed, nameChanged)],
  ['thinking_level_changed', reader(eventSchemas.thinking_level_changed, levelChanged)],
  ['extension_error', reader(eventSchemas.extension_error, extensionError)],
  ['error', reader(eventSchemas.error, complaint)],
]);

function reader<Schema extends z.ZodType>(
  schema: Schema,
  events: (line: z.output<Schema>) => Event | readonly Event[],
): Read {
  return (line) => {
    const read = schema.safeParse(line);
    return read.success ? [events(read.data)].flat() : { problem: problemOf(read.error) };
  };
}

function toolStart(line: EventLine<'tool_execution_start'>): EventOf<'tool-start'> {
  const { toolCallId, toolName, args } = line;
  return {
    type: 'tool-start',
    call: toolCallId,
    name: toolName,
    input: dictionaryOf(args),
    ...extraOf({
      ...without(line, 'type', 'toolCallId', 'toolName', 'args'),
      // Arguments that are not an object have no canonical form.
      args: isDictionary(args) ? undefined : args,
    }),
  };
}

function toolUpdate(line: EventLine<'tool_execution_update'>): EventOf<'tool-update'> {
  const { toolCallId: call, partialResult } = line;
  const { content, rest } = outputOf(partialResult);
  const others = without(line, 'type', 'toolCallId', 'toolName', 'args', 'partialResult');
  const plain = typeof partialResult === 'string' || undefined;
  const extra = { ...rest, plain, line: isEmpty(others) ? undefined : others };
  // pi sends the whole output so far each time (docs/protocols/pi.md 9.3).
  return { type: 'tool-update', call, mode: 'replace', content, ...extraOf(extra) };
}

/** The text that pi up to 0.56 puts in place of the result of a call that a steering message overtook. */
const overtaken = 'Skipped due to queued user message.';

function toolEnd(line: EventLine<'tool_execution_end'>): EventOf<'tool-end'> {
  const { toolCallId, toolName, result, isError = false, durationMs } = line;
  const { content, rest } = outputOf(result);
  const { details, ...others } = rest;
  const [only] = content;
  const skipped = isError && content.length === 1 && only?.type === 'text' && only.text === overtaken;
  return {
    type: 'tool-end',
    call: toolCallId,
    name: toolName,
    content,
    isError,
    skipped: skipped ? 'superseded' : undefined,
    details,
    durationMs,
    ...extraOf({
      ...without(line, 'type', 'toolCallId', 'toolName', 'result', 'isError', 'durationMs'),
      result: isEmpty(others) ? undefined : others,
      plain: typeof result === 'string' || undefined,
    }),
  };
}

function isEmpty(fields: object): boolean {
  return Object.keys(fields).length === 0;
}

function outputOf(output: ToolOutput | undefined): {
  content: EventOf<'tool-end'>['content'];
  rest: Record<string, unknown>;
} {
  if (output === undefined || typeof output === 'string') return { content: contentOf(output), rest: {} };
  return { content: contentOf(output.content), rest: without(output, 'content') };
}

type Trigger = EventOf<'compaction-start'>['trigger'];
const triggers: ReadonlyMap<string, Trigger> = new Map([
  ['manual', 'manual'],
  ['threshold', 'threshold'],
  ['overflow', 'overflow'],
]);

function triggerOf(reason: string | undefined): Trigger {
  return (reason === undefined ? undefined : triggers.get(reason)) ?? 'unknown';
}

function compactionStart(line: EventLine<'compaction_start' | 'auto_compaction_start'>): EventOf<'compaction-start'> {
  const { reason, ...rest } = line;
  return { type: 'compaction-start', trigger: triggerOf(reason), ...extraOf({ ...rest, ...unknownReason(reason) }) };
}

/** Keeps the name of the line and an unknown reason, so that both return to pi clients. */
function unknownReason(reason: string | undefined): { reason?: string } {
  return reason === undefined || triggers.has(reason) ? {} : { reason };
}

/** An end without a result, an abort or an error means that there was nothing to compact. That is a normal end. */
function compactionEnd(line: EventLine<'compaction_end' | 'auto_compaction_end'>): EventOf<'compaction-end'> {
  const { reason, result, aborted, errorMessage, willRetry } = line;
  const after = result?.estimatedTokensAfter;
  return {
    type: 'compaction-end',
    trigger: reason === undefined ? undefined : triggerOf(reason),
    outcome: aborted === true ? 'aborted' : errorMessage === undefined ? 'completed' : 'failed',
    summary: result?.summary,
    tokensBefore: result?.tokensBefore ?? undefined,
    tokensAfter: typeof after === 'number' ? after : undefined,
    willRetry,
    failure: errorMessage === undefined ? undefined : failureOf(errorMessage),
    ...extraOf({
      ...without(line, 'reason', 'result', 'aborted', 'errorMessage', 'willRetry'),
      ...unknownReason(reason),
      result: result ? without(result, 'summary', 'tokensBefore', 'estimatedTokensAfter') : result,
    }),
  };
}

/** pi 0.13.2 reports a compaction only when it is over. */
function wholeCompaction(line: EventLine<'compaction'>): readonly Event[] {
  const { summary, tokensBefore, auto } = line;
  const trigger = auto === true ? 'threshold' : 'manual';
  const extra = extraOf(without(line, 'type', 'summary', 'tokensBefore', 'auto'));
  return [
    { type: 'compaction-start', trigger },
    { type: 'compaction-end', trigger, outcome: 'completed', summary, tokensBefore, ...extra },
  ];
}

function retryStart(line: EventLine<'auto_retry_start'>): EventOf<'retry-start'> {
  const { type, attempt, maxAttempts, delayMs, errorMessage, ...rest } = line;
  return { type: 'retry-start', attempt, maxAttempts, delayMs, failure: failureOf(errorMessage), ...extraOf(rest) };
}

function retryEnd(line: EventLine<'auto_retry_end'>): EventOf<'retry-end'> {
  const { type, attempt, success, finalError, ...rest } = line;
  return {
    type: 'retry-end',
    attempt,
    success,
    failure: success ? undefined : failureOf(finalError),
    ...extraOf(rest),
  };
}

function queueChanged(line: EventLine<'queue_update'>): EventOf<'queue-changed'> {
  const { type, steering, followUp, ...rest } = line;
  return { type: 'queue-changed', steering, followUp, ...extraOf(rest) };
}

/** Keeps the line type, because pi itself reported the change. */
function nameChanged({ name, ...rest }: EventLine<'session_info_changed'>): EventOf<'session-changed'> {
  return { type: 'session-changed', changes: { name: name ?? '' }, ...extraOf(rest) };
}

function levelChanged({ level, ...rest }: EventLine<'thinking_level_changed'>): EventOf<'session-changed'> {
  return { type: 'session-changed', changes: { thinkingLevel: level }, ...extraOf(rest) };
}

function extensionError(line: EventLine<'extension_error'>): EventOf<'notice'> {
  // Keeps the line type, to distinguish this notice from a `notify` of an extension.
  const extra = extraOf(without(line, 'error'));
  return { type: 'notice', level: 'error', text: line.error, source: 'extension', ...extra };
}

function complaint({ error }: EventLine<'error'>): EventOf<'error'> {
  return { type: 'error', message: error };
}
