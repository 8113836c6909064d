// ECA servers that answer or run prompts wrongly.
import { dictionaryOf } from '../../../../src/core/model/dictionary.ts';
import { dropsOutput, type Mutant } from '../../support/mutant.ts';
import {
  alone,
  answer,
  asking,
  behind,
  contentOf,
  having,
  isContent,
  isFinished,
  isOfModel,
  isOfUser,
  isRunning,
  params,
  silentAt,
  told,
  unanswered,
} from './changes.ts';

export const promptMutants: readonly Mutant[] = [
  {
    fault: 'prompts are not answered',
    caughtBy: ['prompt-answered'],
    alsoCaughtBy: ['chats-named', 'chats-apart'],
    make: unanswered('chat/prompt'),
  },
  {
    fault: 'prompts are refused',
    caughtBy: ['prompt-taken'],
    alsoCaughtBy: ['chats-named', 'unknown-fields'],
    make: answer('chat/prompt', ({ id }) => ({ jsonrpc: '2.0', id, error: { code: -32603, message: 'no' } })),
  },
  {
    fault: 'prompts are answered with a chat of another name',
    caughtBy: ['prompt-chat-kept'],
    alsoCaughtBy: [
      'prompt-finished',
      'prompt-echoed',
      'chats-apart',
      'stop-frees',
      'chats-named',
      'approval-asked',
      'stop-finishes',
      'finished-once',
      'run-begins',
    ],
    make: asking((methodOf, requestOf) => ({
      out(frame, link) {
        const isNamed = dictionaryOf(requestOf(frame).params).chatId !== undefined;
        if (methodOf(frame) !== 'chat/prompt' || !isNamed || !('result' in frame)) return [frame];
        queueMicrotask(() => link.close());
        return [{ ...frame, result: { ...dictionaryOf(frame.result), chatId: 'another' } }];
      },
    })),
  },
  {
    fault: 'all prompts without a chat go to one',
    caughtBy: ['prompt-new-chat'],
    alsoCaughtBy: ['delete-quiet', 'query-chat-kept'],
    make: alone(() => {
      let first: unknown;
      return {
        in: (frame) => {
          const own = dictionaryOf(frame.params);
          if (frame.method !== 'chat/prompt' || own.chatId !== undefined || first === undefined) return [frame];
          return [{ ...frame, params: { ...own, chatId: first } }];
        },
        out(frame) {
          first ??= dictionaryOf(frame.params).chatId;
          return [frame];
        },
      };
    }),
  },
  {
    fault: 'a prompt without words is taken',
    caughtBy: ['prompt-without-message'],
    make: asking((methodOf) => ({
      out: (frame) =>
        methodOf(frame) === 'chat/prompt' && 'error' in frame
          ? [{ jsonrpc: '2.0', id: frame.id, result: { chatId: 'some', model: 'm', status: 'success' } }]
          : [frame],
    })),
  },
  { fault: 'the words of the user are not told', caughtBy: ['prompt-echoed'], make: dropsOutput(isOfUser) },
  {
    fault: 'the words of the user come behind the first of the model',
    caughtBy: ['echo-first'],
    make: alone(() => {
      const held = new Map<unknown, Record<string, unknown>>();
      return {
        out(frame) {
          const { chatId } = dictionaryOf(frame.params);
          if (isOfUser(frame)) {
            held.set(chatId, frame);
            return [];
          }
          const echo = held.get(chatId);
          if (echo === undefined || !(isOfModel(frame) || isFinished(frame))) return [frame];
          held.delete(chatId);
          return isFinished(frame) ? [echo, frame] : [frame, echo];
        },
      };
    }),
  },
  {
    fault: 'words are told in another chat as well',
    caughtBy: ['chats-apart'],
    alsoCaughtBy: ['stop-idle', 'delete-quiet'],
    make: alone(() => {
      const chats = new Set<unknown>();
      return {
        out(frame) {
          const { chatId } = dictionaryOf(frame.params);
          const other = [...chats].find((one) => one !== chatId);
          if (isContent(frame)) chats.add(chatId);
          if (!isOfUser(frame) || other === undefined) return [frame];
          return [frame, { ...frame, params: { ...dictionaryOf(frame.params), chatId: other } }];
        },
      };
    }),
  },
  {
    fault: 'words in a chat that nobody knows',
    caughtBy: ['chats-named'],
    make: behind(isFinished, (frame) => ({
      ...told(frame, 'system', { type: 'text', text: 'here?' }),
      params: { chatId: 'nobody-knows', role: 'system', content: { type: 'text', text: 'here?' } },
    })),
  },
  {
    fault: 'contents name a request that was none',
    caughtBy: ['request-id-kept'],
    make: params(isContent, having({ requestId: 'nobody' })),
  },
  {
    fault: 'the model speaks while nothing runs',
    caughtBy: ['run-begins'],
    make: dropsOutput(isRunning),
  },
  {
    fault: 'runs do not finish',
    caughtBy: ['prompt-finished'],
    alsoCaughtBy: ['stop-finishes'],
    make: silentAt(isFinished),
  },
  {
    fault: 'runs finish twice',
    caughtBy: ['finished-once'],
    make: behind(isFinished, (frame) => frame),
  },
  {
    fault: 'the model speaks after the end',
    caughtBy: ['finished-last'],
    alsoCaughtBy: ['stop-idle', 'stop-quiet', 'delete-quiet'],
    make: behind(isFinished, (frame) => told(frame, 'assistant', { type: 'text', text: 'and another thing' })),
  },
  {
    fault: 'a run that fails ends without a word',
    caughtBy: ['failure-told'],
    make: alone(() => {
      const failed = new Set<unknown>();
      return {
        out(frame) {
          const { chatId, role } = dictionaryOf(frame.params);
          // The first run of each chat fails.
          if (isOfUser(frame)) failed.add(chatId);
          if (!failed.has(chatId) || !isContent(frame)) return [frame];
          const { type } = contentOf(frame);
          return role === 'assistant' || (role === 'system' && type === 'text') ? [] : [frame];
        },
      };
    }),
  },
];
