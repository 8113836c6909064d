// The places of ACP messages that have a shape, by the kind of message.
import { isDictionary } from '../../../core/model/dictionary.ts';
import type { InTrace, Side } from '../../check/json-rpc.ts';
import { errorPlaces } from '../../check/json-rpc-findings.ts';
import type { Place } from '../../check/rule.ts';
import { type Places, type Reader, readersOf } from '../../check/shape-rows.ts';
import type { Update } from '../view/sessions.ts';
import { type AcpView, asksOf, at, itemsOf, resultsOf } from '../view/view.ts';
import { environmentMethods, isAbsolute } from '../words.ts';

type Read = Reader<AcpView>;

const isThere = (value: unknown): boolean => value !== undefined && value !== null;
const placeOf = ({ frame, params }: InTrace & { readonly params: unknown }): Place => ({
  frame,
  value: params,
  as: 'params',
});
const results =
  (...methods: readonly string[]): Read =>
  (view) =>
    resultsOf(view, ...methods).map(({ frame, result }) => ({ frame, value: result, as: 'result' }));
/** The whole answers, where the result may be null. */
const answers =
  (method: string): Read =>
  (view) =>
    resultsOf(view, method).map(({ frame, answer }) => ({ frame, value: answer.json, as: 'answer' }));
/** Answers of version 1: another version has other fields (docs/protocols/acp.md 10.67). */
const greetings: Read = (view) =>
  [...results('initialize')(view)].filter(({ value }) => at(value, 'protocolVersion') === 1);
/** Places in which the field is there. */
const having =
  (name: string, read: Read): Read =>
  (view) =>
    [...read(view)].filter(({ value }) => isThere(at(value, name)));

const updates =
  (fits: (one: Update) => boolean): Read =>
  (view) =>
    view.updates.filter(fits).map(({ frame, update }) => ({ frame, value: update, as: 'update' }));
const chunkKinds: readonly unknown[] = ['user_message_chunk', 'agent_message_chunk', 'agent_thought_chunk'];
const isChunk = ({ kind }: Update): boolean => chunkKinds.includes(kind);
const isOfCall = ({ kind }: Update): boolean => kind === 'tool_call' || kind === 'tool_call_update';
/** The items of a list in the updates of calls. */
const itemsOfCalls =
  (list: string, as: string): Read =>
  (view) =>
    view.updates
      .filter(isOfCall)
      .flatMap(({ frame, update }) => itemsOf(update[list]).map((value) => ({ frame, value, as })));
/** The contents of chunks and of calls that name a type. */
function* contents(view: AcpView): Generator<Place> {
  for (const one of view.updates) {
    const { frame, update } = one;
    const own = isChunk(one) ? [update.content] : itemsOf(update.content).map(({ content }) => content);
    for (const value of own) if (typeof at(value, 'type') === 'string') yield { frame, value, as: 'content' };
  }
}

/** Answers and updates that tell modes or options. */
const settings =
  (field: 'modes' | 'configOptions'): Read =>
  (view) => [
    ...having(field, results('session/new', 'session/load', 'session/resume', 'session/set_config_option'))(view),
    ...having(
      field,
      updates(({ kind }) => kind === 'config_option_update'),
    )(view),
  ];

/** Answers to `session/new` without anything that may be refused. */
function* newSessions(view: AcpView): Generator<Place> {
  const greeted = view.initialize?.answers[0]?.frame ?? 0;
  for (const {
    params,
    answers: [answer],
  } of asksOf(view, 'session/new')) {
    const isPlain = isAbsolute(params.cwd) && Array.isArray(params.mcpServers) && params.mcpServers.length === 0;
    if (answer === undefined || !isPlain || at(answer.error, 'code') === -32_000) continue;
    if (view.initialize === null || answer.frame >= greeted)
      yield { frame: answer.frame, value: answer.json, as: 'answer' };
  }
}

/** What may hold `_meta`, and does. */
const holders = ({ frames }: Side, ...paths: readonly (readonly string[])[]): Place[] =>
  frames.flatMap(({ frame, json }) =>
    paths
      .map((path) => at(json, ...path))
      .filter((value) => isThere(at(value, '_meta')))
      .map((value) => ({ frame, value, as: 'it' })),
  );

const requests =
  (method: string): Read =>
  ({ agent }) =>
    agent.requests.filter((one) => one.method === method).map(placeOf);
