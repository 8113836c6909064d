// The places of native Claude messages that have a shape, by the kind of message.
import type { Dictionary } from '../../../core/model/content.ts';
import { dictionaryOf, isDictionary } from '../../../core/model/dictionary.ts';
import type { Place } from '../../check/rule.ts';
import { type Places, type Reader, readersOf } from '../../check/shape-rows.ts';
import { blocksOf } from '../view/blocks.ts';
import { eventTypes } from '../view/stream.ts';
import type { ClientRequest, Message, View } from '../view/view.ts';

type Read = Reader<View>;

/** Messages of this type, of one side. */
const messages =
  (of: (view: View) => readonly Message[], type: string): Read =>
  (view) =>
    of(view)
      .filter((one) => one.type === type)
      .map(({ frame, json }) => ({ frame, value: json, as: 'message' }));
const told = (type: string): Read => messages(({ fromAgent }) => fromAgent, type);
const heard = (type: string): Read => messages(({ fromClient }) => fromClient, type);

/** The places whose value is an object for which the condition holds. */
const where =
  (read: Read, fits: (own: Dictionary) => boolean): Read =>
  (view) =>
    [...read(view)].filter(({ value }) => isDictionary(value) && fits(value));
/** The field of each place, be it there or not. */
const inside =
  (read: Read, field: string, as = field): Read =>
  (view) =>
    [...read(view)].map(({ frame, value }) => ({ frame, value: dictionaryOf(value)[field], as }));
const named =
  (read: Read, as: string): Read =>
  (view) =>
    [...read(view)].map((place) => ({ ...place, as }));
/** The places in which the field is there. */
const having = (read: Read, field: string): Read => where(read, (own) => own[field] !== undefined);

const events = inside(told('stream_event'), 'event');
const event = (type: string): Read =>
  named(
    where(events, (own) => own.type === type),
    type,
  );
const system = (subtype: string): Read => where(told('system'), (own) => own.subtype === subtype);
const results = named(told('result'), 'result');

/** The blocks of messages of this type. */
const blocks =
  (type: string): Read =>
  ({ fromAgent }) =>
    fromAgent
      .filter((one) => one.type === type)
      .flatMap(({ frame, json }) => blocksOf(json).map((value) => ({ frame, value, as: 'block' })));

/** The first answers to requests of the client. */
const answers =
  (fits: (one: ClientRequest, view: View) => boolean): Read =>
  (view) =>
    view.requests
      .filter((one) => fits(one, view))
      .flatMap(({ answers: [first] }) =>
        first === undefined ? [] : [{ frame: first.frame, value: first.response, as: 'response' }],
      );
const answersTo = (asked: string): Read => answers(({ subtype }) => subtype === asked);
/** What a successful answer holds. An agent may refuse what it cannot do; a refusal is not judged. */
const granted = (asked: string): Read =>
  inside(
    where(answersTo(asked), ({ subtype }) => subtype === 'success'),
    'response',
  );
/** Whether no agent knows the word. */
const isMadeUp = (word: unknown): boolean => /^no_?such|^nonsense$/u.test(String(word));
const madeUpModes = answers(({ subtype, request }) => subtype === 'set_permission_mode' && isMadeUp(request.mode));

const asks: Read = ({ agentRequests }) =>
  agentRequests
    .filter(({ subtype }) => subtype === 'can_use_tool')
    .map(({ frame, request }) => ({ frame, value: request, as: 'request' }));

/** Of what agents say. */
export const agentPlaces = {
  ...readersOf('message:', ['user', 'assistant', 'stream_event', 'system', 'tool_progress', 'error'], told),
  ...readersOf('message:', ['control_request'], told),
  'message:result': results,
  'message:control_response': inside(told('control_response'), 'response'),
  'message of assistant': inside(told('assistant'), 'message'),
  'message of message_start': inside(event('message_start'), 'message'),
  'block of assistant': blocks('assistant'),
  'block of user': blocks('user'),
  ...readersOf('system:', ['init', 'status', 'api_retry', 'compact_boundary'], system),
  event: events,
  ...readersOf('event:', eventTypes, event),
  'block that starts': inside(event('content_block_start'), 'content_block'),
  'result of a success': where(results, ({ subtype }) => subtype === 'success'),
  'result of an error': where(results, ({ subtype }) => String(subtype).startsWith('error')),
  // An agent may refuse a second `initialize`.
  'answer to the first initialize': answers(
    (one, { requests }) => one === requests.find(({ subtype }) => subtype === 'initialize'),
  ),
  ...readersOf('answer to ', ['interrupt', 'set_max_thinking_tokens'], answersTo),
  ...readersOf('success of ', ['initialize', 'set_model', 'mcp_status', 'interrupt'], granted),
  'answer to a mode that nobody knows': madeUpModes,
  'refusal of a mode that nobody knows': where(madeUpModes, ({ subtype }) => subtype !== 'success'),
  'answer to a request that nobody knows': answers(({ subtype }) => isMadeUp(subtype)),
  'request:can_use_tool': asks,
  question: inside(
    where(asks, (own) => own.tool_name === 'AskUserQuestion'),
    'input',
  ),
} satisfies Places<View, string>;

const prompts = heard('user');
function* promptBlocks({ prompts: all }: View): Generator<Place> {
  for (const { frame, content } of all)
    for (const value of Array.isArray(content) ? content : []) yield { frame, value, as: 'block' };
}
const request =
  (subtype: string): Read =>
  ({ requests }) =>
    requests
      .filter((one) => one.subtype === subtype)
      .map(({ frame, request: value }) => ({ frame, value, as: subtype }));
/** Successful answers to the agent's requests of this subtype. */
const given =
  (subtype: string): Read =>
  ({ agentRequests }) =>
    agentRequests.flatMap(({ answer, subtype: own }) =>
      own !== subtype || answer?.response.subtype !== 'success'
        ? []
        : [{ frame: answer.frame, value: answer.response.response, as: 'response' }],
    );
const decided = (behavior: string): Read => where(given('can_use_tool'), (own) => own.behavior === behavior);

/** Of what clients say. */
export const clientPlaces = {
  ...readersOf('message:', ['control_request'], heard),
  'message:control_response': inside(heard('control_response'), 'response'),
  'message of a prompt': inside(prompts, 'message'),
  'prompt with a parent': having(prompts, 'parent_tool_use_id'),
  'prompt with a session': having(prompts, 'session_id'),
  block: promptBlocks,
  'block with a type': where(promptBlocks, ({ type }) => typeof type === 'string'),
  ...readersOf('control:', ['initialize', 'set_model', 'set_permission_mode', 'set_max_thinking_tokens'], request),
  permission: given('can_use_tool'),
  'permission that is given': decided('allow'),
  'permission that is denied': decided('deny'),
  'permission with rules': having(decided('allow'), 'updatedPermissions'),
  'answer of a hook': given('hook_callback'),
} satisfies Places<View, string>;
