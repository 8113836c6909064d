// Rules on single messages of the dialect that are no shape: their types, nulls and copied ids (docs/protocols/rpc-message.md
// 3.2, 4.1).
import { dictionaryOf, isDictionary } from '../../../core/model/dictionary.ts';
import { each } from '../../check/rule.ts';
import { messageTypes } from '../shapes/places.ts';
import { type Row, rpcRules } from './rpc-rule.ts';

const types: ReadonlySet<string> = new Set(messageTypes);
/** Fields whose content belongs to a tool or to a foreign block; the dialect says nothing about it. */
const payloads: ReadonlySet<string> = new Set(['input', 'data', 'tool_input', 'tool_use_result', 'modelUsage']);

const everyType = messageTypes.map((type) => `message:${type}`);

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
  'assistant-top-id': {
    section: '4.1',
    sentence:
      'An assistant message has the id of its message at the top, by which the front end tells it from what streamed.',
    scenarios: ['text', 'tools'],
    covers: ['message:assistant'],
    level: 'SHOULD',
    isMeasured: true,
    judge: ({ messages }) =>
      each(
        messages.filter(({ type }) => type === 'assistant'),
        ({ json: { id, message } }) =>
          typeof id === 'string' && id === dictionaryOf(message).id ? null : `its id is ${String(id)}`,
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