const options: Read = ({ agent }) =>
  agent.requests
    .filter(({ method }) => method === 'session/request_permission')
    .flatMap(({ frame, params }) => itemsOf(params.options).map((value) => ({ frame, value, as: 'option' })));

/** Of what agents say. */
export const agentPlaces = {
  error: ({ agent }) => errorPlaces(agent),
  'holder of _meta': ({ agent }) => holders(agent, ['params'], ['result']),
  ...readersOf('result of ', ['initialize', 'session/list', 'session/prompt'], (method) => results(method)),
  'result of initialize of version 1': greetings,
  ...readersOf('answer to ', ['session/load', 'session/set_mode'], answers),
  'answer to a plain session/new': newSessions,
  'message with modes': settings('modes'),
  'message with configOptions': settings('configOptions'),
  'notification:session/update': ({ agent }) =>
    agent.notifications.filter(({ method }) => method === 'session/update').map(placeOf),
  ...readersOf(
    'update:',
    ['usage_update', 'session_info_update', 'notice', 'compaction_update', 'plan', 'available_commands_update'],
    (kind) => updates((one) => one.kind === kind),
  ),
  ...readersOf('update:', ['tool_call', 'tool_call_update', 'current_mode_update', 'config_option_update'], (kind) =>
    updates((one) => one.kind === kind),
  ),
  ...readersOf('update of a call with ', ['kind', 'status', 'content'], (name) => having(name, updates(isOfCall))),
  'item of a call': itemsOfCalls('content', 'item'),
  'location with a line': (view) =>
    [...itemsOfCalls('locations', 'location')(view)].filter(({ value }) => typeof at(value, 'line') === 'number'),
  chunk: updates(isChunk),
  'chunk with messageId': having('messageId', updates(isChunk)),
  content: contents,
  ...readersOf('request:', ['session/request_permission', 'elicitation/create', ...environmentMethods], requests),
  'owner of a form': requests('elicitation/create'),
  'option of a permission': options,
} satisfies Places<AcpView, string>;

const asked =
  (...methods: readonly string[]): Read =>
  (view) =>
    asksOf(view, ...methods).map(placeOf);
const toolServers =
  (hasType: boolean): Read =>
  (view) =>
    asksOf(view, 'session/new', 'session/load', 'session/resume').flatMap(({ frame, params }) =>
      itemsOf(params.mcpServers)
        .filter(({ type }) => (type !== undefined) === hasType)
        .map((value) => ({ frame, value, as: 'server' })),
    );
const promptContents: Read = (view) =>
  asksOf(view, 'session/prompt').flatMap(({ frame, params }) =>
    itemsOf(params.prompt).map((value) => ({ frame, value, as: 'content' })),
  );
/** All answers to these requests of the agent. */
const answersOf =
  (method: string): Read =>
  ({ agent }) =>
    agent.requests
      .filter((one) => one.method === method)
      .flatMap((one) => one.answers.map(({ frame, json }) => ({ frame, value: json, as: 'answer' })));

/** Of what clients say. */
export const clientPlaces = {
  error: ({ client }) => errorPlaces(client),
  'holder of _meta': ({ client }) =>
    holders(client, ['params'], ['result'], ['params', 'clientCapabilities'], ['params', 'clientInfo']),
  'message with a method': ({ client }) =>
    client.frames
      .filter(({ json }) => isDictionary(json) && typeof json.method === 'string')
      .map(({ frame, json }) => ({ frame, value: json, as: 'message' })),
  ...readersOf('request:', ['initialize', 'session/new', 'session/load', 'session/prompt'], (method) => asked(method)),
  'request for a session': asked('session/new', 'session/load', 'session/resume'),
  'request to set a boolean': (view) =>
    [...asked('session/set_config_option')(view)].filter(({ value }) => typeof at(value, 'value') === 'boolean'),
  'initialize with clientCapabilities': (view) =>
    [...asked('initialize')(view)].filter(({ value }) => at(value, 'clientCapabilities') !== undefined),
  'tool server': toolServers(false),
  'tool server with a type': toolServers(true),
  'content of a prompt': promptContents,
  'content of a prompt with a type': (view) =>
    [...promptContents(view)].filter(({ value }) => typeof at(value, 'type') === 'string'),
  'answer to session/request_permission': answersOf('session/request_permission'),
  ...readersOf(
    'result for ',
    ['elicitation/create', ...environmentMethods],
    (method) => (view) => [...answersOf(method)(view)].filter(({ value }) => isDictionary(value) && 'result' in value),
  ),
} satisfies Places<AcpView, string>;
