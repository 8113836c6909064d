// Rules on the shapes of messages in any line; the document describes no message (docs/protocols/pi.md 1.6, 8). Unknown
// roles and block types of newer versions pass.
import type { Dictionary } from '../../../core/model/content.ts';
import { dictionaryOf, isDictionary } from '../../../core/model/dictionary.ts';
import { each, type Rule } from '../../check/rule.ts';
import { fields, misfit, orNull, type Shape } from '../../check/shape.ts';
import type { Line } from '../view/lines.ts';
import type { MessageInLine, PiView } from '../view/view.ts';
import { callsOf } from '../view/walk.ts';

type PiRule = Rule<PiView>;

const of = { section: 'Event Stream', level: 'SHOULD', basis: 'measured' } as const;

/** JSON has null for the price of a model without prices. */
const figure = orNull('number');
const usage = fields({
  input: figure,
  output: figure,
  cacheRead: figure,
  cacheWrite: figure,
  totalTokens: figure,
  cost: fields({ input: figure, output: figure, cacheRead: figure, cacheWrite: figure, total: figure }),
});
const assistantFields = {
  content: ['object'],
  api: 'string',
  provider: 'string',
  model: 'string',
  timestamp: 'number',
} as const;
const assistant = fields(assistantFields);
const toolResult = fields({
  toolCallId: 'string',
  toolName: 'string',
  content: ['object'],
  isError: 'boolean',
  timestamp: 'number',
});
const user = fields({ content: { oneOf: ['string', ['object']] }, timestamp: 'number' });

const blocks: ReadonlyMap<unknown, Shape> = new Map([
  ['text', fields({ text: 'string' })],
  ['thinking', fields({ thinking: 'string' })],
  ['toolCall', fields({ id: 'string', name: 'string', arguments: 'object' })],
  ['image', fields({ data: 'string', mimeType: 'string' })],
]);

const stopReasons: ReadonlySet<unknown> = new Set(['stop', 'length', 'toolUse', 'error', 'aborted']);

const ofRole = (view: PiView, role: string): readonly MessageInLine[] =>
  view.allMessages.filter(({ message }) => message.role === role);
/** The fields of a message of the model that an update repeats. */
const soFar = fields({
  ...assistantFields,
  role: { words: ['assistant'] },
  usage,
  stopReason: 'string',
});
/** Complete messages of the model. */
const wholeOf = (view: PiView): readonly MessageInLine[] =>
  ofRole(view, 'assistant').filter(({ place }) => place !== 'message_start');

/** The fault of the content of a message or of a result; null for content without a fault, and for content that is no list. */
export function wrongBlock({ content }: Dictionary): string | null {
  if (!Array.isArray(content)) return null;
  for (const [index, block] of content.entries()) {
    const { type } = dictionaryOf(block);
    if (typeof type !== 'string') return `content[${index}].type must be a string`;
    const shape = blocks.get(type);
    const wrong = shape === undefined ? null : misfit(block, shape, `content[${index}]`);
    if (wrong !== null) return wrong;
  }
  return null;
}

