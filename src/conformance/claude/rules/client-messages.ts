// Rules on what a Claude client sends by itself: prompts and requests (docs/protocols/claude.md 3.3, 3.4).
import { dictionaryOf, isDictionary } from '../../../core/model/dictionary.ts';
import { each, type Finding } from '../../check/rule.ts';
import { unknownInBlock } from '../view/prompt-blocks.ts';
import type { View } from '../view/view.ts';
import { clientRules } from './client-rule.ts';

const anything = ['text', 'permission', 'endless'];

/** Message types that only agents send. */
const agentTypes: ReadonlySet<string> = new Set(['assistant', 'result', 'stream_event', 'system', 'tool_progress']);
const clientTypes: ReadonlySet<string> = new Set([
  ...['user', 'control_request', 'control_response', 'control_cancel_request'],
  ...['keep_alive', 'auth', 'update_environment_variables'],
]);

/** The content of every prompt whose content is a list. */
const blocksIn = ({ prompts }: View) =>
  prompts.flatMap(({ frame, content }) => {
    const list: readonly unknown[] = Array.isArray(content) ? content : [];
    return list.map((block) => ({ frame, block }));
  });

function* uniqueIn(items: readonly { readonly frame: number; readonly id: unknown }[]): Generator<Finding> {
  const seen = new Set<unknown>();
  for (const { frame, id } of items) {
    yield { frame, wrong: seen.has(id) ? `${JSON.stringify(id)} was used before` : null };
    seen.add(id);
  }
}

/** Rules on prompts and requests. */
export const messageRules = clientRules({
  'message-object': {
    isSpecified: true,
    sentence: 'Everything that a client says is a JSON object with a type.',
    scenarios: anything,
    covers: ['message:user'],
    *judge({ trace }) {
      for (const [frame, { by, json, text }] of trace.frames.entries()) {
        if (by !== 'client' || text.trim() === '') continue;
        const isOne = isDictionary(json) && typeof json.type === 'string' && json.type !== '';
        yield { frame, wrong: isOne ? null : `no message: ${text.slice(0, 100)}` };
      }
    },
  },
  'message-type': {
    sentence: 'A client says what is a client’s to say: prompts, control messages, keep_alive.',
    scenarios: anything,
    covers: ['message:user'],
    judge: ({ fromClient }) =>
      each(fromClient, ({ type }) => (agentTypes.has(type) ? `${type} is what an agent says` : null)),
  },
  'message-known': {
    level: 'MAY',
    sentence: 'A client says nothing that this version of Claude Code does not know.',
    scenarios: anything,
    covers: ['message:user'],
    judge: ({ fromClient }) =>
      each(
        fromClient.filter(({ type }) => !agentTypes.has(type)),
        ({ type }) => (clientTypes.has(type) ? null : `nobody knows ${type}`),
      ),
  },
  'prompt-content': {
    level: 'SHOULD',
    sentence: 'A prompt says something.',
    scenarios: anything,
    covers: ['message:user'],
    judge: ({ prompts }) =>
      each(
        prompts.filter(({ content }) => typeof content === 'string' || Array.isArray(content)),
        ({ content }) => (content === '' || (Array.isArray(content) && content.length === 0) ? 'it is empty' : null),
      ),
  },
  'block-known': {
    sentence: 'The blocks of a prompt, their sources and the kinds of pictures are those of the Messages API.',
    scenarios: anything,
    covers: ['message:user'],
    judge: (view) => each(blocksIn(view), ({ block }) => unknownInBlock(block)),
  },
  'prompt-uuid': {
    sentence: 'Prompts that have a uuid have one of their own.',
    scenarios: anything,
    covers: ['message:user'],
    judge: ({ prompts }) =>
      uniqueIn(
        prompts.flatMap(({ frame, json }) =>
          json.uuid === undefined || json.uuid === null ? [] : [{ frame, id: json.uuid }],
        ),
      ),
  },
  'initialize-first': {
    level: 'SHOULD',
    sentence: 'initialize comes before the first prompt and every other request.',
    scenarios: anything,
    covers: ['control:initialize'],
    *judge({ fromClient, isComplete, requests: all }) {
      const first = fromClient.find(({ type }) => type === 'user' || type === 'control_request');
      // A recording may begin after the greeting.
      const isGreeted = all.some((one) => one.subtype === 'initialize');
      if (first === undefined || !(isComplete || isGreeted)) return;
      const { subtype } = dictionaryOf(first.json.request);
      yield { frame: first.frame, wrong: subtype === 'initialize' ? null : 'initialize has not come' };
    },
  },
  'request-unique': {
    sentence: 'Every request has a request_id of its own.',
    scenarios: anything,
    covers: ['message:control_request'],
    judge: ({ requests: all }) => uniqueIn(all.filter(({ id }) => typeof id === 'string')),
  },
});
