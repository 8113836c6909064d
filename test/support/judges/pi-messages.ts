// What pi itself reports: its final assistant messages, as the Anthropic messages that they stand for.
import { z } from 'zod';
import type { FinalMessage } from './message-stream.ts';

const Content = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text'), text: z.string() }),
  z.looseObject({
    type: z.literal('thinking'),
    thinking: z.string(),
    thinkingSignature: z.string().optional(),
  }),
  z.looseObject({
    type: z.literal('toolCall'),
    id: z.string(),
    name: z.string(),
    arguments: z.looseObject({}),
  }),
]);

const Counts = z.looseObject({ input: z.number(), output: z.number(), cacheRead: z.number(), cacheWrite: z.number() });

/** An assistant message of pi, of any version. */
export const PiMessage = z.looseObject({
  role: z.literal('assistant'),
  content: z.array(Content),
  model: z.string(),
  stopReason: z.string(),
  errorMessage: z.string().optional(),
  usage: Counts.extend({ cost: z.looseObject({ total: z.number() }) }),
});
export type PiMessage = z.infer<typeof PiMessage>;

const MessageEnd = z.looseObject({ type: z.literal('message_end'), message: z.looseObject({ role: z.string() }) });

/** Stands for the input of a call that was cut: each side makes of half its JSON what it can. */
export const cutInput = 'cut';

/** Stop reasons of pi and of the API. Errors and aborts have no word in the API: the message was cut. */
const stops: ReadonlyMap<string, string | null> = new Map([
  ['stop', 'end_turn'],
  ['length', 'max_tokens'],
  ['toolUse', 'tool_use'],
  ['error', null],
  ['aborted', null],
]);

/** The JSON of a line, or undefined: an agent may print anything. */
export function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** The assistant messages that a pi reported as ended, in order. Lines that are not JSON are passed over. */
export function piMessages(lines: readonly string[]): PiMessage[] {
  return lines
    .filter((line) => line.includes('"message_end"'))
    .flatMap((line) => MessageEnd.safeParse(jsonOf(line)).data?.message ?? [])
    .filter((message) => message.role === 'assistant')
    .map((message) => PiMessage.parse(message));
}

function blockOf(content: PiMessage['content'][number], cut: boolean): object {
  switch (content.type) {
    case 'text':
      return { type: 'text', text: content.text };
    case 'thinking':
      return { type: 'thinking', thinking: content.thinking, signature: content.thinkingSignature ?? '' };
    case 'toolCall':
      return { type: 'tool_use', id: content.id, name: content.name, input: cut ? cutInput : content.arguments };
    default:
      return content satisfies never;
  }
}

/** The Anthropic message that a final message of pi stands for. */
export function expectedFromPi(message: PiMessage): FinalMessage {
  const { input, output, cacheRead, cacheWrite } = message.usage;
  const stop = stops.get(message.stopReason);
  if (stop === undefined) throw new Error(`unknown stopReason of pi: ${message.stopReason}`);
  const last = message.content.length - 1;
  return {
    model: message.model,
    content: message.content.map((content, at) => blockOf(content, stop === null && at === last)),
    stop_reason: stop,
    usage: {
      input_tokens: input,
      output_tokens: output,
      cache_read_input_tokens: cacheRead,
      cache_creation_input_tokens: cacheWrite,
    },
  };
}
