// Rules on JSON-RPC, for servers: what is a message, and that every request is answered. docs/protocols/eca.md 5;
// JSON-RPC 2.0.
import { isDictionary } from '../../../core/model/dictionary.ts';
import type { Response, Side } from '../../check/json-rpc.ts';
import { answered, answeredOnce, resultOrError, succeeds, survives } from '../../check/json-rpc-findings.ts';
import { each, type Finding } from '../../check/rule.ts';
import { shown } from '../../check/shape.ts';
import { nobodys } from '../methods.ts';
import { isMessage } from '../view/messages.ts';
import type { EcaRows, EcaView } from '../view/view.ts';

const everywhere = ['start', 'text', 'odd'];
const code = (answer: Response | undefined): unknown => (isDictionary(answer?.error) ? answer.error.code : undefined);

/** Whether each request has an id of its own. */
export function* ownIds({ requests }: Side): Generator<Finding> {
  const seen = new Set<unknown>();
  for (const { frame, id } of requests) {
    yield { frame, wrong: seen.has(id) ? `the id ${shown(id)} again` : null };
    seen.add(id);
  }
}

/** A content that is cut and has such a letter: the length may be that of the text and not of its bytes. */
const beyondAscii = /[^\0-\x7f]/u;

/** Rules on frames and answers. */
export const jsonRpcRows: EcaRows = {
  'frames-readable': {
    section: 'Header Part',
    sentence: 'Each message has a header with the length of its content in bytes.',
    scenarios: everywhere,
    judge: ({ agent }) => each(agent.frames, ({ isFault, text }) => (isFault === true ? text : null)),
  },
  'message-shape': {
    section: 'Content Part',
    sentence: 'Each content is a request, a response or a notification of JSON-RPC 2.0.',
    scenarios: everywhere,
    *judge({ agent }) {
      for (const { frame, json, text, isFault } of agent.frames) {
        if (isFault === true) continue;
        const hint =
          json === undefined && beyondAscii.test(text) ? ' (does Content-Length count letters, not bytes?)' : '';
        yield { frame, wrong: isMessage(json) ? null : `no message of JSON-RPC 2.0${hint}: ${text.slice(0, 200)}` };
      }
    },
  },
  'answer-result-or-error': {
    section: 'Content Part',
    sentence: 'A response has a result or an error and never both, not even as null.',
    scenarios: everywhere,
    judge: ({ agent }) => each(agent.answers, resultOrError),
  },
  answered: {
    section: 'Content Part',
    sentence: 'Each request is answered.',
    scenarios: everywhere,
    reads: 'both',
    *judge(view) {
      const last = view.exit?.frame ?? Number.POSITIVE_INFINITY;
      const own = new Set(['chat/prompt', 'initialize', 'shutdown', nobodys]);
      const asks = view.client.requests.filter(
        ({ frame, isExcused, id, method }) =>
          frame < last && !isExcused && (typeof id !== 'number' || id >= 0) && !own.has(method),
      );
      yield* answered(view, asks);
    },
  },
  'answered-once': {
    section: 'Content Part',
    sentence: 'No request is answered twice.',
    scenarios: everywhere,
    reads: 'both',
    judge: ({ client }) => answeredOnce(client),
  },
  'answer-id': {
    section: 'Content Part',
    sentence: 'A response bears the id of a request, as the string or the number that it was.',
    scenarios: everywhere,
    reads: 'both',
    *judge({ agent, client, initialize }) {
      // Without the beginning of the conversation the requests are unknown.
      if (initialize === null) return;
      // An unreadable frame may have held requests, as a batch does.
      const doubt = client.frames.find(({ json }) => !isMessage(json))?.frame ?? Number.POSITIVE_INFINITY;
      for (const { frame, id, request } of agent.answers) {
        if (id === null || (request === undefined && frame > doubt)) continue;
        const isOther = client.requests.some(
          (one) => String(one.id) === String(id) && one.id !== id && one.frame < frame,
        );
        const wrong = isOther ? `the id ${shown(id)} is of another type` : `nothing was asked under ${shown(id)}`;
        yield { frame, wrong: request === undefined ? wrong : null };
      }
    },
  },
  'string-id': {
    section: 'Content Part',
    sentence: 'A request whose id is a string is answered under that string.',
    scenarios: ['odd'],
    reads: 'both',
    *judge(view) {
      const asks = view.client.requests.filter(
        ({ id, isExcused, frame }) => typeof id === 'string' && !isExcused && !isLineEnd(view, frame),
      );
      yield* answered(view, asks);
    },
  },
  'line-end': {
    section: 'Content Part',
    isMeasured: true,
    sentence: 'A content may end in a line break that its length counts, as those of Emacs do.',
    scenarios: ['odd'],
    reads: 'both',
    *judge(view) {
      const asks = view.client.requests.filter(({ frame, isExcused }) => !isExcused && isLineEnd(view, frame));
      yield* answered(view, asks);
    },
  },
  'error-without-id': {
    section: 'Content Part',
    level: 'SHOULD',
    sentence: 'A response without an id is an error about what could not be read: -32700 or -32600.',
    scenarios: ['odd'],
    *judge({ agent }) {
      for (const answer of agent.answers) {
        if (answer.id !== null) continue;
        const isRight = code(answer) === -32700 || code(answer) === -32600;
        yield { frame: answer.frame, wrong: isRight ? null : `the code is ${shown(code(answer))}` };
      }
    },
  },
  'broken-json': {
    section: 'Content Part',
    isMeasured: true,
    sentence: 'After a content that is not JSON the connection goes on.',
    scenarios: ['odd'],
    reads: 'both',
    *judge(view) {
      yield* survives(
        view,
        view.client.frames.filter(({ json }) => json === undefined),
      );
    },
  },
  'no-message': {
    section: 'Content Part',
    isMeasured: true,
    sentence: 'After a content that is JSON and no message, a list of messages among them, the connection goes on.',
    scenarios: ['odd'],
    reads: 'both',
    *judge(view) {
      yield* survives(
        view,
        view.client.frames.filter(({ json }) => json !== undefined && !isMessage(json)),
      );
    },
  },
  'unknown-method': {
    section: 'Content Part',
    sentence: 'A request of a method that the server does not have is answered with error -32601.',
    scenarios: ['odd'],
    reads: 'both',
    *judge(view) {
      const asks = view.client.requests.filter(({ method }) => method === nobodys);
      for (const { answers, frame } of asks) {
        const [answer] = answers;
        if (answer === undefined && !view.isComplete) continue;
        const isRight = code(answer) === -32601;
        yield { frame: answer?.frame ?? frame, wrong: isRight ? null : `the answer is ${shown(answer?.json)}` };
      }
    },
  },
  'unknown-notification-ignored': {
    section: 'Content Part',
    sentence: 'A notification of a method that the server does not have is ignored, and not answered.',
    scenarios: ['odd'],
    reads: 'both',
    *judge(view) {
      for (const notice of view.client.notifications.filter(({ method }) => method === nobodys)) {
        const next = view.client.requests.find(({ frame }) => frame > notice.frame)?.answers[0]?.frame;
        const until = next ?? view.count;
        const reply = view.agent.answers.find(({ frame, id }) => id === null && frame > notice.frame && frame < until);
        if (reply !== undefined) yield { frame: reply.frame, wrong: `it is answered: ${shown(reply.json)}` };
        else yield* survives(view, [notice]);
      }
    },
  },
  'unknown-fields': {
    section: 'Content Part',
    isMeasured: true,
    sentence: 'Fields of params that the server does not know are passed over.',
    scenarios: ['odd', 'early', 'text'],
    reads: 'both',
    *judge({ client }) {
      yield* succeeds(client.requests.filter(({ params }) => params.conformance !== undefined));
    },
  },
  'request-id': {
    section: 'Content Part',
    sentence: 'A request of the server has an id that no other request of it has.',
    scenarios: everywhere,
    judge: ({ agent }) => ownIds(agent),
  },
};

function isLineEnd({ client }: EcaView, frame: number): boolean {
  return client.frames.some((one) => one.frame === frame && /\s$/u.test(one.text));
}
