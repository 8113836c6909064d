// The kinds of frames that we send, by name: type, then whatever tells frames of one type apart.
import { z } from 'zod';

const Inner = z.looseObject({ type: z.string() });
const Frame = z.looseObject({
  type: z.string(),
  subtype: z.string().optional(),
  event: z
    .looseObject({ type: z.string(), content_block: Inner.optional(), delta: z.looseObject({}).optional() })
    .optional(),
  message: z.union([z.string(), z.looseObject({ content: z.array(Inner).optional() })]).optional(),
  request: z.looseObject({ subtype: z.string(), tool_name: z.string().optional() }).optional(),
  response: z.looseObject({ subtype: z.string() }).optional(),
  isReplay: z.boolean().optional(),
  isSynthetic: z.boolean().optional(),
  origin: z.unknown().optional(),
});

/** The name of a frame's kind, e.g. `stream_event.content_block_delta.text_delta`. Throws for what is no frame. */
export function kindOf(value: unknown): string {
  const frame = Frame.parse(value);
  const { event, message, request, response } = frame;
  switch (frame.type) {
    case 'stream_event': {
      const inner = event?.content_block ?? Inner.safeParse(event?.delta).data;
      return ['stream_event', event?.type, inner?.type].filter((part) => part !== undefined).join('.');
    }
    case 'assistant':
      return `assistant.${typeof message === 'object' ? message.content?.[0]?.type : ''}`;
    case 'user':
      if (frame.origin !== undefined) return 'user.prompt';
      return `user.${frame.isReplay === true ? 'replay' : frame.isSynthetic === true ? 'synthetic' : 'tool_result'}`;
    case 'control_request':
      return `control_request.${request?.tool_name === 'AskUserQuestion' ? 'question' : request?.subtype}`;
    case 'control_response':
      return `control_response.${response?.subtype}`;
    default:
      return frame.subtype === undefined ? frame.type : `${frame.type}.${frame.subtype}`;
  }
}
