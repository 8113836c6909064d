// The places of ECA messages that have a shape, by the kind of message.
import { dictionaryOf, isDictionary } from '../../../core/model/dictionary.ts';
import type { InTrace, Request, Response, Side } from '../../check/json-rpc.ts';
import { errorPlaces } from '../../check/json-rpc-findings.ts';
import type { Place } from '../../check/rule.ts';
import { type Places, type Reader, readersOf } from '../../check/shape-rows.ts';
import type { Content } from '../view/chat-events.ts';
import type { EcaView } from '../view/view.ts';

/** Content types of the document and of newer servers, but text. */
const contentTypes = [
  ...(['progress', 'usage', 'url', 'image', 'metadata', 'reasonStarted', 'reasonText', 'reasonFinished'] as const),
  ...(['toolCallPrepare', 'toolCallRun', 'toolCallRunning', 'toolCalled', 'toolCallRejected'] as const),
];

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const contents =
  (fits: (one: Content) => boolean): Reader<EcaView> =>
  (view) =>
    view.contents.filter(fits).map(({ frame, content }) => ({ frame, value: content, as: 'content' }));
/** The params around contents. */
const told =
  (fits: (one: Content) => boolean): Reader<EcaView> =>
  (view) =>
    view.contents.filter(fits).map(({ frame, params }) => ({ frame, value: params, as: 'params' }));

/** Requests of this method, with the first answer. */
function* answersTo(
  { client }: EcaView,
  method: string,
): Generator<{ readonly ask: Request; readonly answer: Response }> {
  for (const ask of client.requests) {
    const [answer] = ask.answers;
    if (ask.method === method && answer !== undefined) yield { ask, answer };
  }
}
/** A message without a text is no prompt. */
const isPrompt = ({ params }: Request): boolean => typeof params.message === 'string';

const answer =
  (method: string, fits: (ask: Request) => boolean = () => true): Reader<EcaView> =>
  (view) =>
    [...answersTo(view, method)]
      .filter(({ ask }) => fits(ask))
      .map(({ answer: { frame, json } }) => ({ frame, value: json, as: 'answer' }));
const result =
  (method: string, fits: (ask: Request) => boolean = () => true): Reader<EcaView> =>
  (view) =>
    [...answersTo(view, method)]
      .filter(({ ask, answer: { json } }) => fits(ask) && 'result' in json)
      .map(({ answer: { frame, result: value } }) => ({ frame, value, as: 'result' }));

/** Successful answers to `initialize` for which a condition holds. */
const greeting =
  (fits: (own: Readonly<Record<string, unknown>>) => boolean): Reader<EcaView> =>
  (view) =>
    [...result('initialize')(view)].filter(({ value }) => isDictionary(value) && fits(value));
/**
 * Fields that the document places in the answer to `initialize`; servers from 0.42 on send them in `config/updated`.
 */
const documentFields = ['models', 'chatDefaultModel', 'chatBehaviors', 'chatDefaultBehavior'];
const hasDocumentFields = (own: object): boolean => documentFields.some((name) => name in own);
/** Without choices there is no default. */
const hasChoice = (list: unknown): boolean => listOf(list).length > 0;

const notification =
  (method: string): Reader<EcaView> =>
  ({ agent }) =>
    agent.notifications
      .filter((one) => one.method === method)
      .map(({ frame, rawParams }) => ({ frame, value: rawParams, as: 'params' }));
const server =
  (type: string): Reader<EcaView> =>
  (view) =>
    [...notification('tool/serverUpdated')(view)].filter(({ value }) => dictionaryOf(value).type === type);
/** Each item of a list in the places of another kind. */
const itemsOf = (read: Reader<EcaView>, list: string, as: string): Reader<EcaView> =>
  function* (view): Generator<Place> {
    for (const { frame, value } of read(view))
      for (const item of listOf(dictionaryOf(value)[list])) yield { frame, value: item, as };
  };
