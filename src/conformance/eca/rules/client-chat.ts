// Rules on the prompts, approvals, stops and queries of editors. docs/protocols/eca.md 8.2, 8.6, 2.
import { dictionaryOf } from '../../../core/model/dictionary.ts';
import type { Notification, Request } from '../../check/json-rpc.ts';
import { shown } from '../../check/shape.ts';
import type { EcaRows, EcaView } from '../view/view.ts';

const covers = ['request:chat/prompt'];
const answersOf = ({ client }: EcaView): Notification[] =>
  client.notifications.filter(({ method }) => method === 'chat/toolCallApprove' || method === 'chat/toolCallReject');
const asksOf = ({ client }: EcaView, ...methods: readonly string[]): Request[] =>
  client.requests.filter(({ method }) => methods.includes(method));

/** The lists of choices that the server announced before that frame, in the fields of both eras. */
function offers(view: EcaView, before: number, documentField: string, newerFields: readonly string[]): unknown[] {
  const greeting = dictionaryOf(view.initialize?.answers[0]?.result);
  const configs = view.agent.notifications
    .filter(({ method, frame }) => method === 'config/updated' && frame < before)
    .map(({ params }) => dictionaryOf(params.chat));
  const lists = [greeting[documentField], ...configs.flatMap((chat) => newerFields.map((name) => chat[name]))];
  return lists.flatMap((list): unknown[] => (Array.isArray(list) ? list : []));
}

/** The chats in which this call waited for approval before that frame. */
function waiting({ chats }: EcaView, call: unknown, before: number): string[] {
  return [...chats.values()].flatMap(({ id, calls }) =>
    calls.some((one) => one.id === call && one.waits !== null && one.waits < before) ? [id] : [],
  );
}

/** A rule on the params of prompts. */
function prompts(
  sentence: string,
  wrongWith: (ask: Request, view: EcaView) => string | null | undefined,
): EcaRows[string] {
  return {
    section: 'Chat Prompt',
    level: 'SHOULD',
    sentence,
    covers,
    scenarios: ['text', 'think', 'fail'],
    *judge(view) {
      for (const ask of asksOf(view, 'chat/prompt')) {
        const wrong = wrongWith(ask, view);
        if (wrong !== undefined) yield { frame: ask.frame, wrong };
      }
    },
  };
}

/** Rules on chats. */
export const clientChatRows: EcaRows = {
  'prompt-model': prompts('The model of a prompt is one that the server has offered.', ({ params, frame }, view) => {
    const { model } = params;
    if (model === undefined || model === null) return undefined;
    const known = offers(view, frame, 'models', ['models']);
    if (typeof model !== 'string') return `model is ${shown(model)}`;
    return known.length === 0 || known.includes(model) ? null : `model ${shown(model)} was not offered`;
  }),
  'prompt-behavior': prompts(
    'The behavior of a prompt, today its agent, is a word that the server has offered.',
    ({ params, frame }, view) => {
      const chosen = [params.behavior, params.agent].filter((one) => one !== undefined && one !== null);
      if (chosen.length === 0) return undefined;
      const known = offers(view, frame, 'chatBehaviors', ['behaviors', 'agents']);
      const strange = chosen.find((one) => typeof one !== 'string' || (known.length > 0 && !known.includes(one)));
      return strange === undefined ? null : `${shown(strange)} was not offered`;
    },
  ),
  'answer-waiting': {
    section: 'Chat approve tool call',
    sentence: 'A call that is approved or rejected is one that waits.',
    covers: ['notification:chat/toolCallApprove', 'notification:chat/toolCallReject'],
    scenarios: ['tool', 'approval', 'two-approvals'],
    reads: 'both',
    *judge(view) {
      // Without the beginning of the conversation the call may already wait.
      if (view.initialize === null) return;
      for (const { frame, params, method } of answersOf(view)) {
        if (typeof params.toolCallId !== 'string') continue;
        const isWaiting = waiting(view, params.toolCallId, frame).length > 0;
        yield { frame, wrong: isWaiting ? null : `${method} of ${shown(params.toolCallId)}, which does not wait` };
      }
    },
  },
  'answer-chat': {
    section: 'Chat approve tool call',
    sentence: 'A call is approved or rejected in its own chat.',
    covers: ['notification:chat/toolCallApprove', 'notification:chat/toolCallReject'],
    scenarios: ['approval'],
    reads: 'both',
    *judge(view) {
      for (const { frame, params } of answersOf(view)) {
        const own = waiting(view, params.toolCallId, frame);
        if (own.length === 0 || typeof params.chatId !== 'string') continue;
        const wrong = own.includes(params.chatId)
          ? null
          : `the call is of chat ${shown(own[0])}, not ${shown(params.chatId)}`;
        yield { frame, wrong };
      }
    },
  },
  'answer-once-each': {
    section: 'Chat reject tool call',
    sentence: 'A call is approved or rejected once.',
    covers: ['notification:chat/toolCallApprove', 'notification:chat/toolCallReject'],
    scenarios: ['approval', 'two-approvals'],
    *judge(view) {
      const seen = new Set<unknown>();
      for (const { frame, params } of answersOf(view)) {
        const key = JSON.stringify([params.chatId, params.toolCallId]);
        yield { frame, wrong: seen.has(key) ? `${shown(params.toolCallId)} is answered again` : null };
        seen.add(key);
      }
    },
  },
  'stop-known': {
    section: 'Chat stop prompt',
    sentence: 'A stop names a chat that was prompted.',
    covers: ['notification:chat/promptStop'],
    scenarios: ['stop'],
    reads: 'both',
    *judge(view) {
      if (view.initialize === null) return;
      for (const { frame, method, params } of view.client.notifications) {
        if (method !== 'chat/promptStop') continue;
        const chat = typeof params.chatId === 'string' ? view.chats.get(params.chatId) : undefined;
        const isKnown = chat?.events.some((event) => event.is !== 'stop' && event.frame < frame) === true;
        yield { frame, wrong: isKnown ? null : `chat ${shown(params.chatId)} was not prompted` };
      }
    },
  },
};
