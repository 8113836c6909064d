// Rules on single messages of the dialect: its five types and their fields (docs/protocols/rpc-message.md 3.2 to 3.4,
// 6, 7.2, 9).
import type { Dictionary } from '../../../core/model/content.ts';
import { dictionaryOf, isDictionary } from '../../../core/model/dictionary.ts';
import { each } from '../../check/rule.ts';
import { fields, misfit, orNull, type Shape } from '../../check/shape.ts';
import { eventKinds } from '../../claude/view/stream.ts';
import type { StreamedMessage, View } from '../view.ts';
import { type Row, rpcRules } from './rpc-rule.ts';

const types: ReadonlySet<string> = new Set(['user', 'assistant', 'result', 'stream_event', 'error']);
const deltas: ReadonlySet<unknown> = new Set(['text_delta', 'thinking_delta', 'input_json_delta']);
/** Fields whose content belongs to a tool or to a foreign block; the dialect says nothing about it. */
const payloads: ReadonlySet<string> = new Set(['input', 'data', 'tool_input', 'tool_use_result', 'modelUsage']);

const ofType = ({ messages }: View, type: string): readonly StreamedMessage[] =>
  messages.filter((message) => message.type === type);
const shaped = (type: string, shape: Shape) => (view: View) =>
  each(ofType(view, type), ({ json }) => misfit(json, shape, 'message'));

interface Part {
  readonly frame: number;
  readonly part: Dictionary;
}

const eventsIn = (view: View, type?: string): Part[] =>
  ofType(view, 'stream_event')
    .map(({ frame, json }) => ({ frame, part: dictionaryOf(json.event) }))
    .filter(({ part }) => type === undefined || part.type === type);

const everyType = [...types].map((type) => `message:${type}`);

