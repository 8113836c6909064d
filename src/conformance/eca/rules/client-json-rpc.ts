// Rules on the frames, ids and answers of editors. docs/protocols/eca.md 5.1, and 5.2 for what real servers drop.
import { dictionaryOf } from '../../../core/model/dictionary.ts';
import { answered, resultOrError } from '../../check/json-rpc-findings.ts';
import { each, type Finding } from '../../check/rule.ts';
import { shown } from '../../check/shape.ts';
import { nobodys } from '../methods.ts';
import { isMessage } from '../view/messages.ts';
import type { EcaRows } from '../view/view.ts';
import { ownIds } from './json-rpc.ts';

/** Every behaviour shows how an editor begins. */
const any = ['text'];

/** Methods of requests: a message with one of them needs an id. */
const requests: ReadonlySet<string> = new Set([
  ...['initialize', 'shutdown', 'chat/prompt', 'chat/queryContext', 'chat/queryCommands', 'chat/delete'],
]);

/** Rules on JSON-RPC. */
export const clientJsonRpcRows: EcaRows = {
  'frames-readable': {
    section: 'Header Part',
    sentence: 'Each message has a header with the length of its content in bytes.',
    scenarios: any,
    judge: ({ client }) => each(client.frames, ({ isFault, text }) => (isFault === true ? text : null)),
  },
  'message-shape': {
    section: 'Content Part',
    sentence: 'Each content is a request, a response or a notification of JSON-RPC 2.0.',
    scenarios: any,
    *judge({ client }) {
      for (const { frame, json, text, isFault } of client.frames) {
        if (isFault === true) continue;
        yield { frame, wrong: isMessage(json) ? null : `no message of JSON-RPC 2.0: ${text.slice(0, 200)}` };
      }
    },
  },
  'request-id': {
    section: 'Content Part',
    sentence: 'A request has an id that no other request of the client has.',
    scenarios: any,
    *judge({ client }) {
      yield* ownIds(client);
      for (const { frame, method } of client.notifications)
        if (requests.has(method)) yield { frame, wrong: `${method} has no id` };
    },
  },
  'answers-requests': {
    section: 'Content Part',
    sentence: 'Each request of the server is answered.',
    scenarios: ['odd'],
    reads: 'both',
    *judge(view) {
      yield* answered(view, view.agent.requests);
    },
  },
  'answer-once': {
    section: 'Content Part',
    sentence: 'A response bears the id of a request of the server, as it was, and comes once.',
    scenarios: ['odd'],
    reads: 'both',
    *judge({ client, initialize }) {
      if (initialize === null) return;
      for (const { frame, id, request } of client.answers) {
        const isFirst = request?.answers[0]?.frame === frame;
        const wrong = request === undefined ? `nothing was asked under ${shown(id)}` : 'it is answered again';
        yield { frame, wrong: isFirst ? null : wrong };
      }
    },
  },
  'answer-result-or-error': {
    section: 'Content Part',
    sentence: 'A response has a result or an error and never both.',
    scenarios: ['odd'],
    judge: ({ client }) => each(client.answers, resultOrError),
  },
  'unknown-method': {
    section: 'Content Part',
    level: 'SHOULD',
    sentence: 'A request of a method that the client does not have is answered with error -32601.',
    scenarios: ['odd'],
    reads: 'both',
    *judge({ agent }) {
      for (const { method, answers } of agent.requests) {
        const [answer] = answers;
        if (method !== nobodys || answer === undefined) continue;
        const { code } = dictionaryOf(answer.error);
        yield { frame: answer.frame, wrong: code === -32601 ? null : `the answer is ${shown(answer.json)}` };
      }
    },
  },
  'survives-unknown': {
    section: 'Chat Content Received',
    isMeasured: true,
    sentence:
      'A content of a type that the client does not know, and a notification, are passed over, and the client goes on.',
    covers: ['notification:chat/contentReceived'],
    scenarios: ['odd'],
    reads: 'both',
    *judge({ agent, client, isComplete, contents }): Generator<Finding> {
      const strange = [
        ...agent.notifications.filter(({ method }) => method === nobodys),
        ...contents.filter(({ type }) => type === 'conformanceContent'),
      ];
      for (const { frame } of strange) {
        const goesOn = client.frames.some((one) => one.frame > frame);
        if (goesOn || isComplete) yield { frame, wrong: goesOn ? null : 'the client says nothing more' };
      }
    },
  },
};