const withType =
  (read: Reader<EcaView>, type: string): Reader<EcaView> =>
  (view) =>
    [...read(view)].filter(({ value }) => dictionaryOf(value).type === type);

/** Of what servers say. */
export const agentPlaces = {
  content: told(() => true),
  'content of the user': told(({ role }) => role === 'user'),
  ...readersOf('content:', contentTypes, (type) => contents((one) => one.type === type)),
  'content:text of the system': contents(({ type, role }) => type === 'text' && role === 'system'),
  'content:text of others': contents(({ type, role }) => type === 'text' && role !== 'system'),
  ...readersOf('params of content:', contentTypes, (type) => told((one) => one.type === type)),
  'output:text': withType(
    itemsOf(
      contents(({ type }) => type === 'toolCalled'),
      'outputs',
      'output',
    ),
    'text',
  ),
  *details(view) {
    for (const { frame, content, role } of view.contents)
      if (content.details !== undefined && content.details !== null && role === 'assistant')
        yield { frame, value: content.details, as: 'details' };
  },
  ...readersOf(
    'notification:',
    ['config/updated', '$/progress', '$/showMessage', 'tool/serverUpdated', 'chat/statusChanged'],
    notification,
  ),
  ...readersOf('notification:', ['chat/opened', 'chat/cleared', 'chat/deleted'], notification),
  ...readersOf('server:', ['native', 'mcp'], server),
  tool: itemsOf(notification('tool/serverUpdated'), 'tools', 'tool'),
  'result of initialize': greeting(() => true),
  'result of initialize of the document': greeting(hasDocumentFields),
  'result of initialize with models': greeting((own) => hasDocumentFields(own) && hasChoice(own.models)),
  'result of initialize with behaviors': greeting((own) => hasDocumentFields(own) && hasChoice(own.chatBehaviors)),
  'result of chat/prompt': result('chat/prompt', isPrompt),
  'answer to chat/prompt': answer('chat/prompt', isPrompt),
  ...readersOf('result of ', ['chat/queryContext', 'chat/queryCommands'], (method) => result(method)),
  ...readersOf('answer to ', ['chat/delete', 'shutdown'], (method) => answer(method)),
  'context that is offered': itemsOf(result('chat/queryContext'), 'contexts', 'context'),
  error: ({ agent }) => errorPlaces(agent),
} satisfies Places<EcaView, string>;

const request =
  (method: string, fits: (ask: Request) => boolean = () => true): Reader<EcaView> =>
  ({ client }) =>
    client.requests
      .filter((one) => one.method === method && fits(one))
      .map(({ frame, params }) => ({ frame, value: params, as: 'params' }));

/** The whole messages. */
function messages({ frames }: Side, those: readonly InTrace[]): Place[] {
  const own = new Set(those.map(({ frame }) => frame));
  return frames.filter(({ frame }) => own.has(frame)).map(({ frame, json }) => ({ frame, value: json, as: 'message' }));
}

/** Of what editors say. */
export const clientPlaces = {
  request: ({ client }) => messages(client, client.requests),
  notification: ({ client }) => messages(client, client.notifications),
  ...readersOf('request:', ['chat/prompt', 'chat/queryContext', 'chat/queryCommands', 'chat/delete'], (method) =>
    request(method),
  ),
  'request:initialize': ({ client }) =>
    client.requests
      .filter(({ method }) => method === 'initialize')
      .map(({ frame, rawParams }) => ({ frame, value: rawParams, as: 'params' })),
  'prompt with contexts': request('chat/prompt', ({ params }) => (params.contexts ?? null) !== null),
  ...readersOf(
    'notification:',
    ['chat/toolCallApprove', 'chat/toolCallReject', 'mcp/stopServer', 'mcp/startServer'],
    (method) =>
      ({ client }) =>
        client.notifications
          .filter((one) => one.method === method)
          .map(({ frame, params }) => ({ frame, value: params, as: 'params' })),
  ),
  error: ({ client }) => errorPlaces(client),
} satisfies Places<EcaView, string>;
