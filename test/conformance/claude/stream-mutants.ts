// Mutants for the rules on streams, for both dialects: changes to the messages of a correct agent.
import type { Dictionary } from '../../../src/core/model/content.ts';
import { dictionaryOf } from '../../../src/core/model/dictionary.ts';
import type { Mutant } from '../support/mutant.ts';

/** What replaces a message of the agent. */
export type Change = (message: Dictionary) => readonly Dictionary[];
/** Makes a mutant from changes, new for each run. */
export type Through = (change: () => Change) => Mutant['make'];

/** Replaces one message; null drops it. */
export const each = (change: (message: Dictionary) => Dictionary | null) => (): Change => (message) => {
  const changed = change(message);
  return changed === null ? [] : [changed];
};
/** Replaces messages of this type. */
export const onType = (type: string, change: (message: Dictionary) => Dictionary | null) =>
  each((message) => (message.type === type ? change(message) : message));
/** Replaces stream events of this type. */
export const onEvent = (type: string, change: (event: Dictionary) => Dictionary | null) =>
  each((message) => {
    const event = dictionaryOf(message.event);
    if (event.type !== type) return message;
    const changed = change(event);
    return changed === null ? null : { ...message, event: changed };
  });
/** Changes a field of a message. */
export const inside = (message: Dictionary, field: string, change: (value: Dictionary) => Dictionary): Dictionary => ({
  ...message,
  [field]: change(dictionaryOf(message[field])),
});
/** The message without that field. */
export const drop = (message: Dictionary, name: string): Dictionary =>
  Object.fromEntries(Object.entries(message).filter(([key]) => key !== name));

let minted = 0;
/** A unique id. */
export const mint = (): string => `00000000-0000-4000-8000-${String(++minted).padStart(12, '0')}`;
/** Another message of the same turn. */
export const beside = (message: Dictionary, more: Dictionary): Dictionary => ({
  session_id: message.session_id,
  uuid: mint(),
  ...(message.provider === undefined ? {} : { provider: message.provider }),
  ...more,
});

const eventOf = (message: Dictionary): Dictionary => dictionaryOf(message.event);
const blockIn = (message: Dictionary): Dictionary => dictionaryOf(eventOf(message).content_block);
const isEvent = (message: Dictionary, type: string): boolean => eventOf(message).type === type;
const again = (message: Dictionary, event: Dictionary): Dictionary => ({ ...message, uuid: mint(), event });

/** Sends another event after each matching one. */
const followed =
  (isIt: (message: Dictionary) => boolean, next: (message: Dictionary) => Dictionary) => (): Change => (message) =>
    isIt(message) ? [message, again(message, next(message))] : [message];

/**
 * Holds matching messages back until a releasing one, which then comes before them (`behind`) or after them (`before`).
 */
const held =
  (
    isIt: (message: Dictionary) => boolean,
    behind: (message: Dictionary) => boolean,
    before: (message: Dictionary) => boolean = () => false,
  ) =>
  (): Change => {
    let waiting: Dictionary[] = [];
    return (message) => {
      if (isIt(message)) {
        waiting.push(message);
        return [];
      }
      const isBehind = behind(message);
      if (!isBehind && !before(message)) return [message];
      const late = waiting;
      waiting = [];
      return isBehind ? [message, ...late] : [...late, message];
    };
  };

const delta = (message: Dictionary, of: Dictionary): Dictionary => ({
  type: 'content_block_delta',
  index: eventOf(message).index,
  delta: of,
});
const opens = (type: string) => (message: Dictionary) => blockIn(message).type === type;
const blocks = (message: Dictionary): readonly Dictionary[] => {
  const { content } = dictionaryOf(message.message);
  return Array.isArray(content) ? content.map(dictionaryOf) : [];
};
/** Changes the blocks of a user or assistant message. */
export const onBlocks = (message: Dictionary, change: (block: Dictionary) => Dictionary): Dictionary =>
  inside(message, 'message', (inner) => ({ ...inner, content: blocks(message).map(change) }));

