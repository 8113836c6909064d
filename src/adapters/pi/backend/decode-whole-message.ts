// Messages that come whole: all messages except the streaming ones of the model, and every message of a replayed
// history.
import type { z } from 'zod';
import type { Dictionary, Message } from '../../../core/model/content.ts';
import { without } from '../../../core/model/dictionary.ts';
import { contentOf, endingOf, extraOf } from '../values.ts';
import { problemOf } from '../wire/problem.ts';
import { AnyMessage, type Block, messageSchemas } from '../wire/values.ts';

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
  ['user', reader(messageSchemas.user, (said) => message('user', said))],
  ['assistant', reader(messageSchemas.assistant, assistantMessage)],
  ['toolResult', reader(messageSchemas.toolResult, toolMessage)],
  ['system', reader(messageSchemas.system, (said) => message('system', said))],
  ['custom', reader(messageSchemas.custom, (said) => message('custom', said))],
  [
    'bashExecution',
    reader(messageSchemas.bashExecution, ({ output, ...said }) => message('bash', { ...said, content: output })),
  ],
  ['compactionSummary', reader(messageSchemas.compactionSummary, summaryMessage)],
  ['branchSummary', reader(messageSchemas.branchSummary, summaryMessage)],
]);

function reader<Schema extends z.ZodType>(schema: Schema, make: (said: z.output<Schema>) => Message): Reader {
  return (wire) => {
    const said = schema.safeParse(wire);
    return said.success ? make(said.data) : { problem: problemOf(said.error) };
  };
}

interface Said {
  readonly content: string | readonly Block[];
  readonly timestamp?: number | undefined;
}

function message(role: Message['role'], said: Said, rest: object = said): Message {
  const mayBeBoth = role === 'user' || role === 'custom' || role === 'system';
  return {
    role,
    content: contentOf(said.content),
    timestamp: said.timestamp,
    ...extraOf({
      ...without(rest, 'role', 'content', 'timestamp'),
      // A string returns as a string if both forms are legal.
      plain: mayBeBoth && typeof said.content === 'string' ? true : undefined,
    }),
  };
}

function toolMessage(said: z.output<typeof messageSchemas.toolResult>): Message {
  const { toolCallId, toolName, isError, details, ...rest } = said;
  return { ...message('tool', said, rest), call: toolCallId, name: toolName, isError, details };
}

function assistantMessage(said: z.output<typeof messageSchemas.assistant>): Message {
  const { rest, ...ending } = endingOf(said);
  const { model, provider, responseId } = said;
  return { ...message('assistant', said, rest), id: responseId, model, provider, ...ending };
}

/** Two roles become one canonical role; `kind` tells them apart. */
function summaryMessage(
  said: z.output<typeof messageSchemas.compactionSummary | typeof messageSchemas.branchSummary>,
): Message {
  const { summary, role: kind, timestamp, ...rest } = said;
  return message('summary', { content: summary, timestamp }, { ...rest, kind });
}