const rows: Record<string, Row> = {
  'message-type': {
    section: '3.2',
    sentence: 'Every message is one of five: user, assistant, result, stream_event, error.',
    scenarios: ['text'],
    covers: everyType,
    *judge({ messages, noise }) {
      for (const { frame, type } of messages)
        yield { frame, wrong: types.has(type) ? null : `a message of type ${type}` };
      for (const { frame, says } of noise) yield { frame, wrong: says };
    },
  },
  provider: {
    section: '6.1',
    sentence: 'Every message but an error names its provider: claude or codex.',
    scenarios: ['text', 'tools'],
    covers: everyType,
    judge: ({ messages }) =>
      each(
        messages.filter(({ type }) => type !== 'error' && types.has(type)),
        ({ json: { provider } }) =>
          provider === 'claude' || provider === 'codex' ? null : `provider ${String(provider)}`,
      ),
  },
  'no-null': {
    section: '3.2',
    sentence: 'What has no value is left out and not null, but for what a tool takes and gives.',
    scenarios: ['text', 'tools', 'interrupt'],
    covers: everyType,
    level: 'SHOULD',
    isMeasured: true,
    judge: ({ messages }) =>
      each(messages, ({ json, type }) => {
        const path = nullIn(json, type);
        return path === null ? null : `${path} is null`;
      }),
  },
  'stream-event-envelope': {
    section: '3.2',
    sentence: 'A stream_event has a uuid and a session_id, both texts, and an event.',
    scenarios: ['text'],
    covers: ['message:stream_event'],
    judge: shaped('stream_event', fields({ uuid: 'string', session_id: 'string', event: 'object' })),
  },
  'content-list': {
    section: '3.2',
    sentence: 'The content of user and assistant messages is a list of blocks.',
    scenarios: ['text', 'tools'],
    covers: ['message:user', 'message:assistant'],
    judge: ({ messages }) =>
      each(
        messages.filter(({ type }) => type === 'user' || type === 'assistant'),
        ({ json }) => misfit(json, fields({ message: fields({ content: ['object'] }) }), 'message'),
      ),
  },
  'parent-text': {
    section: '3.2',
    sentence: 'parent_tool_use_id is a text where it has a value.',
    scenarios: ['subagent'],
    covers: ['message:user'],
    judge: ({ messages }) =>
      each(
        messages.filter(({ json }) => 'parent_tool_use_id' in json),
        ({ json }) => misfit(json, fields({ parent_tool_use_id: orNull('string') }), 'message'),
      ),
  },
  'error-shape': {
    section: '3.2',
    sentence: 'An error says what is wrong in its message.',
    scenarios: ['odd'],
    covers: ['message:error'],
    judge: shaped('error', fields({ message: 'string' })),
  },
  'event-kind': {
    section: '3.3',
    sentence: 'A stream_event holds one of six events.',
    scenarios: ['text'],
    covers: [...eventKinds].map((type) => `event:${String(type)}`),
    judge: (view) =>
      each(eventsIn(view), ({ part: { type } }) => (eventKinds.has(type) ? null : `an event ${String(type)}`)),
  },
  'event-index': {
    section: '3.3',
    sentence: 'Events of a block have its index.',
    scenarios: ['text'],
    covers: ['event:content_block_start', 'event:content_block_delta', 'event:content_block_stop'],
    judge: (view) =>
      each(
        eventsIn(view).filter(({ part }) => String(part.type).startsWith('content_block_')),
        ({ part: { index, type } }) => (Number.isInteger(index) ? null : `${String(type)} with index ${String(index)}`),
      ),
  },
  'message-start-shape': {
    section: '3.3',
    sentence: 'message_start has the message that begins, with its id, and a list for its content.',
    scenarios: ['text'],
    covers: ['event:message_start'],
    judge: (view) =>
      each(eventsIn(view, 'message_start'), ({ part }) =>
        misfit(part, fields({ message: fields({ id: 'string', content: ['any'] }) }), 'message_start'),
      ),
  },
  'message-delta-shape': {
    section: '6.4',
    sentence:
      'message_delta has the stop_reason, unless the message was cut, and the output_tokens so far, in snake case.',
    scenarios: ['text'],
    covers: ['event:message_delta'],
    judge: (view) =>
      each(eventsIn(view, 'message_delta'), ({ part }) =>
        misfit(
          part,
          fields({ delta: fields({ 'stop_reason?': orNull('string') }), usage: fields({ output_tokens: 'number' }) }),
          'message_delta',
        ),
      ),
  },
  'delta-known': {
    section: '3.4',
    sentence: 'A delta is one of three: text_delta, thinking_delta, input_json_delta.',
    scenarios: ['text', 'think', 'tools'],
    covers: [...deltas].map((type) => `delta:${String(type)}`),
    judge: (view) =>
      each(eventsIn(view, 'content_block_delta'), ({ part }) => {
        const { type } = dictionaryOf(part.delta);
        return deltas.has(type) ? null : `a delta ${String(type)}`;
      }),
  },
  'assistant-top-id': {
    section: '4.1',
    sentence:
      'An assistant message has the id of its message at the top, by which the front end tells it from what streamed.',
    scenarios: ['text', 'tools'],
    covers: ['message:assistant'],
    level: 'SHOULD',
    isMeasured: true,
    judge: (view) =>
      each(ofType(view, 'assistant'), ({ json: { id, message } }) =>
        typeof id === 'string' && id === dictionaryOf(message).id ? null : `its id is ${String(id)}`,
      ),
  },
  'result-shape': {
    section: '6.5',
    sentence: 'A result has subtype, is_error, num_turns, session_id, and what it took and cost.',
    scenarios: ['text', 'fail'],
    covers: ['message:result'],
    judge: shaped(
      'result',
      fields({
        subtype: 'string',
        is_error: 'boolean',
        duration_ms: 'number',
        duration_api_ms: 'number',
        num_turns: 'number',
        session_id: 'string',
        total_cost_usd: 'number',
      }),
    ),
  },
  'result-usage': {
    section: '6.5',
    sentence: 'The usage of a result is in snake case: input_tokens and output_tokens.',
    scenarios: ['text'],
    covers: ['message:result'],
    isMeasured: true,
    judge: (view) =>
      each(
        ofType(view, 'result').filter(({ json }) => 'usage' in json),
        ({ json }) => misfit(json.usage, fields({ input_tokens: 'number', output_tokens: 'number' }), 'usage'),
      ),
  },
};

export const messageRules = rpcRules(rows);

/** The path of the first null; null without one. */
function nullIn(value: unknown, path: string): string | null {
  if (value === null) return path;
  if (Array.isArray(value)) return firstOf(value.map((item) => nullIn(item, `${path}[]`)));
  if (!isDictionary(value)) return null;
  return firstOf(
    Object.entries(value).map(([key, inner]) => (payloads.has(key) ? null : nullIn(inner, `${path}.${key}`))),
  );
}

const firstOf = (found: readonly (string | null)[]): string | null => found.find((one) => one !== null) ?? null;
