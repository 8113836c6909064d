// Rules on prompts: the answer, the echo, the run and its end. docs/protocols/eca.md 8.2, 4.
import { dictionaryOf } from '../../../core/model/dictionary.ts';
import type { Request } from '../../check/json-rpc.ts';
import { answered } from '../../check/json-rpc-findings.ts';
import { shown } from '../../check/shape.ts';
import type { Content } from '../view/chat-events.ts';
import { chatOf, type EcaRows, type EcaView, promptResult } from '../view/view.ts';

const conversations = ['text'];
const covers = ['request:chat/prompt'];

/** Prompts with a text; a message without one is no prompt. */
const promptsOf = ({ client }: EcaView): Request[] =>
  client.requests.filter(({ method, params }) => method === 'chat/prompt' && typeof params.message === 'string');
const wordsOf = ({ params }: Request): string => String(params.message).trim();
const isOfUser = ({ role, type }: Content): boolean => role === 'user' && type === 'text';

/** Rules on prompts. */
export const promptRows: EcaRows = {
  'prompt-answered': {
    section: 'Chat Prompt',
    sentence: 'Each `chat/prompt` is answered, before, while or after it is played.',
    covers,
    scenarios: conversations,
    reads: 'both',
    *judge(view) {
      yield* answered(
        view,
        promptsOf(view).filter(({ isExcused }) => !isExcused),
      );
    },
  },
  'prompt-chat-kept': {
    section: 'Chat Prompt',
    sentence: 'A prompt that names a chat is answered with that chat.',
    covers,
    scenarios: conversations,
    reads: 'both',
    *judge(view) {
      for (const ask of promptsOf(view)) {
        const { chatId } = ask.params;
        const answeredId = promptResult(ask)?.chatId;
        if (typeof chatId !== 'string' || typeof answeredId !== 'string') continue;
        const wrong =
          answeredId === chatId ? null : `asked for chat ${shown(chatId)}, answered with ${shown(answeredId)}`;
        yield { frame: ask.answers[0]?.frame ?? ask.frame, wrong };
      }
    },
  },
  'prompt-new-chat': {
    section: 'Chat Prompt',
    sentence: 'A prompt that names no chat begins a new one.',
    covers,
    scenarios: ['text'],
    reads: 'both',
    *judge(view) {
      const known = new Set<unknown>();
      for (const ask of promptsOf(view)) {
        const { chatId } = ask.params;
        const answeredId = promptResult(ask)?.chatId;
        if (typeof answeredId !== 'string') continue;
        const isNew = chatId === undefined || chatId === null;
        const wrong = known.has(answeredId) ? `chat ${shown(answeredId)} is not new` : null;
        if (isNew) yield { frame: ask.answers[0]?.frame ?? ask.frame, wrong };
        known.add(answeredId);
      }
    },
  },
  'prompt-without-message': {
    section: 'Chat Prompt',
    isMeasured: true,
    sentence: 'A prompt without a message is answered with an error.',
    covers,
    scenarios: ['odd'],
    reads: 'both',
    *judge(view) {
      const asks = view.client.requests.filter(
        ({ method, params }) => method === 'chat/prompt' && params.message === undefined,
      );
      for (const { answers, frame } of asks) {
        const [answer] = answers;
        if (answer === undefined && !view.isComplete) continue;
        const isRight = answer !== undefined && 'error' in answer.json;
        yield { frame: answer?.frame ?? frame, wrong: isRight ? null : `the answer is ${shown(answer?.json)}` };
      }
    },
  },
  'chats-apart': {
    section: 'Chat Prompt',
    sentence: 'What belongs to a chat is told of that chat: the words of a prompt are in no other.',
    covers: [...covers, 'notification:chat/contentReceived'],
    scenarios: ['two chats', 'text'],
    reads: 'both',
    *judge(view) {
      const asks = view.prompts;
      for (const ask of asks) {
        const own = chatOf(ask);
        const words = wordsOf(ask);
        // A text that was sent to two chats identifies neither.
        const isMark = words !== '' && asks.every((one) => chatOf(one) === own || wordsOf(one) !== words);
        if (own === null || !isMark) continue;
        // A chat that is forked or opened tells its past before it is prompted.
        const isPrompted = ({ params, frame }: Content) =>
          asks.some((one) => chatOf(one) === params.chatId && one.frame < frame);
        const other = view.contents.find(
          (one) =>
            isOfUser(one) && one.params.chatId !== own && String(one.content.text).trim() === words && isPrompted(one),
        );
        const wrong = other && `words of chat ${shown(own)} are told in ${shown(other.params.chatId)}`;
        yield { frame: other?.frame ?? ask.frame, wrong: wrong ?? null };
      }
    },
  },
  'chats-named': {
    section: 'Chat Content Received',
    sentence: 'Contents are of a chat that the client has prompted or opened, or that belongs to one.',
    covers: ['notification:chat/contentReceived'],
    scenarios: conversations,
    reads: 'both',
    *judge(view) {
      if (view.initialize === null) return;
      const named = new Set<unknown>();
      for (const { params, method, answers } of view.client.requests) {
        named.add(params.chatId);
        for (const { result } of answers) if (method.startsWith('chat/')) named.add(dictionaryOf(result).chatId);
      }
      for (const { method, params } of view.agent.notifications) if (method === 'chat/opened') named.add(params.chatId);
      for (const { id, isOfSubAgent, events } of view.chats.values()) {
        const first = events.find(({ is }) => is === 'content');
        if (first === undefined || isOfSubAgent) continue;
        // The answer with the chat's id may have been cut off.
        if (!named.has(id) && !view.isComplete) continue;
        yield { frame: first.frame, wrong: named.has(id) ? null : `nobody has named chat ${shown(id)}` };
      }
    },
  },
  'request-id-kept': {
    section: 'Chat Prompt',
    isMeasured: true,
    sentence: 'A content that names a requestId, as those of early servers do, names that of a prompt of its chat.',
    covers,
    scenarios: conversations,
    reads: 'both',
    *judge(view) {
      if (view.initialize === null) return;
      for (const { frame, params } of view.contents) {
        const { requestId, chatId } = params;
        if (requestId === undefined || requestId === null) continue;
        const known = view.prompts.filter((ask) => chatOf(ask) === chatId).map((ask) => ask.params.requestId);
        if (known.length > 0)
          yield { frame, wrong: known.includes(requestId) ? null : `requestId ${shown(requestId)}` };
      }
    },
  },
};
