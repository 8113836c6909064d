// The content types and their required fields. docs/protocols/eca.md 8.3, and 1, 3 and 4 where real servers differ from
// the document.
import { fields, orNull, type Shape } from '../../check/shape.ts';
import type { Content } from '../view/chat-events.ts';
import type { EcaRule } from '../view/view.ts';
import { optional } from './values.ts';

const turns = ['tool'];

const call = {
  id: 'string',
  name: 'string',
  origin: 'string',
  'server?': optional('string'),
  'summary?': optional('string'),
} as const;
/** The check of one content type, and the scenarios that produce the type. */
export interface Kind {
  readonly type: string;
  readonly basis: EcaRule['basis'];
  readonly sentence: string;
  readonly shape: Shape;
  readonly scenarios: readonly string[];
  more?(content: Content): string | null;
}

/** Content types of the document and of newer servers. */
export const kinds: readonly Kind[] = [
  {
    type: 'text',
    basis: 'measured',
    sentence:
      'A text has a text; that of the system may be null, as early servers send it where a model is unsupported.',
    shape: fields({ 'text?': optional('string') }),
    scenarios: ['text'],
    more: ({ role, content }) =>
      typeof content.text === 'string' || (role === 'system' && content.text === null)
        ? null
        : 'content.text must be a string',
  },
  {
    type: 'progress',
    basis: 'measured',
    sentence: 'A progress has a state, and a text where that is running.',
    shape: fields({ state: 'string', 'text?': optional('string') }),
    scenarios: ['text'],
    more(content) {
      const { state, text } = content.content;
      return state === 'running' && typeof text !== 'string' ? 'content.text must be a string' : null;
    },
  },
  {
    type: 'usage',
    basis: 'measured',
    sentence: 'A usage has tokens as numbers and costs as words, those of early servers or those of today.',
    shape: fields({
      'messageInputTokens?': optional('number'),
      'messageOutputTokens?': optional('number'),
      sessionTokens: 'number',
      'messageCost?': optional('string'),
      'lastMessageCost?': optional('string'),
      'sessionCost?': optional('string'),
      'limit?': optional(fields({ 'context?': optional('number'), 'output?': optional('number') })),
    }),
    scenarios: ['text'],
  },
  {
    type: 'url',
    basis: 'specification',
    sentence: 'A url has a title and a url.',
    shape: fields({ title: 'string', url: 'string' }),
    scenarios: turns,
  },
  {
    type: 'image',
    basis: 'measured',
    sentence: 'An image (since 0.131) has a mediaType and its bytes as base64.',
    shape: fields({ mediaType: 'string', base64: 'string' }),
    scenarios: turns,
  },
  {
    type: 'metadata',
    basis: 'measured',
    sentence: 'A metadata has a title.',
    shape: fields({ title: 'string' }),
    scenarios: turns,
  },
  {
    type: 'reasonStarted',
    basis: 'specification',
    sentence: 'A reason that starts has an id.',
    shape: fields({ id: 'string' }),
    scenarios: ['think'],
  },
  {
    type: 'reasonText',
    basis: 'specification',
    sentence: 'A text of a reason has an id and a text.',
    shape: fields({ id: 'string', text: 'string' }),
    scenarios: ['think'],
  },
  {
    type: 'reasonFinished',
    basis: 'specification',
    sentence: 'A reason that is finished has an id, and since 0.49 may have its time as a number.',
    shape: fields({ id: 'string', 'totalTimeMs?': optional('number') }),
    scenarios: ['think'],
  },
  {
    type: 'toolCallPrepare',
    basis: 'specification',
    sentence: 'A call that is prepared has id, name, origin and the text of its arguments.',
    shape: fields({ ...call, argumentsText: 'string', 'manualApproval?': optional('boolean') }),
    scenarios: ['tool'],
  },
  {
    type: 'toolCallRun',
    basis: 'specification',
    sentence: 'A call that is run has id, name, origin, its arguments as an object, and whether it needs approval.',
    shape: fields({ ...call, arguments: 'object', manualApproval: 'boolean' }),
    scenarios: ['tool'],
  },
  {
    type: 'toolCallRunning',
    basis: 'measured',
    sentence: 'A call that is running (since 0.48) has id, name, origin and its arguments as an object.',
    shape: fields({ ...call, arguments: 'object' }),
    scenarios: ['tool'],
  },
  {
    type: 'toolCalled',
    basis: 'measured',
    sentence: 'A call that is done has id, name, origin, arguments, whether it failed, and its outputs.',
    shape: fields({
      ...call,
      arguments: 'object',
      error: 'boolean',
      outputs: [fields({ type: 'string' })],
      'totalTimeMs?': optional('number'),
    }),
    scenarios: ['tool'],
  },
  {
    type: 'toolCallRejected',
    basis: 'measured',
    sentence:
      'A call that is rejected has id, name, origin, a reason, and its arguments, or null where they were not known yet.',
    shape: fields({ ...call, 'arguments?': orNull('object'), reason: 'string' }),
    scenarios: ['reject'],
  },
];
