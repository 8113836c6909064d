// The independent judge of content: the official client's MessageStream rebuilds each message from our stream events.
// It accepts much, so what counts is that its final message equals the expected one (and claude-order.ts for the rest).
import { ReadableStream } from 'node:stream/web';
import { MessageStream } from '@anthropic-ai/sdk/lib/MessageStream';
import { z } from 'zod';

/** What must be equal between two messages: everything a client shows or counts. */
export interface FinalMessage {
  readonly model: string;
  readonly content: readonly unknown[];
  readonly stop_reason: string | null;
  readonly usage: Readonly<Record<string, number>>;
}

const patienceMs = 5_000;
const usageKeys = ['input_tokens', 'output_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens'] as const;

const StreamFrame = z.looseObject({
  type: z.literal('stream_event'),
  parent_tool_use_id: z.string().nullish(),
  event: z.looseObject({ type: z.string() }),
});
const AssistantFrame = z.looseObject({
  type: z.literal('assistant'),
  parent_tool_use_id: z.string().nullish(),
  message: z.looseObject({ id: z.string(), content: z.array(z.looseObject({ type: z.string() })) }),
});

/** The events of one message, with the lane that it was said on. */
export interface MessageEvents {
  readonly lane: string | null;
  readonly events: readonly object[];
}

/** Splits the stream events of a sequence by lane and message, in the order in which the messages start. */
export function splitMessages(frames: readonly unknown[]): MessageEvents[] {
  const messages: { lane: string | null; events: object[] }[] = [];
  for (const frame of frames) {
    const { data } = StreamFrame.safeParse(frame);
    if (data === undefined) continue;
    const lane = data.parent_tool_use_id ?? null;
    if (data.event.type === 'message_start') messages.push({ lane, events: [] });
    messages.findLast((message) => message.lane === lane)?.events.push(data.event);
  }
  return messages;
}

/** What MessageStream makes of the events of one message. Rejects where it throws, or after 5 s. */
export async function finalMessage(events: readonly object[]): Promise<FinalMessage> {
  const lines = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const event of events) controller.enqueue(Buffer.from(`${JSON.stringify(event)}\n`));
      controller.close();
    },
  });
  // The SDK's type asks for the browser's ReadableStream, which is the same object in Node.
  const stream = MessageStream.fromReadableStream(
    lines as unknown as Parameters<typeof MessageStream.fromReadableStream>[0],
  );
  const timer = setTimeout(() => stream.abort(), patienceMs);
  try {
    const { model, content, stop_reason, usage } = await stream.finalMessage();
    const counts = z.looseObject({}).parse(usage);
    return {
      model,
      content: structuredClone(content),
      stop_reason,
      usage: Object.fromEntries(usageKeys.map((key) => [key, z.number().catch(0).parse(counts[key])])),
    };
  } finally {
    clearTimeout(timer);
  }
}

/** The final messages of the main lane, in order. */
export function finalMessages(frames: readonly unknown[], lane: string | null = null): Promise<FinalMessage[]> {
  const messages = splitMessages(frames).filter((message) => message.lane === lane);
  return Promise.all(messages.map((message) => finalMessage(message.events)));
}

/** The blocks of the assistant frames, message by message: a second account of the same content. */
export function assistantBlocks(frames: readonly unknown[], lane: string | null = null): unknown[][] {
  const byMessage = new Map<string, unknown[]>();
  for (const frame of frames) {
    const { data } = AssistantFrame.safeParse(frame);
    if (data === undefined || (data.parent_tool_use_id ?? null) !== lane) continue;
    byMessage.set(data.message.id, [...(byMessage.get(data.message.id) ?? []), ...data.message.content]);
  }
  return [...byMessage.values()];
}
