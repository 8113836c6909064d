// Parts that rules of both sides share.

import type { InTrace, Request, Response, Side } from '../../check/json-rpc.ts';
import { answeredOnce, resultOrError } from '../../check/json-rpc-findings.ts';
import { each, type Finding } from '../../check/rule.ts';
import type { RuleRow } from '../../check/rule-rows.ts';
import { shown } from '../../check/shape.ts';
import { isMessage } from '../view/messages.ts';
import { type AcpView, codeOf } from '../view/view.ts';
import { agentMethods, clientMethods } from '../words.ts';

/** A rule, keyed by its name in a table. */
export type Row = RuleRow<AcpView>;
/** A table of rules. */
export type Rows = Readonly<Record<string, Row>>;

/** Wrong where an answer is no error, or one of another code. */
export function* refused(asks: Iterable<Request>, codes?: readonly number[]): Generator<Finding> {
  for (const { answers, method } of asks) {
    const [answer] = answers;
    if (answer === undefined) continue;
    yield { frame: answer.frame, wrong: refusalFault(method, answer, codes) };
  }
}

function refusalFault(method: string, answer: Response, codes: readonly number[] | undefined): string | null {
  if ('result' in answer.json) return `${method} is answered ${shown(answer.result)}`;
  const code = codeOf(answer);
  return codes === undefined || codes.includes(Number(code)) ? null : `the code is ${shown(code)}`;
}

/** Findings for the items of a list: wrong where a value comes a second time. */
export function* ownValues(items: Iterable<InTrace & { readonly value: unknown }>, name: string): Generator<Finding> {
  const seen = new Set<unknown>();
  for (const { frame, value } of items) {
    yield { frame, wrong: seen.has(value) ? `the ${name} ${shown(value)} again` : null };
    seen.add(value);
  }
}

/** The first value that comes twice, in words. */
export function twice(values: readonly unknown[], name: string): string | null {
  const again = values.find((value, index) => values.indexOf(value) !== index);
  return again === undefined ? null : `the ${name} ${shown(again)} comes twice`;
}

/** Whether requests alone have the method. */
const isAsked = (method: string): boolean => clientMethods.has(method) || agentMethods.has(method);

/** Rules on the envelope, the same for both sides (docs/protocols/acp.md 1.1 to 1.3). `of`: the judged side. */
export function envelopeRows(
  of: (view: AcpView) => { readonly own: Side; readonly other: Side },
  scenarios: readonly string[],
): Rows {
  return {
    'lines-json': {
      section: '1.1',
      sentence: 'Each line is one JSON text: there is nothing else on the wire.',
      scenarios,
      *judge(view) {
        for (const { frame, json, text, isFault } of of(view).own.frames)
          yield { frame, wrong: isFault === true || json === undefined ? `no JSON: ${text.slice(0, 200)}` : null };
      },
    },
    'message-shape': {
      section: '1.3',
      sentence: 'Each JSON text is one request, response or notification of JSON-RPC 2.0, and no list of them.',
      scenarios,
      *judge(view) {
        for (const { frame, json, text } of of(view).own.frames)
          if (json !== undefined)
            yield { frame, wrong: isMessage(json) ? null : `no message of JSON-RPC 2.0: ${text.slice(0, 200)}` };
      },
    },
    'request-has-id': {
      section: '1.2',
      sentence: 'What asks for an answer has an id.',
      scenarios,
      judge: (view) =>
        each(of(view).own.notifications, ({ method }) => (isAsked(method) ? `${method} has no id` : null)),
    },
    'cancel-request-known': {
      section: '4.50',
      level: 'SHOULD',
      sentence: '`$/cancel_request` names a request of the same side.',
      covers: ['notification:$/cancel_request'],
      scenarios: [...scenarios, 'cancel'],
      *judge(view) {
        const { requests, notifications } = of(view).own;
        if (view.initialize === null) return;
        for (const { frame, method, params } of notifications) {
          if (method !== '$/cancel_request') continue;
          const is = requests.some(({ id, frame: asked }) => id === params.requestId && asked < frame);
          yield { frame, wrong: is ? null : `nothing was asked under ${shown(params.requestId)}` };
        }
      },
    },
    'result-or-error': {
      section: '1.2',
      sentence: 'A response has a result or an error and never both.',
      scenarios,
      judge: (view) => each(of(view).own.answers, resultOrError),
    },
    'request-id': {
      section: '1.2',
      sentence: 'A request has an id that no open request of the same side has.',
      scenarios,
      *judge(view) {
        const open = new Map<unknown, Request>();
        for (const ask of of(view).own.requests) {
          const before = open.get(ask.id);
          const isOpen = before !== undefined && (before.answers[0]?.frame ?? Number.POSITIVE_INFINITY) > ask.frame;
          yield { frame: ask.frame, wrong: isOpen ? `the id ${shown(ask.id)} is in use` : null };
          open.set(ask.id, ask);
        }
      },
    },
    'answered-once': {
      section: '1.2',
      sentence: 'No request is answered twice.',
      scenarios,
      reads: 'both',
      judge: (view) => answeredOnce(of(view).other),
    },
    'answer-id': {
      section: '1.2',
      sentence: 'A response bears the id of a request as it came: a string stays a string, and a number a number.',
      scenarios,
      reads: 'both',
      *judge(view) {
        const { own, other } = of(view);
        // Without the beginning of the conversation the requests are unknown, and a line that cannot be read may hold some.
        const doubt = other.frames.find(({ json }) => !isMessage(json))?.frame ?? Number.POSITIVE_INFINITY;
        for (const { frame, id, request } of own.answers) {
          if (view.initialize === null || frame < view.initialize.frame || id === null || frame > doubt) continue;
          yield { frame, wrong: request === undefined ? `nothing was asked under ${shown(id)}` : null };
        }
      },
    },
  };
}