/** A mutant for each rule on streams. `alsoCaughtBy`: further checks of the protocol on the same subject. */
export function streamMutants(
  through: Through,
  alsoCaughtBy: Readonly<Record<string, readonly string[]>> = {},
): Mutant[] {
  const row = (caught: string, fault: string, change: () => Change, own: readonly string[] = []): Mutant => ({
    fault,
    caughtBy: [caught],
    alsoCaughtBy: [...own, ...(alsoCaughtBy[caught] ?? [])],
    make: through(change),
  });
  return [
    row(
      'message-first',
      'messages begin without message_start',
      onEvent('message_start', () => null),
    ),
    row(
      'message-closed',
      'messages end without message_stop',
      onEvent('message_stop', () => null),
    ),
    row(
      'message-id-own',
      'all messages have one id',
      each((message) =>
        isEvent(message, 'message_start')
          ? inside(message, 'event', (event) => inside(event, 'message', (inner) => ({ ...inner, id: 'same' })))
          : message.type === 'assistant'
            ? {
                ...inside(message, 'message', (inner) => ({ ...inner, id: 'same' })),
                ...('id' in message ? { id: 'same' } : {}),
              }
            : message,
      ),
    ),
    row(
      'block-index',
      'every block has index 0',
      each((message) =>
        'index' in eventOf(message) ? inside(message, 'event', (event) => ({ ...event, index: 0 })) : message,
      ),
    ),
    row(
      'block-overlap',
      'a block stops behind the start of the next',
      held(
        (message) => isEvent(message, 'content_block_stop') && eventOf(message).index === 0,
        (message) => isEvent(message, 'content_block_start') && eventOf(message).index === 1,
        (message) => isEvent(message, 'message_delta'),
      ),
    ),
    row(
      'block-closed',
      'blocks are never closed',
      onEvent('content_block_stop', () => null),
      ['block-overlap'],
    ),
    row(
      'block-open',
      'a delta for a block that is not open',
      followed(opens('text'), () => ({
        type: 'content_block_delta',
        index: 9,
        delta: { type: 'text_delta', text: 'lost' },
      })),
    ),
    row(
      'delta-kind',
      'arguments in a text block',
      followed(opens('text'), (message) => delta(message, { type: 'input_json_delta', partial_json: '' })),
    ),
    row(
      'delta-fields',
      'a text_delta without text',
      followed(opens('text'), (message) => delta(message, { type: 'text_delta' })),
    ),
    row(
      'tool-input-json',
      'output among the arguments of a call',
      followed(opens('tool_use'), (message) => delta(message, { type: 'input_json_delta', partial_json: 'total 0\n' })),
    ),
    row(
      'message-delta-once',
      'two message_delta in one message',
      followed((message) => isEvent(message, 'message_delta'), eventOf),
    ),
    row(
      'message-delta-there',
      'messages without message_delta',
      onEvent('message_delta', () => null),
    ),
    row(
      'stop-reason',
      'every message ends with end_turn',
      onEvent('message_delta', (event) => inside(event, 'delta', (inner) => ({ ...inner, stop_reason: 'end_turn' }))),
    ),
    row(
      'assistant-id',
      'assistant messages have an id of their own',
      onType('assistant', (message) =>
        inside(message, 'message', (inner) => ({ ...inner, id: `own-${String(inner.id)}` })),
      ),
    ),
    row(
      'assistant-content',
      'assistant messages say something else',
      onType('assistant', (message) =>
        onBlocks(message, (block) => (block.type === 'text' ? { ...block, text: `${String(block.text)}!` } : block)),
      ),
    ),
    row(
      'assistant-every-block',
      'what was thought is in no assistant message',
      onType('assistant', (message) => (blocks(message).some(({ type }) => type === 'thinking') ? null : message)),
    ),
    row(
      'assistant-place',
      'assistant messages come behind their block',
      held(
        ({ type }) => type === 'assistant',
        (message) => isEvent(message, 'content_block_stop'),
      ),
    ),
  ];
}