/** Rules on messages of all roles. */
export const messageRules: readonly PiRule[] = [
  {
    ...of,
    id: 'pi/message-role',
    sentence: 'A message is an object with a string role.',
    covers: ['event:message_start', 'event:message_end', 'event:turn_end', 'event:agent_end', 'command:get_messages'],
    scenarios: ['text', 'tool'],
    judge: ({ allMessages }) =>
      each(allMessages, ({ message, isNone }) =>
        isNone ? 'no object' : typeof message.role === 'string' ? null : 'role must be a string',
      ),
  },
  {
    ...of,
    id: 'pi/user-message',
    sentence: 'A message of the user has content, in words or blocks, and a timestamp.',
    covers: ['event:message_start'],
    scenarios: ['text', 'image'],
    judge: (view) => each(ofRole(view, 'user'), ({ message }) => misfit(message, user, 'message')),
  },
  {
    ...of,
    id: 'pi/assistant-message',
    sentence: 'A message of the model has content in blocks, api, provider, model and a timestamp.',
    covers: ['event:message_start', 'event:message_end'],
    scenarios: ['text', 'tool'],
    judge: (view) => each(ofRole(view, 'assistant'), ({ message }) => misfit(message, assistant, 'message')),
  },
  {
    ...of,
    id: 'pi/usage',
    sentence: 'A message of the model has usage, in tokens and costs.',
    covers: ['event:message_end'],
    scenarios: ['text', 'tool'],
    judge: (view) => each(ofRole(view, 'assistant'), ({ message }) => misfit(message.usage, usage, 'usage')),
  },
  {
    ...of,
    id: 'pi/stop-reason',
    sentence: 'A message of the model says why it stopped, in a word; one that begins has a word already.',
    covers: ['event:message_start', 'event:message_end'],
    scenarios: ['text', 'tool', 'fail', 'abort'],
    judge: (view) =>
      each(ofRole(view, 'assistant'), ({ message: { stopReason } }) =>
        typeof stopReason === 'string' ? null : `stopReason is ${JSON.stringify(stopReason)}`,
      ),
  },
  {
    ...of,
    id: 'pi/stop-reason-known',
    level: 'SHOULD',
    sentence: 'The word why a message of the model stopped is stop, length, toolUse, error or aborted (up to 1.5).',
    covers: ['event:message_end'],
    scenarios: ['text', 'tool', 'fail', 'abort'],
    judge: (view) =>
      each(
        wholeOf(view).filter(({ message }) => typeof message.stopReason === 'string'),
        ({ message: { stopReason } }) =>
          stopReasons.has(stopReason)
            ? null
            : `${JSON.stringify(stopReason)} is none of ${[...stopReasons].join(', ')}`,
      ),
  },
  {
    ...of,
    id: 'pi/stop-for-tools',
    level: 'SHOULD',
    sentence: 'A message of the model that stopped for tools has a call, and one that just stopped has none.',
    covers: ['event:message_end'],
    scenarios: ['text', 'tool'],
    judge: (view) =>
      each(
        wholeOf(view).filter(({ message: { stopReason } }) => stopReason === 'toolUse' || stopReason === 'stop'),
        ({ message }) => {
          const calls = callsOf(message).length;
          if (message.stopReason === 'stop') return calls === 0 ? null : 'it stopped, and has calls';
          return calls > 0 ? null : 'it stopped for tools, and has no call';
        },
      ),
  },
  {
    ...of,
    id: 'pi/error-message',
    level: 'SHOULD',
    sentence: 'A message of the model that failed says why, in errorMessage.',
    covers: ['event:message_end'],
    scenarios: ['fail'],
    judge: (view) =>
      each(
        wholeOf(view).filter(({ message }) => message.stopReason === 'error'),
        ({ message }) => (typeof message.errorMessage === 'string' ? null : 'errorMessage must be a string'),
      ),
  },
  {
    ...of,
    id: 'pi/tool-result-message',
    sentence:
      'The result of a tool has the id and name of its call, content in blocks, and says whether it is an error.',
    covers: ['event:message_end', 'event:turn_end'],
    scenarios: ['tool', 'toolfail'],
    judge: (view) => each(ofRole(view, 'toolResult'), ({ message }) => misfit(message, toolResult, 'message')),
  },
  {
    ...of,
    id: 'pi/content-blocks',
    sentence: 'Blocks of content have a type, and text, thinking, a call or an image what it asks for.',
    covers: ['event:message_end'],
    scenarios: ['text', 'think', 'tool', 'image'],
    judge: (view) =>
      each(
        view.allMessages.filter(({ isNone }) => !isNone),
        ({ message }) => wrongBlock(message),
      ),
  },
];

/** Rules on the update events of messages. */
export const updateRules: readonly PiRule[] = [
  {
    ...of,
    id: 'pi/update-event',
    sentence: 'message_update has an assistantMessageEvent with a type, and of a block its contentIndex.',
    covers: ['event:message_update'],
    scenarios: ['text', 'think', 'tool'],
    judge: (view) =>
      each(view.of('message_update'), ({ json: { assistantMessageEvent: event } }) => {
        if (!isDictionary(event) || typeof event.type !== 'string') return 'assistantMessageEvent must have a type';
        if (!/^(?:text|thinking|toolcall)_(?:start|delta|end)$/u.test(event.type)) return null;
        const isIndex = Number.isInteger(event.contentIndex) && Number(event.contentIndex) >= 0;
        return isIndex ? null : 'contentIndex must be a number from 0 on';
      }),
  },
  {
    ...of,
    id: 'pi/delta-string',
    level: 'MUST',
    basis: 'specification',
    sentence: 'A delta is a string.',
    covers: ['update:text_delta', 'update:thinking_delta', 'update:toolcall_delta'],
    scenarios: ['text', 'think', 'tool'],
    *judge(view) {
      for (const { frame, json } of view.of('message_update')) {
        const event = dictionaryOf(json.assistantMessageEvent);
        if (!String(event.type).endsWith('_delta')) continue;
        yield { frame, wrong: typeof event.delta === 'string' ? null : 'delta must be a string' };
      }
    },
  },
  {
    ...of,
    id: 'pi/update-message',
    sentence:
      'Updates repeat the message so far, with all fields of a message of the model, in `message` and in `partial` (up to 0.83), or none of them does.',
    covers: ['event:message_update'],
    scenarios: ['text', 'think', 'tool'],
    judge(view) {
      const updates = view.of('message_update');
      const repeats = ({ json }: Line) => json.message !== undefined || partialIn(json) !== undefined;
      if (!updates.some(repeats)) return [];
      return each(
        updates,
        ({ json }) => misfit(json.message, soFar, 'message') ?? misfit(partialIn(json), soFar, 'partial'),
      );
    },
  },
];

const partialIn = ({ assistantMessageEvent: event }: Dictionary): unknown => dictionaryOf(event).partial;
