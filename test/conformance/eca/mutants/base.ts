// ECA servers that violate JSON-RPC, or the begin or end of a connection.
import { dictionaryOf } from '../../../../src/core/model/dictionary.ts';
import { changesInput, changesOutput, dropsOutput, type Mutant } from '../../support/mutant.ts';
import {
  alone,
  answer,
  asking,
  behind,
  goneBehind,
  hangUp,
  having,
  isAnswer,
  isMethod,
  lacking,
  notice,
  onceBehind,
  result,
  silentAt,
  unanswered,
} from './changes.ts';

const isNobodys = (method: unknown) => String(method).startsWith('conformance/');

const asks = () => ({ jsonrpc: '2.0', id: 1, method: 'conformance/what', params: {} });

export const baseMutants: readonly Mutant[] = [
  {
    fault: 'messages without jsonrpc',
    caughtBy: ['message-shape'],
    alsoCaughtBy: ['answered', 'tools-told', 'initialize-answered', 'models-told'],
    make: () => ({
      out: (frame) => [frame.method === 'tool/serverUpdated' ? lacking('jsonrpc')(frame) : frame],
    }),
  },
  {
    fault: 'a result beside an error of null',
    caughtBy: ['answer-result-or-error'],
    make: changesOutput((frame) => ('result' in frame ? { ...frame, error: null } : frame)),
  },
  {
    fault: 'queries of commands are not answered',
    caughtBy: ['answered'],
    alsoCaughtBy: [
      ...['early-requests', 'string-id', 'line-end', 'unknown-notification-ignored', 'broken-json', 'no-message'],
      ...['tools-told', 'models-told', 'unknown-call-ignored', 'unknown-mcp-ignored'],
    ],
    make: unanswered('chat/queryCommands'),
  },
  {
    fault: 'requests are answered twice',
    caughtBy: ['answered-once'],
    make: behind(
      (frame) => isAnswer(frame) && 'result' in frame,
      (frame) => frame,
    ),
  },
  {
    fault: 'answers to nothing',
    caughtBy: ['answer-id'],
    make: onceBehind(isMethod('tool/serverUpdated'), () => ({ jsonrpc: '2.0', id: 4711, result: {} })),
  },
  {
    fault: 'strings as ids come back as numbers, and are not known again',
    caughtBy: ['string-id'],
    alsoCaughtBy: ['answer-id', 'answered', 'line-end'],
    make: goneBehind(({ id }) => id === 'a-word', {
      out: (frame) => [isAnswer(frame) && frame.id === 'a-word' ? { ...frame, id: 0 } : frame],
    }),
  },
  {
    fault: 'a line end behind the content is too much',
    caughtBy: ['line-end'],
    alsoCaughtBy: ['answered'],
    make: silentAt(({ id }) => id === 'a-line'),
  },
  {
    fault: 'what cannot be read is answered with a code of its own',
    caughtBy: ['error-without-id'],
    make: changesOutput((frame) =>
      frame.id === null && 'error' in frame ? { ...frame, error: { code: 1, message: 'no' } } : frame,
    ),
  },
  {
    fault: 'deaf after broken JSON',
    caughtBy: ['broken-json'],
    alsoCaughtBy: ['no-message', 'answered'],
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
    caughtBy: ['no-message'],
    alsoCaughtBy: ['answered'],
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
    caughtBy: ['unknown-method'],
    make: asking((methodOf) => ({
      out: (frame) => [isNobodys(methodOf(frame)) ? { ...frame, error: { code: -32603, message: 'what?' } } : frame],
    })),
  },
  {
    fault: 'notifications that nobody has are answered',
    caughtBy: ['unknown-notification-ignored'],
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
    caughtBy: ['unknown-fields'],
    alsoCaughtBy: ['initialize-answered', 'prompt-taken', 'prompt-answered'],
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
    caughtBy: ['request-id'],
    make: onceBehind(isMethod('tool/serverUpdated'), asks, asks),
  },
  {
    fault: 'initialize fails',
    caughtBy: ['initialize-answered'],
    alsoCaughtBy: ['unknown-fields'],
    make: answer('initialize', ({ id }) => ({ jsonrpc: '2.0', id, error: { code: -32603, message: 'no' } })),
  },
  {
    fault: 'initialize is never answered',
    caughtBy: ['initialize-answered'],
    alsoCaughtBy: ['early-requests'],
    make: unanswered('initialize'),
  },
  {
    fault: 'a default behavior that nobody offers',
    caughtBy: ['default-behavior-offered'],
    make: result('initialize', having({ chatDefaultBehavior: 'nobody' })),
  },
  {
    fault: 'no models are told',
    caughtBy: ['models-told'],
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
    caughtBy: ['quiet-before-initialized'],
    make: asking((methodOf) => ({
      out: (frame) =>
        methodOf(frame) === 'initialize'
          ? [frame, notice('$/showMessage', { type: 'info', message: 'hello' })]
          : [frame],
    })),
  },
  {
    fault: 'drops what comes before initialized',
    caughtBy: ['early-requests'],
    alsoCaughtBy: ['answered', 'unknown-fields'],
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
    fault: 'a task that does not finish',
    caughtBy: ['tasks-finished'],
    make: dropsOutput((frame) => frame.method === '$/progress' && dictionaryOf(frame.params).type === 'finish'),
  },
  {
    fault: 'a task finishes that was not started',
    caughtBy: ['tasks-finished'],
    make: dropsOutput((frame) => frame.method === '$/progress' && dictionaryOf(frame.params).type === 'start'),
  },
  {
    fault: 'asks the editor what it has not declared',
    caughtBy: ['asks-what-was-declared'],
    make: onceBehind(isMethod('tool/serverUpdated'), () => ({
      jsonrpc: '2.0',
      id: 1,
      method: 'editor/getDiagnostics',
      params: {},
    })),
  },
  { fault: 'shutdown is not answered', caughtBy: ['shutdown-answered'], make: unanswered('shutdown') },
  {
    fault: 'exit is not heard',
    caughtBy: ['exit-ends'],
    make: changesInput((frame) => (frame.method === 'exit' ? null : frame)),
  },
];
