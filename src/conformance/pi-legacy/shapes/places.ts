// The places of pi-legacy's lines that have a shape, by the kind of line.
import type { Dictionary } from '../../../core/model/content.ts';
import { dictionaryOf, isDictionary } from '../../../core/model/dictionary.ts';
import type { Place } from '../../check/rule.ts';
import { type Places, type Reader, readersOf } from '../../check/shape-rows.ts';
import { contentOf } from '../view/blocks.ts';
import type { Line, View } from '../view/parts.ts';

interface Seen {
  readonly frame: number;
  readonly value: unknown;
  readonly message: Dictionary;
  readonly isEnd: boolean;
}

/** Every message where it begins and where it ends, up to the frame that spoils the session; repetitions are compared with these. */
export function* messagesIn({ agent, spoiledFrom }: View, role?: string): Generator<Seen> {
  for (const { frame, type, json } of agent) {
    if (type !== 'message_start' && type !== 'message_end') continue;
    const message = dictionaryOf(json.message);
    if (role !== undefined && message.role !== role) continue;
    if (message.role === 'user' && frame > spoiledFrom) continue;
    yield { frame, value: json.message, message, isEnd: type === 'message_end' };
  }
}

const placeOf = ({ frame, type, json }: Line): Place => ({ frame, value: json, as: type === '' ? 'line' : type });
const ofAgent =
  (type: string): Reader<View> =>
  ({ agent }) =>
    agent.filter((line) => line.type === type).map(placeOf);
const ofClient =
  (type: string): Reader<View> =>
  ({ client }) =>
    client.filter((line) => line.type === type).map(placeOf);

const messages = (role: string, fits: (seen: Seen) => boolean = () => true): Reader<View> =>
  function* (view): Generator<Place> {
    for (const seen of messagesIn(view, role))
      if (fits(seen)) yield { frame: seen.frame, value: seen.value, as: 'message' };
  };
/** The blocks of messages of one role, or of all. */
const blocks = (role: string | undefined, fits: (block: unknown) => boolean = () => true): Reader<View> =>
  function* (view): Generator<Place> {
    for (const { frame, message } of messagesIn(view, role))
      for (const value of contentOf(message)) if (fits(value)) yield { frame, value, as: 'block' };
  };

/** Of what agents say. */
export const agentPlaces = {
  line: ({ agent }) => agent.map(placeOf),
  ...readersOf('event:', ['agent_end', 'turn_end', 'message_start', 'message_update', 'message_end', 'error'], ofAgent),
  ...readersOf('event:', ['tool_execution_start', 'tool_execution_end'], ofAgent),
  *update({ agent }) {
    for (const { frame, type, json } of agent) {
      const { assistantMessageEvent: value } = json;
      if (type === 'message_update' && isDictionary(value)) yield { frame, value, as: 'assistantMessageEvent' };
    }
  },
  *'answer so far'({ agent }) {
    for (const { frame, type, json } of agent) {
      if (type !== 'message_update') continue;
      yield { frame, value: json.message, as: 'message' };
      yield { frame, value: dictionaryOf(json.assistantMessageEvent).partial, as: 'partial' };
    }
  },
  ...readersOf('message of ', ['user', 'assistant', 'toolResult'], (role) => messages(role)),
  'answer that failed': messages('assistant', ({ isEnd, message }) => isEnd && message.stopReason === 'error'),
  *'message of a run'({ agent }) {
    for (const { frame, type, json } of agent)
      if (type === 'agent_end' && Array.isArray(json.messages))
        for (const value of json.messages) yield { frame, value, as: 'message' };
  },
  ...readersOf('block of ', ['user', 'assistant', 'toolResult'], (role) => blocks(role)),
  ...readersOf('content:', ['text', 'thinking', 'image', 'toolCall'], (type) =>
    blocks(undefined, (block) => dictionaryOf(block).type === type),
  ),
} satisfies Places<View, string>;

const withFiles: Reader<View> = (view) =>
  [...ofClient('prompt')(view)].filter(({ value }) => dictionaryOf(value).attachments !== undefined);
/** The attachments of all prompts. */
export function* filesIn(view: View): Generator<Place & { readonly value: Dictionary }> {
  for (const { frame, value } of withFiles(view)) {
    const { attachments } = dictionaryOf(value);
    if (Array.isArray(attachments))
      for (const file of attachments) if (isDictionary(file)) yield { frame, value: file, as: 'attachment' };
  }
}

/** Of what clients say. */
export const clientPlaces = {
  line: ({ client }) => client.map(placeOf),
  ...readersOf('command:', ['prompt', 'compact'], ofClient),
  'prompt with attachments': withFiles,
  attachment: filesIn,
  document: (view) => [...filesIn(view)].filter(({ value }) => value.type === 'document'),
} satisfies Places<View, string>;
