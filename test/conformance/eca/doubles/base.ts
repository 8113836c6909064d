// ECA servers that break the base protocol, the beginning or the end.
import { dictionaryOf } from '../../../../src/core/model/dictionary.ts';
import { type Double, hides, says, takes } from '../../support/double.ts';
import {
  alone,
  goneBehind,
  hangUp,
  silentAt,
  unanswered,
  answer,
  asking,
  behind,
  having,
  isAnswer,
  isMethod,
  lacking,
  notice,
  onceBehind,
  params,
  result,
} from './words.ts';

const isNobodys = (method: unknown) => String(method).startsWith('conformance/');

const asks = () => ({ jsonrpc: '2.0', id: 1, method: 'conformance/what', params: {} });

export const baseDoubles: readonly Double[] = [
  {
    fault: 'messages without jsonrpc',
    caught: ['message-shape'],
    kin: ['answered', 'tools-told', 'initialize-answered', 'models-told'],
    make: () => ({
      out: (frame) => [frame.method === 'tool/serverUpdated' ? lacking('jsonrpc')(frame) : frame],
    }),
  },
  {
    fault: 'a result beside an error of null',
    caught: ['answer-result-or-error'],
    make: says((frame) => ('result' in frame ? { ...frame, error: null } : frame)),
  },
  {
    fault: 'errors without a message',
    caught: ['error-shape'],
    make: says((frame) =>
      'error' in frame ? { ...frame, error: lacking('message')(dictionaryOf(frame.error)) } : frame,
    ),
  },
  {
    fault: 'errors whose code is no integer',
    caught: ['error-shape'],
    kin: ['unknown-method', 'error-without-id', 'unknown-notification-ignored'],
    make: says((frame) =>
      'error' in frame ? { ...frame, error: { ...dictionaryOf(frame.error), code: 1.5 } } : frame,
    ),
  },
  {
    fault: 'queries of commands are not answered',
    caught: ['answered'],
    kin: [
      ...['early-requests', 'string-id', 'line-end', 'unknown-notification-ignored', 'broken-json', 'no-message'],
      ...['tools-told', 'models-told', 'unknown-call-ignored', 'unknown-mcp-ignored'],
    ],
    make: unanswered('chat/queryCommands'),
  },
  {
    fault: 'requests are answered twice',
    caught: ['answered-once'],
    make: behind(
      (frame) => isAnswer(frame) && 'result' in frame,
      (frame) => frame,
    ),
  },
  {
    fault: 'answers to nothing',
    caught: ['answer-id'],
    make: onceBehind(isMethod('tool/serverUpdated'), () => ({ jsonrpc: '2.0', id: 4711, result: {} })),
  },
  {
    fault: 'strings as ids come back as numbers, and are not known again',
    caught: ['string-id'],
    kin: ['answer-id', 'answered', 'line-end'],
    make: goneBehind(({ id }) => id === 'a-word', {
      out: (frame) => [isAnswer(frame) && frame.id === 'a-word' ? { ...frame, id: 0 } : frame],
    }),
  },
  {
    fault: 'a line end behind the content is too much',
    caught: ['line-end'],
    kin: ['answered'],
    make: silentAt(({ id }) => id === 'a-line'),
  },
  {
    fault: 'what cannot be read is answered with a code of its own',
    caught: ['error-without-id'],
    make: says((frame) =>
      frame.id === null && 'error' in frame ? { ...frame, error: { code: 1, message: 'no' } } : frame,
    ),
  },
  {
    fault: 'deaf after broken JSON',
    caught: ['broken-json'],
    kin: ['no-message', 'answered'],
    make: alone(() => {
      let isDeaf = false;
      return {
        raw: (text) => {
          isDeaf ||= text.startsWith('{');
          return [text];
        },
        in: (frame, link) => (isDeaf ? hangUp(link) : [frame]),
      };
    }),
  },
  {
    fault: 'deaf after a list of messages',
    caught: ['no-message'],
    kin: ['answered'],
    make: alone(() => {
      let isDeaf = false;
      return {
        raw: (text) => {
          isDeaf ||= text.startsWith('[');
          return [text];
        },
        in: (frame, link) => (isDeaf ? hangUp(link) : [frame]),
      };
    }),
  },
  {
    fault: 'methods that nobody has are answered with another error',
    caught: ['unknown-method'],
    make: asking((methodOf) => ({
      out: (frame) => [isNobodys(methodOf(frame)) ? { ...frame, error: { code: -32603, message: 'what?' } } : frame],
    })),
  },
  {
    fault: 'notifications that nobody has are answered',
    caught: ['unknown-notification-ignored'],
    make: () => ({
      in(frame, link) {
        if (isNobodys(frame.method) && frame.id === undefined)
          link.toClient({ jsonrpc: '2.0', id: null, error: { code: -32600, message: 'what?' } });
        return [frame];
      },
    }),
  },
  {
    fault: 'fields that are not known are refused',
    caught: ['unknown-fields'],
    kin: ['initialize-answered', 'prompt-taken', 'prompt-answered'],
    make: asking((_, requestOf) => ({
      out: (frame) =>
        dictionaryOf(requestOf(frame).params).conformance !== undefined &&
        requestOf(frame).method === 'chat/queryCommands'
          ? [{ jsonrpc: '2.0', id: frame.id, error: { code: -32602, message: 'what?' } }]
          : [frame],
    })),
  },
  {
    fault: 'requests under an id that is taken',
    caught: ['request-id'],
    make: onceBehind(isMethod('tool/serverUpdated'), asks, asks),
  },
  {
    fault: 'initialize fails',
    caught: ['initialize-answered'],
    kin: ['unknown-fields'],
    make: answer('initialize', ({ id }) => ({ jsonrpc: '2.0', id, error: { code: -32603, message: 'no' } })),
  },
  {
    fault: 'initialize is never answered',
    caught: ['initialize-answered'],
    kin: ['early-requests'],
    make: unanswered('initialize'),
  },
  {
    fault: 'no words of welcome',
    caught: ['initialize-welcome'],
    make: result('initialize', lacking('chatWelcomeMessage')),
  },
  {
    fault: 'models that are no list',
    caught: ['initialize-models'],
    make: result('initialize', having({ models: 'all' })),
  },
  {
    fault: 'behaviors without a default',
    caught: ['initialize-models'],
    make: result('initialize', lacking('chatDefaultBehavior')),
  },
  {
    fault: 'a default behavior that nobody offers',
    caught: ['default-behavior-offered'],
    make: result('initialize', having({ chatDefaultBehavior: 'nobody' })),
  },
  {
    fault: 'agents that are no list',
    caught: ['config-shape'],
    make: params(isMethod('config/updated'), (told) => ({
      ...told,
      chat: { ...dictionaryOf(told.chat), agents: 'all' },
    })),
  },
  {
    fault: 'no models are told',
    caught: ['models-told'],
    make: asking((methodOf) => ({
      out(frame) {
        if (frame.method === 'config/updated') return [];
        if (methodOf(frame) !== 'initialize') return [frame];
        const strip = lacking('models', 'chatDefaultModel', 'chatBehaviors', 'chatDefaultBehavior');
        return [{ ...frame, result: strip(dictionaryOf(frame.result)) }];
      },
    })),
  },
  {
    fault: 'speaks before initialized',
    caught: ['quiet-before-initialized'],
    make: asking((methodOf) => ({
      out: (frame) =>
        methodOf(frame) === 'initialize'
          ? [frame, notice('$/showMessage', { type: 'info', message: 'hello' })]
          : [frame],
    })),
  },
  {
    fault: 'drops what comes before initialized',
    caught: ['early-requests'],
    kin: ['answered', 'unknown-fields'],
    make: alone(() => {
      let isReady = false;
      return {
        in(frame) {
          isReady ||= frame.method === 'initialized';
          return isReady || frame.method === 'initialize' ? [frame] : [];
        },
        out(frame, link) {
          // The answer to initialize.
          if (!isReady && isAnswer(frame)) queueMicrotask(() => link.close());
          return [frame];
        },
      };
    }),
  },
  {
    fault: 'tasks without a title',
    caught: ['progress-shape'],
    make: params(isMethod('$/progress'), lacking('title')),
  },
  {
    fault: 'tasks of a type that is no word',
    caught: ['progress-shape'],
    kin: ['tasks-finished'],
    make: params(isMethod('$/progress'), (told) => (told.type === 'start' ? { ...told, type: 7 } : told)),
  },
  {
    fault: 'a task that does not finish',
    caught: ['tasks-finished'],
    make: hides((frame) => frame.method === '$/progress' && dictionaryOf(frame.params).type === 'finish'),
  },
  {
    fault: 'a task finishes that was not started',
    caught: ['tasks-finished'],
    make: hides((frame) => frame.method === '$/progress' && dictionaryOf(frame.params).type === 'start'),
  },
  {
    fault: 'asks the editor what it has not declared',
    caught: ['asks-what-was-declared'],
    make: onceBehind(isMethod('tool/serverUpdated'), () => ({
      jsonrpc: '2.0',
      id: 1,
      method: 'editor/getDiagnostics',
      params: {},
    })),
  },
  { fault: 'shutdown is not answered', caught: ['shutdown-answered'], make: unanswered('shutdown') },
  {
    fault: 'shutdown is answered with words',
    caught: ['shutdown-null'],
    make: answer('shutdown', (frame) => ({ ...frame, result: 'good bye' })),
  },
  {
    fault: 'exit is not heard',
    caught: ['exit-ends'],
    make: takes((frame) => (frame.method === 'exit' ? null : frame)),
  },
];
