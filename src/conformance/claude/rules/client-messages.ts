// Rules on what a Claude client sends by itself: prompts and requests (docs/protocols/claude.md 3.3, 3.4).
import type { Dictionary } from '../../../core/model/content.ts';
import { dictionaryOf, isDictionary } from '../../../core/model/dictionary.ts';
import { each, type Finding } from '../../check/rule.ts';
import { fields, misfit, orNull, type Shape } from '../../check/shape.ts';
import { unknownInBlock } from '../view/prompt-blocks.ts';
import type { Message, View } from '../view/view.ts';
import { clientRules } from './client-rule.ts';

const anything = ['text', 'permission', 'endless'];

/** Message types that only agents send. */
const agentTypes: ReadonlySet<string> = new Set(['assistant', 'result', 'stream_event', 'system', 'tool_progress']);
const clientTypes: ReadonlySet<string> = new Set([
  ...['user', 'control_request', 'control_response', 'control_cancel_request'],
  ...['keep_alive', 'auth', 'update_environment_variables'],
]);

const source: Shape = {
  oneOf: [
    fields({ type: 'string', media_type: 'string', data: 'string' }),
    fields({ type: 'string', url: 'string' }),
    fields({ type: 'string', file_id: 'string' }),
    fields({ type: 'string', content: 'any' }),
  ],
};
const blocks: ReadonlyMap<unknown, Shape> = new Map([
  ['text', fields({ text: 'string' })],
  ['image', fields({ source })],
  ['document', fields({ source })],
  ['tool_result', fields({ tool_use_id: 'string' })],
]);

const optionalText: Shape = { oneOf: ['string', 'null'] };
const requests: ReadonlyMap<string, Shape> = new Map([
  ['set_model', fields({ 'model?': optionalText })],
  ['set_permission_mode', fields({ mode: 'string' })],
  ['set_max_thinking_tokens', fields({ max_thinking_tokens: orNull('number') })],
]);

const matcher = fields({ hookCallbackIds: ['string'], 'matcher?': optionalText });

function initializeFault({ hooks, sdkMcpServers, systemPrompt }: Dictionary): string | null {
  if (hooks !== undefined && hooks !== null && !isDictionary(hooks)) return 'hooks must be an object';
  for (const [event, matchers] of Object.entries(dictionaryOf(hooks))) {
    const fault = misfit(matchers, [matcher], `hooks.${event}`);
    if (fault !== null) return fault;
  }
  if (sdkMcpServers !== undefined) {
    const fault = misfit(sdkMcpServers, ['string'], 'sdkMcpServers');
    if (fault !== null) return fault;
  }
  const words: Shape = { oneOf: ['string', 'null', ['string']] };
  return systemPrompt === undefined ? null : misfit(systemPrompt, words, 'systemPrompt');
}

/** The content of every prompt whose content is a list. */
const blocksIn = ({ prompts }: View) =>
  prompts.flatMap(({ frame, content }) => {
    const list: readonly unknown[] = Array.isArray(content) ? content : [];
    return list.map((block) => ({ frame, block }));
  });

const parents = (view: View): readonly Message[] =>
  view.fromClient.filter(({ type, json }) => type === 'user' && json.parent_tool_use_id !== undefined);

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
  'prompt-shape': {
    isSpecified: true,
    sentence: 'A prompt has a message of the user with content, a text or a list.',
    scenarios: anything,
    covers: ['message:user'],
    judge: ({ prompts }) =>
      each(prompts, ({ json }) => {
        const content: Shape = { oneOf: ['string', ['object']] };
        const { role } = dictionaryOf(json.message);
        if (role !== 'user') return `the role is ${JSON.stringify(role)}`;
        return misfit(json.message, fields({ content }), 'message');
      }),
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
  'block-type': {
    isSpecified: true,
    sentence: 'Every block of a prompt has a type.',
    scenarios: anything,
    covers: ['message:user'],
    judge: (view) => each(blocksIn(view), ({ block }) => misfit(block, fields({ type: 'string' }), 'block')),
  },
  'block-fields': {
    isSpecified: true,
    sentence: 'A block has what its type needs: text, the source of an image, the id of the call that a result is of.',
    scenarios: anything,
    covers: ['message:user'],
    judge: (view) =>
      each(
        blocksIn(view).filter(({ block }) => isDictionary(block) && blocks.has(block.type)),
        ({ block }) => misfit(block, blocks.get(dictionaryOf(block).type) ?? 'any', 'block'),
      ),
  },
  'block-known': {
    sentence: 'The blocks of a prompt, their sources and the kinds of pictures are those of the Messages API.',
    scenarios: anything,
    covers: ['message:user'],
    judge: (view) => each(blocksIn(view), ({ block }) => unknownInBlock(block)),
  },
  'prompt-parent': {
    sentence: 'parent_tool_use_id is the id of a call, or null.',
    scenarios: anything,
    covers: ['message:user'],
    judge: (view) => each(parents(view), ({ json }) => misfit(json.parent_tool_use_id, optionalText, 'it')),
  },
  'prompt-session': {
    sentence: 'The session_id of a prompt is a text, be it empty.',
    scenarios: anything,
    covers: ['message:user'],
    judge: ({ prompts }) =>
      each(
        prompts.filter(({ json }) => json.session_id !== undefined),
        ({ json }) => misfit(json.session_id, 'string', 'session_id'),
      ),
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
  'initialize-shape': {
    sentence: 'What initialize registers can be called: hooks by ids, tool servers by names.',
    scenarios: anything,
    covers: ['control:initialize'],
    judge: ({ requests: all }) =>
      each(
        all.filter(({ subtype }) => subtype === 'initialize'),
        ({ request }) => initializeFault(request),
      ),
  },
  'request-shape': {
    sentence: 'A request has a request_id and says what it asks for.',
    scenarios: anything,
    covers: ['message:control_request'],
    judge: ({ requests: all }) =>
      each(all, ({ id, request }) => {
        if (typeof id !== 'string' || id === '') return 'it has no request_id';
        return misfit(request, fields({ subtype: 'string' }), 'request');
      }),
  },
  'request-unique': {
    sentence: 'Every request has a request_id of its own.',
    scenarios: anything,
    covers: ['message:control_request'],
    judge: ({ requests: all }) => uniqueIn(all.filter(({ id }) => typeof id === 'string')),
  },
  'request-fields': {
    sentence: 'A setting has its value: set_model, set_permission_mode, set_max_thinking_tokens.',
    scenarios: anything,
    covers: ['control:set_model', 'control:set_permission_mode'],
    judge: ({ requests: all }) =>
      each(
        all.filter(({ subtype }) => requests.has(subtype)),
        ({ subtype, request }) => misfit(request, requests.get(subtype) ?? 'any', subtype),
      ),
  },
});
