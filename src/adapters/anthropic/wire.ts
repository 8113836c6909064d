// The frames between backend.ts and api.ts: the API's stream events, and the adapter's own frames around a request.
import { z } from 'zod';
import type { Frame } from '../../core/contract/channel.ts';
import { messageOf } from '../../core/model/errors.ts';

const Count = z.number().min(0).nullish();

/** Token counts. Those of `message_delta` cover the whole message. */
const WireUsage = z.looseObject({
  input_tokens: Count,
  output_tokens: Count,
  cache_read_input_tokens: Count,
  cache_creation_input_tokens: Count,
});
export type WireUsage = z.infer<typeof WireUsage>;

const Index = z.int().min(0);
const Typed = z.looseObject({ type: z.string() });

/** Events of a streamed message. Unknown fields are kept. */
const StreamEvent = z.discriminatedUnion('type', [
  z.looseObject({
    type: z.literal('message_start'),
    message: z.looseObject({ id: z.string(), model: z.string(), usage: WireUsage.nullish() }),
  }),
  z.looseObject({ type: z.literal('content_block_start'), index: Index, content_block: Typed }),
  z.looseObject({ type: z.literal('content_block_delta'), index: Index, delta: Typed }),
  z.looseObject({ type: z.literal('content_block_stop'), index: Index }),
  z.looseObject({
    type: z.literal('message_delta'),
    delta: z.looseObject({ stop_reason: z.string().nullish() }),
    usage: WireUsage.nullish(),
  }),
  z.looseObject({ type: z.literal('message_stop') }),
  z.looseObject({ type: z.literal('ping') }),
  z.looseObject({
    type: z.literal('error'),
    error: z.looseObject({ type: z.string().nullish(), message: z.string().nullish() }),
  }),
]);
export type StreamEvent = z.infer<typeof StreamEvent>;
export type StreamEventOf<Type extends StreamEvent['type']> = Extract<StreamEvent, { type: Type }>;

/** Why a request failed. */
export const RequestFailure = z.object({
  message: z.string(),
  /** HTTP status; absent if there was no response. */
  status: z.number().optional(),
  /** The delay that the API asks for, ms. */
  retryAfterMs: z.number().min(0).optional(),
  /** Whether a retry may help, if api.ts or the API can tell. */
  mayRetry: z.boolean().optional(),
});
export type RequestFailure = z.infer<typeof RequestFailure>;

/** The adapter's own frame: the request with that number is over, and no more events of it will come. */
const RequestEnd = z.discriminatedUnion('how', [
  z.object({ type: z.literal('request_end'), request: z.number(), how: z.enum(['finished', 'aborted']) }),
  z.object({
    type: z.literal('request_end'),
    request: z.number(),
    how: z.literal('failed'),
    failure: RequestFailure,
  }),
]);
export type RequestEnd = z.infer<typeof RequestEnd>;

/**
 * A frame from the backend: a request, whose body is the API's own, or a cancellation of the request with that number.
 */
export const Order = z.discriminatedUnion('type', [
  z.object({ type: z.literal('request'), request: z.number(), body: z.unknown() }),
  z.object({ type: z.literal('abort'), request: z.number() }),
]);
export type Order = z.infer<typeof Order>;

/** A decoded frame. */
export type Read =
  | { readonly kind: 'event'; readonly event: StreamEvent }
  | { readonly kind: 'end'; readonly end: RequestEnd }
  /** An event of a newer API. */
  | { readonly kind: 'foreign'; readonly payload: unknown }
  | { readonly kind: 'bad'; readonly problem: string };

const types: ReadonlySet<string> = new Set(StreamEvent.options.map((option) => option.shape.type.value));

/** Never throws. */
export function readFrame(frame: Frame): Read {
  let json: unknown;
  try {
    json = frame.json;
  } catch (thrown) {
    return { kind: 'bad', problem: messageOf(thrown) };
  }
  const { data } = Typed.safeParse(json);
  if (data === undefined) return { kind: 'bad', problem: 'a frame without a type' };
  if (data.type === 'request_end') {
    const end = RequestEnd.safeParse(json);
    return end.success ? { kind: 'end', end: end.data } : { kind: 'bad', problem: 'a broken request_end' };
  }
  if (!types.has(data.type)) return { kind: 'foreign', payload: json };
  const event = StreamEvent.safeParse(json);
  if (event.success) return { kind: 'event', event: event.data };
  const [issue] = event.error.issues;
  return { kind: 'bad', problem: `${data.type}: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'is broken'}` };
}
