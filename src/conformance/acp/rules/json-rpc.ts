// Rules on the envelope, for agents. docs/protocols/acp.md 1.

import { answered, succeeds, survives } from '../../check/json-rpc-findings.ts';
import { shown } from '../../check/shape.ts';
import { isMessage } from '../view/messages.ts';
import { asksOf, codeOf } from '../view/view.ts';
import { agentMethods, agentNotifications, nobodys, nobodysPlain } from '../words.ts';
import { envelopeRows, type Rows, refused } from './judging.ts';

const everywhere = ['start', 'text', 'odd'];
/** Requests whose answers other rules ask for. */
const apart = new Set(['session/prompt', 'initialize', nobodys, nobodysPlain]);

/** All rules on the envelope. */
export const jsonRpcRows: Rows = {
  ...envelopeRows(({ agent, client }) => ({ own: agent, other: client }), everywhere),
  answered: {
    section: '1.2',
    sentence: 'Each request is answered.',
    scenarios: everywhere,
    reads: 'both',
    judge: (view) =>
      answered(
        view,
        view.client.requests.filter(({ isExcused, method, id }) => !isExcused && id !== null && !apart.has(method)),
      ),
  },
  'id-kinds': {
    section: '1.2',
    level: 'SHOULD',
    sentence: 'Requests under 0, under a negative number, under the largest safe number and under a text are answered.',
    scenarios: ['ids'],
    reads: 'both',
    judge: (view) =>
      answered(
        view,
        view.client.requests.filter(
          ({ id, isExcused, method }) =>
            !isExcused &&
            !apart.has(method) &&
            (typeof id === 'string' || (typeof id === 'number' && !(id > 0 && id < 1e9))),
        ),
      ),
  },
  'broken-json': {
    section: '1.3',
    isMeasured: true,
    sentence: 'After a line that is not JSON the connection goes on.',
    scenarios: ['broken json'],
    reads: 'both',
    judge: (view) =>
      survives(
        view,
        view.client.frames.filter(({ json, text }) => json === undefined && text.trim() !== ''),
      ),
  },
  'broken-json-told': {
    section: '1.3',
    isMeasured: true,
    level: 'MAY',
    sentence: 'A line that is not JSON is answered with error -32700 and the id null.',
    scenarios: ['broken json'],
    reads: 'both',
    *judge({ client, agent, isComplete }) {
      const broken = client.frames.find(({ json, text }) => json === undefined && text.trim() !== '');
      if (broken === undefined) return;
      const told = agent.answers.find((answer) => answer.frame > broken.frame && codeOf(answer) === -32700);
      if (told !== undefined || isComplete)
        yield { frame: told?.frame ?? broken.frame, wrong: told === undefined ? 'it is not answered' : null };
    },
  },
  'no-message': {
    section: '1.3',
    isMeasured: true,
    sentence: 'After JSON that is no message, a list among it, the connection goes on.',
    scenarios: ['no message'],
    reads: 'both',
    judge: (view) =>
      survives(
        view,
        view.client.frames.filter(({ json }) => json !== undefined && !isMessage(json)),
      ),
  },
  'error-without-id': {
    section: '1.3',
    level: 'SHOULD',
    sentence: 'A response without an id is an error on what could not be read: -32700 or -32600.',
    scenarios: ['broken json', 'no message'],
    *judge({ agent, client }) {
      const isOurs = client.requests.some(({ id }) => id === null);
      for (const answer of agent.answers) {
        if (answer.id !== null || isOurs) continue;
        const isRight = codeOf(answer) === -32700 || codeOf(answer) === -32600;
        yield { frame: answer.frame, wrong: isRight ? null : `the code is ${shown(codeOf(answer))}` };
      }
    },
  },
  'long-line': {
    section: '1.5',
    isMeasured: true,
    sentence: 'A request of a megabyte is answered.',
    scenarios: ['long line'],
    reads: 'both',
    judge: (view) =>
      answered(
        view,
        view.client.requests.filter(
          ({ frame }) => (view.client.frames.find((one) => one.frame === frame)?.text.length ?? 0) > 1e6,
        ),
      ),
  },
  'unknown-fields': {
    section: '1.6',
    level: 'SHOULD',
    sentence: 'Fields of params and of `_meta` that the agent does not know are passed over.',
    scenarios: ['start', 'text'],
    reads: 'both',
    judge: ({ client }) => succeeds(client.requests.filter(({ params }) => params.conformance !== undefined)),
  },
  'unknown-method': {
    section: '1.7',
    sentence: 'A request of a method that the agent does not have is answered with error -32601.',
    scenarios: ['odd'],
    reads: 'both',
    judge: (view) => refused(asksOf(view, nobodysPlain), [-32601]),
  },
  'unknown-vendor-method': {
    section: '1.7',
    level: 'SHOULD',
    sentence: 'A request of a vendor that the agent does not know is answered with error -32601.',
    scenarios: ['odd'],
    reads: 'both',
    judge: (view) => refused(asksOf(view, nobodys), [-32601]),
  },
  'unknown-notification': {
    section: '1.7',
    level: 'SHOULD',
    sentence: 'A notification of a method that the agent does not have is ignored, and not answered.',
    scenarios: ['odd'],
    reads: 'both',
    *judge(view) {
      const unknown = view.client.notifications.filter(({ method }) => [nobodys, nobodysPlain].includes(method));
      for (const notice of unknown) {
        const next = view.client.requests.find(({ frame }) => frame > notice.frame)?.answers[0]?.frame;
        const reply = view.agent.answers.find(
          ({ frame, id }) => id === null && frame > notice.frame && frame < (next ?? Number.POSITIVE_INFINITY),
        );
        if (reply !== undefined) yield { frame: reply.frame, wrong: `it is answered: ${shown(reply.json)}` };
        else yield* survives(view, [notice]);
      }
    },
  },
  'own-methods': {
    section: '1.7',
    level: 'SHOULD',
    sentence: 'Methods of the agent that are not of the protocol begin with an underscore.',
    scenarios: everywhere,
    *judge({ agent }) {
      for (const { frame, method } of [...agent.requests, ...agent.notifications]) {
        const isKnown = agentMethods.has(method) || agentNotifications.has(method);
        yield { frame, wrong: isKnown || method.startsWith('_') ? null : `the method is ${shown(method)}` };
      }
    },
  },
};
