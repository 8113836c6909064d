// Rules on single stream events: the six types and their fields (docs/protocols/rpc-message.md 1.2).
import type { Dictionary } from '../../../core/model/content.ts';
import { dictionaryOf } from '../../../core/model/dictionary.ts';
import { each, type Finding } from '../../check/rule.ts';
import { fields, misfit, orNull, type Shape } from '../../check/shape.ts';
import { blocksOf } from '../view/blocks.ts';
import { eventKinds, type LaneName } from '../view/stream.ts';
import { laneOf, type View } from '../view/view.ts';
import { claudeRules } from './claude-rule.ts';

interface Event {
  readonly frame: number;
  readonly event: Dictionary;
}

function events({ fromAgent }: View, type?: string): Event[] {
  return fromAgent
    .filter((message) => message.type === 'stream_event')
    .map(({ frame, json }) => ({ frame, event: dictionaryOf(json.event) }))
    .filter(({ event }) => type === undefined || event.type === type);
}

const shaped = (type: string, shape: Shape) => (view: View) =>
  each(events(view, type), ({ event }) => misfit(event, shape, type));

const caches = { 'cache_read_input_tokens?': 'number', 'cache_creation_input_tokens?': 'number' } as const;
const counts = fields({ input_tokens: 'number', output_tokens: 'number', ...caches });
const laterCounts = fields({ output_tokens: 'number', 'input_tokens?': 'number', ...caches });

/** Start shapes of the blocks that stream; other blocks come complete. */
const heads: ReadonlyMap<unknown, Shape> = new Map<unknown, Shape>([
  ['text', fields({ text: 'string' })],
  ['thinking', fields({ thinking: 'string', 'signature?': 'string' })],
  ['tool_use', fields({ id: 'string', name: 'string', input: 'object' })],
]);

function* opened(view: View) {
  for (const { frame, event } of events(view, 'content_block_start'))
    yield { frame, head: dictionaryOf(event.content_block) };
}

export const eventRules = claudeRules({
  'event-kind': {
    section: '1.2',
    sentence: 'A stream_event holds one of the six events of the API; later versions may know more.',
    scenarios: ['text'],
    level: 'MAY',
    covers: ['message:stream_event', ...[...eventKinds].map((kind) => `event:${String(kind)}`)],
    judge: (view) =>
      each(events(view), ({ event }) => (eventKinds.has(event.type) ? null : `an event ${String(event.type)}`)),
  },
  'event-index': {
    section: '1.2',
    sentence: 'content_block_start, content_block_delta and content_block_stop have an index.',
    scenarios: ['text'],
    covers: ['event:content_block_start', 'event:content_block_delta', 'event:content_block_stop'],
    judge: (view) =>
      each(
        events(view).filter(({ event }) => String(event.type).startsWith('content_block_')),
        ({ event: { index, type } }) =>
          Number.isInteger(index) && Number(index) >= 0 ? null : `${String(type)} with index ${String(index)}`,
      ),
  },
  'message-start-shape': {
    section: '1.2',
    sentence: 'message_start has the id and the model of its message, no content yet, and the usage of its beginning.',
    scenarios: ['text'],
    covers: ['event:message_start'],
    judge: (view) =>
      each(events(view, 'message_start'), ({ event }) => {
        const message = fields({ id: 'string', role: 'string', model: 'string', content: ['any'], usage: counts });
        const wrong = misfit(event, fields({ message }), 'message_start');
        const { content } = dictionaryOf(event.message);
        return wrong ?? (Array.isArray(content) && content.length > 0 ? 'message_start has content already' : null);
      }),
  },
  'block-start-shape': {
    section: '1.2',
    sentence: 'content_block_start has a content_block with the fields of its kind.',
    scenarios: ['text', 'think', 'tools'],
    covers: ['event:content_block_start', 'block:text', 'block:thinking', 'block:tool_use'],
    judge: (view) =>
      each(opened(view), ({ head }) =>
        typeof head.type === 'string'
          ? misfit(head, heads.get(head.type) ?? 'object', 'content_block')
          : 'a block without type',
      ),
  },
  'block-start-empty': {
    section: '1.4',
    sentence: 'A block that streams opens empty: all that it holds comes in deltas.',
    scenarios: ['text', 'think', 'tools'],
    covers: ['event:content_block_start'],
    isMeasured: true,
    *judge(view) {
      for (const { frame, head } of opened(view)) {
        if (!heads.has(head.type)) continue;
        const held = head.type === 'tool_use' ? Object.keys(dictionaryOf(head.input)).length > 0 : isFilled(head);
        yield { frame, wrong: held ? `a ${String(head.type)} block that opens with content` : null };
      }
    },
  },
  'block-delta-shape': {
    section: '1.2',
    sentence: 'content_block_delta has a delta with a type.',
    scenarios: ['text'],
    covers: ['event:content_block_delta'],
    judge: shaped('content_block_delta', fields({ delta: fields({ type: 'string' }) })),
  },
  'message-delta-shape': {
    section: '1.2',
    sentence: 'message_delta has the stop_reason, null for a message that was cut, and the usage.',
    scenarios: ['text'],
    covers: ['event:message_delta'],
    judge: shaped('message_delta', fields({ delta: fields({ stop_reason: orNull('string') }), usage: laterCounts })),
  },
  'signature-streamed': {
    section: '1.3',
    sentence:
      'The signature in the assistant message of a thinking block streamed before, in a signature_delta behind what was thought.',
    scenarios: ['think'],
    covers: ['delta:thinking_delta', 'block:thinking'],
    isMeasured: true,
    judge: signatures,
  },
});

function* signatures({ fromAgent }: View): Generator<Finding> {
  /** Whether the open thinking block has its signature, by lane. */
  const signed = new Map<LaneName, boolean>();
  for (const { frame, json } of fromAgent) {
    const lane = laneOf(json);
    const event = dictionaryOf(json.event);
    if (event.type === 'content_block_start') {
      const head = dictionaryOf(event.content_block);
      if (head.type === 'thinking' && !isText(head.signature)) signed.set(lane, false);
      else signed.delete(lane);
    }
    const isSigned = signed.get(lane);
    if (isSigned === undefined) continue;
    const { type } = dictionaryOf(event.delta);
    if (type === 'signature_delta') signed.set(lane, true);
    if (type === 'thinking_delta') yield { frame, wrong: isSigned ? 'a thinking_delta behind the signature' : null };
    const isCopied = json.type === 'assistant' && blocksOf(json).some(({ signature }) => isText(signature));
    if (isCopied) yield { frame, wrong: isSigned ? null : 'a signature that did not stream' };
  }
}

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';

function isFilled({ text = '', thinking = '' }: Dictionary): boolean {
  return text !== '' || thinking !== '';
}
