// Messages that come whole: all messages except the streaming ones of the model, and every message of a replayed
// history.
import type { z } from 'zod';
import type { Dictionary, Message } from '../../../../core/model/content.ts';
import { without } from '../../../../core/model/dictionary.ts';
import { contentOf, endingOf, extraOf } from '../../decode-values.ts';
import { problemOf } from '../../wire/problem.ts';
import { AnyMessage, type Block, messageSchemas } from '../../wire/values.ts';

/** A message, or the schema's complaint. */
type Read = Message | { readonly problem: string };
type Reader = (message: Dictionary) => Read;

/** A whole message without its origin, or null for an unknown role. `problem` names the error in the message. */
export function wholeMessage(message: AnyMessage): Read | null {
  return readers.get(message.role)?.(message) ?? null;
}

/** The valid messages of a get_messages answer. */
export function historyOf(messages: readonly unknown[]): Message[] {
  return messages.flatMap((message) => {
    const any = AnyMessage.safeParse(message);
    const whole = any.success ? wholeMessage(any.data) : null;
    return whole === null || 'problem' in whole ? [] : [whole];
  });
}

/** By role. Other roles pass as unknown events (docs/protocols/pi.md 1.9). */
const readers: ReadonlyMap<string, Reader> = new Map([
  ['user', reader(messageSchemas.user, (wire) => message('user', wire))],
  ['assistant', reader(messageSchemas.assistant, assistantMessage)],
  ['toolResult', reader(messageSchemas.toolResult, toolMessage)],
  ['system', reader(messageSchemas.system, (wire) => message('system', wire))],
  ['custom', reader(messageSchemas.custom, (wire) => message('custom', wire))],
  [
    'bashExecution',
    reader(messageSchemas.bashExecution, ({ output, ...wire }) => message('bash', { ...wire, content: output })),
  ],
  ['compactionSummary', reader(messageSchemas.compactionSummary, summaryMessage)],
  ['branchSummary', reader(messageSchemas.branchSummary, summaryMessage)],
]);

function reader<Schema extends z.ZodType>(schema: Schema, make: (wire: z.output<Schema>) => Message): Reader {
  return (wire) => {
    const read = schema.safeParse(wire);
    return read.success ? make(read.data) : { problem: problemOf(read.error) };
  };
}

interface WireMessage {
  readonly content: string | readonly Block[];
  readonly timestamp?: number | undefined;
}

function message(role: Message['role'], wire: WireMessage, rest: object = wire): Message {
  const mayBeBoth = role === 'user' || role === 'custom' || role === 'system';
  return {
    role,
    content: contentOf(wire.content),
    timestamp: wire.timestamp,
    ...extraOf({
      ...without(rest, 'role', 'content', 'timestamp'),
      // A string returns as a string if both forms are legal.
      plain: mayBeBoth && typeof wire.content === 'string' ? true : undefined,
    }),
  };
}

function toolMessage(wire: z.output<typeof messageSchemas.toolResult>): Message {
  const { toolCallId, toolName, isError, details, ...rest } = wire;
  return { ...message('tool', wire, rest), call: toolCallId, name: toolName, isError, details };
}

function assistantMessage(wire: z.output<typeof messageSchemas.assistant>): Message {
  const { rest, ...ending } = endingOf(wire);
  const { model, provider, responseId } = wire;
  return { ...message('assistant', wire, rest), id: responseId, model, provider, ...ending };
}

/** Two roles become one canonical role; `kind` tells them apart. */
function summaryMessage(
  wire: z.output<typeof messageSchemas.compactionSummary | typeof messageSchemas.branchSummary>,
): Message {
  const { summary, role: kind, timestamp, ...rest } = wire;
  return message('summary', { content: summary, timestamp }, { ...rest, kind });
}
