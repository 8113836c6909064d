// Rules on the envelope and the beginning of a connection, for clients. docs/protocols/acp.md 1, 2.

import { answered } from '../../check/json-rpc-findings.ts';
import { shown } from '../../check/shape.ts';
import { asksOf, at, codeOf, itemsOf, resultsOf } from '../view/view.ts';
import { clientMethods, nobodys, nobodysPlain } from '../words.ts';
import { envelopeRows, type Rows, refused } from './judging.ts';

/** Every behaviour shows how a client begins. */
const any = ['text', 'think', 'tool', 'fail'];
const covers = ['request:initialize'];

/** All rules on the envelope and the beginning. */
export const clientStartRows: Rows = {
  ...envelopeRows(({ agent, client }) => ({ own: client, other: agent }), [...any, 'permission', 'odd']),
  'own-methods': {
    section: '1.7',
    level: 'SHOULD',
    sentence: 'Methods of the client that are not of the protocol begin with an underscore.',
    scenarios: any,
    *judge({ client }) {
      const notifications = new Set(['session/cancel', '$/cancel_request']);
      for (const { frame, method } of client.requests)
        yield {
          frame,
          wrong: clientMethods.has(method) || method.startsWith('_') ? null : `the method is ${shown(method)}`,
        };
      for (const { frame, method } of client.notifications)
        yield {
          frame,
          wrong: notifications.has(method) || method.startsWith('_') ? null : `the method is ${shown(method)}`,
        };
    },
  },
  'answers-requests': {
    section: '1.2',
    sentence: 'Each request of the agent is answered.',
    scenarios: ['permission', 'odd'],
    reads: 'both',
    *judge(view) {
      // The agent may have taken its question back (4.50), or the turn may be over.
      const asks = view.agent.requests.filter(
        ({ method, id }) =>
          method !== 'session/request_permission' &&
          !view.agent.notifications.some((one) => one.method === '$/cancel_request' && one.params.requestId === id),
      );
      yield* answered(view, asks);
    },
  },
  'unknown-method': {
    section: '1.7',
    sentence: 'A request of a method that the client does not have is answered with error -32601.',
    scenarios: ['odd'],
    reads: 'both',
    judge: ({ agent }) =>
      refused(
        agent.requests.filter(({ method }) => method === nobodys || method === nobodysPlain),
        [-32_601],
      ),
  },
  'unknown-notification': {
    section: '1.7',
    level: 'SHOULD',
    sentence: 'A notification and an update that the client does not know are passed over: the connection goes on.',
    covers: ['notification:session/update'],
    scenarios: ['odd'],
    reads: 'both',
    *judge({ agent, client, isComplete }) {
      const odd = agent.notifications.find(({ method }) => method === nobodys);
      if (odd === undefined) return;
      const heard = client.frames.some(({ frame }) => frame > odd.frame);
      if (heard || isComplete) yield { frame: odd.frame, wrong: heard ? null : 'nothing comes any more' };
    },
  },
  'initialize-first': {
    section: '2.10',
    sentence: '`initialize` is the first message of a client.',
    covers,
    scenarios: any,
    *judge({ initialize, client, isComplete }) {
      // A recording without an `initialize` may begin in the middle.
      if (initialize === null && !isComplete) return;
      for (const { frame, method } of [...client.requests, ...client.notifications]
        .sort((a, b) => a.frame - b.frame)
        .slice(0, 1))
        yield { frame, wrong: method === 'initialize' ? null : `the first one is ${shown(method)}` };
    },
  },
  'initialize-answer-first': {
    section: '2.10',
    level: 'SHOULD',
    sentence: 'A client waits for the answer to `initialize` before it asks for a session.',
    covers,
    scenarios: any,
    reads: 'both',
    *judge(view) {
      const answer = view.initialize?.answers[0];
      if (answer === undefined) return;
      for (const { frame, method } of view.client.requests)
        if (method.startsWith('session/'))
          yield { frame, wrong: frame < answer.frame ? `${method} comes before it` : null };
    },
  },
  'initialize-once': {
    section: '2.10',
    sentence: 'A client initializes once.',
    covers,
    scenarios: any,
    *judge(view) {
      for (const [place, { frame }] of asksOf(view, 'initialize').entries())
        yield { frame, wrong: place === 0 ? null : 'it is initialized again' };
    },
  },
  'authenticate-offered': {
    section: '2.13',
    sentence: '`authenticate` names a way to log in that the agent offers, and no terminal.',
    covers: ['request:authenticate'],
    scenarios: ['login'],
    reads: 'both',
    *judge(view) {
      const offered = resultsOf(view, 'initialize').flatMap(({ result }) => itemsOf(at(result, 'authMethods')));
      if (view.initialize === null) return;
      for (const { frame, params } of asksOf(view, 'authenticate')) {
        const way = offered.find(({ id }) => id === params.methodId);
        const isRight = way !== undefined && way.type !== 'terminal';
        yield { frame, wrong: isRight ? null : `${shown(params.methodId)} is not offered so` };
      }
    },
  },
  'no-errors': {
    section: '1.8',
    level: 'SHOULD',
    sentence: 'Nothing that a client asks is refused as invalid (-32600, -32602).',
    scenarios: any,
    reads: 'both',
    *judge(view) {
      for (const { answers, method } of view.client.requests)
        for (const answer of answers.slice(0, 1))
          yield {
            frame: answer.frame,
            wrong: [-32_600, -32_602].includes(Number(codeOf(answer))) ? `${method}: ${shown(answer.error)}` : null,
          };
    },
  },
};
