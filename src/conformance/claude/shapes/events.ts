// The shapes of the events of a stream: docs/protocols/rpc-message.md 1.2 and 1.4.
import { fields, orNull, type PatternShape, words } from '../../check/shape.ts';
import { eventTypes } from '../view/stream.ts';
import { type AgentRows, caches, counts, everywhere } from './parts.ts';

const laterCounts = fields({ output_tokens: 'number', 'input_tokens?': 'number', ...caches });
const nothingYet: PatternShape = { text: /^$/u, is: 'an empty text', like: '' };

const ofEvents = { section: '1.2', scenarios: ['text'] } as const;

/** Of the events of a stream. */
export const eventRows: AgentRows = {
  'event-kind': {
    ...ofEvents,
    sentence: 'A stream_event holds one of the six events of the API; later versions may know more.',
    level: 'MAY',
    covers: ['message:stream_event', ...eventTypes.map((type) => `event:${type}`)],
    shapes: { event: fields({ type: words(...eventTypes) }) },
  },
  'event-index': {
    ...ofEvents,
    sentence: 'content_block_start, content_block_delta and content_block_stop have an index.',
    shapes: everywhere(
      fields({ index: { from: 0 } }),
      'event:content_block_start',
      'event:content_block_delta',
      'event:content_block_stop',
    ),
  },
  'message-start-shape': {
    ...ofEvents,
    sentence: 'message_start has the id and the model of its message, no content yet, and the usage of its beginning.',
    shapes: {
      'event:message_start': fields({
        message: fields({ id: 'string', role: 'string', model: 'string', content: ['nothing'], usage: counts }),
      }),
    },
  },
  'block-start-shape': {
    ...ofEvents,
    sentence: 'content_block_start has a content_block with the fields of its kind.',
    scenarios: ['text', 'think', 'tools'],
    covers: ['event:content_block_start', 'block:text', 'block:thinking', 'block:tool_use'],
    shapes: {
      'block that starts': {
        by: 'type',
        variants: {
          text: fields({ text: 'string' }),
          thinking: fields({ thinking: 'string', 'signature?': 'string' }),
          tool_use: fields({ id: 'string', name: 'string', input: 'object' }),
        },
      },
    },
  },
  'block-start-empty': {
    section: '1.4',
    isMeasured: true,
    sentence: 'A block that streams opens empty: all that it holds comes in deltas.',
    scenarios: ['text', 'think', 'tools'],
    covers: ['event:content_block_start'],
    shapes: {
      'block that starts': {
        by: 'type',
        variants: {
          text: fields({ 'text?': nothingYet }),
          thinking: fields({ 'thinking?': nothingYet }),
          tool_use: fields({ 'input?': { each: 'nothing' } }),
        },
      },
    },
  },
  'block-delta-shape': {
    ...ofEvents,
    sentence: 'content_block_delta has a delta with a type.',
    shapes: { 'event:content_block_delta': fields({ delta: fields({ type: 'string' }) }) },
  },
  'message-delta-shape': {
    ...ofEvents,
    sentence: 'message_delta has the stop_reason, null for a message that was cut, and the usage.',
    shapes: {
      'event:message_delta': fields({ delta: fields({ stop_reason: orNull('string') }), usage: laterCounts }),
    },
  },
};
