// The places of the rpc-message dialect that have a shape, by the kind of message. A message is the same with and without the
// envelope of a query.
import type { Dictionary } from '../../../core/model/content.ts';
import { dictionaryOf, isDictionary } from '../../../core/model/dictionary.ts';
import type { Place } from '../../check/rule.ts';
import { type Places, type Reader, readersOf } from '../../check/shape-rows.ts';
import { blocksOf } from '../../claude/view/blocks.ts';
import type { Reply, Request, StreamedMessage, View } from '../view.ts';

/** Types of messages (docs/protocols/rpc-message.md 3.2). */
export const messageTypes = ['user', 'assistant', 'result', 'stream_event', 'error'] as const;

const messages =
  (fits: (message: StreamedMessage) => boolean): Reader<View> =>
  (view) =>
    view.messages.filter(fits).map(({ frame, json }) => ({ frame, value: json, as: 'message' }));
const isKnown = ({ type }: StreamedMessage): boolean => messageTypes.some((known) => known === type);

/** Events of all types, or of one. */
const events = (type?: string): Reader<View> =>
  function* (view): Generator<Place> {
    for (const { frame, type: of, json } of view.messages) {
      const value = dictionaryOf(json.event);
      if (of === 'stream_event' && (type === undefined || value.type === type))
        yield { frame, value, as: String(value.type) };
    }
  };
/** The blocks of start events. */
function* opened(view: View): Generator<Place & { readonly value: Dictionary }> {
  for (const { frame, value } of events('content_block_start')(view))
    yield { frame, value: dictionaryOf(dictionaryOf(value).content_block), as: 'the block' };
}
/** The blocks of start events and of complete messages. */
function* everyBlock(view: View): Generator<Place & { readonly value: Dictionary }> {
  yield* opened(view);
  for (const { frame, type, json } of view.messages)
    if (type === 'user' || type === 'assistant')
      for (const value of blocksOf(json)) yield { frame, value, as: 'the block' };
}
const ofType = (type: string) => (place: { readonly value: Dictionary }) => place.value.type === type;

const isError = ({ json }: Reply): boolean => json.error !== null && json.error !== undefined;
const placeOf = ({ frame, json }: Reply): Place => ({ frame, value: json, as: 'answer' });
/** The answers to requests of this method. */
export const answers = ({ requests }: View, method: string): Reply[] =>
  requests.filter((request) => request.method === method).flatMap(({ replies }) => replies.slice(0, 1));

/** Of what agents say. */
export const agentPlaces = {
  'message of a provider': messages((message) => isKnown(message) && message.type !== 'error'),
  'message with a parent': messages(({ json }) => 'parent_tool_use_id' in json),
  ...readersOf('message:', messageTypes, (type) => messages((message) => message.type === type)),
  event: events(),
  ...readersOf('event:', ['message_start', 'message_delta', 'content_block_start'], events),
  ...readersOf('event:', ['content_block_delta', 'content_block_stop'], events),
  block: everyBlock,
  ...readersOf(
    'block:',
    ['text', 'thinking', 'tool_use', 'tool_result', 'unknown'],
    (type) => (view) => [...everyBlock(view)].filter(ofType(type)),
  ),
  'call that opens': (view) => [...opened(view)].filter(ofType('tool_use')),
  'envelope:stream': ({ envelopes }) =>
    envelopes
      .filter(({ json }) => json.type === 'stream')
      .map(({ frame, json }) => ({ frame, value: json, as: 'envelope' })),
  answer: ({ replies }) => replies.filter((reply) => !isError(reply)).map(placeOf),
  refusal: ({ replies }) => replies.filter(isError).map(placeOf),
  ...readersOf(
    'answer to ',
    ['connect', 'interrupt', 'disconnect'],
    (method) => (view) => answers(view, method).map(placeOf),
  ),
  ...readersOf(
    'result of ',
    ['connect', 'setModel', 'getHistory'],
    (method) => (view) =>
      answers(view, method)
        .filter((reply) => !isError(reply))
        .map(({ frame, json }) => ({ frame, value: json.result, as: 'result' })),
  ),
} satisfies Places<View, string>;

const requests =
  (fits: (request: Request) => boolean): Reader<View> =>
  (view) =>
    view.requests.filter(fits).map(({ frame, json }) => ({ frame, value: json, as: 'request' }));

/** The blocks of queries with content. */
export function* blocksIn({ requests: all }: View): Generator<Place> {
  for (const { frame, method, params } of all) {
    const content = method === 'queryWithContent' && isDictionary(params) ? params.content : undefined;
    if (Array.isArray(content)) for (const value of content) yield { frame, value, as: 'block' };
  }
}

/** Of what front ends say. */
export const clientPlaces = {
  request: requests(() => true),
  ...readersOf('request:', ['query', 'queryWithContent', 'setModel', 'setPermissionMode'], (method) =>
    requests((request) => request.method === method),
  ),
  // Another rule judges a block without a type.
  'block of a query': (view) => [...blocksIn(view)].filter(({ value }) => typeof dictionaryOf(value).type === 'string'),
} satisfies Places<View, string>;
