// Rules on what agents ask of clients, for agents: permissions, files, terminals, forms. docs/protocols/acp.md 4.44 to
// 4.51, 6.

import type { Request } from '../../check/json-rpc.ts';
import { each } from '../../check/rule.ts';
import { shown } from '../../check/shape.ts';
import { type AcpView, at, callsIn, can, itemsOf, spansIn } from '../view/view.ts';
import { agentMethods } from '../words.ts';
import { type Rows, twice } from './judging.ts';

const covers = ['request:session/request_permission'];
const scenarios = ['permission', 'permission rejected'];
const requests = ({ agent }: AcpView, ...methods: readonly string[]): Request[] =>
  agent.requests.filter(({ method }) => methods.includes(method));
const questions = (view: AcpView): Request[] => requests(view, 'session/request_permission');

/** The turn in which a question was asked. */
const turnOf = (view: AcpView, { frame, params }: Request) =>
  spansIn(view, 'turn').find(
    (span) => span.ask.params.sessionId === params.sessionId && span.frame < frame && frame < span.to,
  );

/** The kind of the option that the client chose; null: none. */
function chosen({ params, answers }: Request): unknown {
  const id = at(answers[0]?.result, 'outcome', 'optionId');
  return itemsOf(params.options).find(({ optionId }) => optionId === id)?.kind ?? null;
}

/** Calls of which leave was asked once, and what became of them in their turn. */
function* decided(view: AcpView, ...kinds: readonly unknown[]) {
  if (view.initialize === null) return;
  for (const call of callsIn(view)) {
    const [question, ...more] = call.questions;
    const turn = question === undefined ? undefined : turnOf(view, question);
    if (question === undefined || turn === undefined || more.length > 0 || turn.cancelled !== null) continue;
    if (!kinds.includes(chosen(question)) || turn.answer === null) continue;
    const status = call.updates.findLast(({ update }) => typeof update.status === 'string')?.update.status;
    yield { frame: turn.answer.frame, call, status };
  }
}

/** All rules on questions. */
export const questionRows: Rows = {
  'permission-options': {
    section: '4.44',
    level: 'SHOULD',
    sentence: 'A request for permission has an option, and no id comes twice.',
    covers,
    scenarios,
    judge: (view) =>
      each(questions(view), ({ params }) => {
        const ids = itemsOf(params.options).map(({ optionId }) => optionId);
        return ids.length === 0 ? 'there is no option' : twice(ids, 'option');
      }),
  },
  'permission-both-ways': {
    section: '4.45',
    isMeasured: true,
    sentence: 'A request for permission can be allowed and rejected.',
    covers,
    scenarios,
    judge: (view) =>
      each(questions(view), ({ params }) => {
        const kinds = itemsOf(params.options).map(({ kind }) => String(kind));
        const missing = ['allow', 'reject'].find((word) => !kinds.some((kind) => kind.startsWith(word)));
        // Choices of a dialog are such requests as well (9.64).
        const isDialog = at(params, 'toolCall', 'kind') === 'other';
        return missing === undefined || isDialog ? null : `no option begins with ${missing}`;
      }),
  },
  'permission-in-turn': {
    section: '4.44',
    level: 'SHOULD',
    sentence: 'Permission is asked of a session in which a prompt runs.',
    covers,
    scenarios,
    reads: 'both',
    *judge(view) {
      if (view.initialize === null) return;
      for (const ask of questions(view))
        yield { frame: ask.frame, wrong: turnOf(view, ask) === undefined ? 'no prompt runs in it' : null };
    },
  },
  'allowed-runs': {
    section: '4.44',
    isMeasured: true,
    sentence: 'A call that was allowed goes on, and ends.',
    covers,
    scenarios: ['permission'],
    reads: 'both',
    *judge(view) {
      for (const { frame, call, status } of decided(view, 'allow_once', 'allow_always'))
        yield {
          frame,
          wrong:
            status === 'completed' || status === 'failed' ? null : `the call ${shown(call.id)} is ${shown(status)}`,
        };
    },
  },
  'rejected-stays': {
    section: '4.44',
    level: 'SHOULD',
    sentence: 'A call that was rejected does not complete.',
    covers,
    scenarios: ['permission rejected'],
    reads: 'both',
    *judge(view) {
      for (const { frame, status } of decided(view, 'reject_once', 'reject_always'))
        yield { frame, wrong: status === 'completed' ? 'it completed' : null };
    },
  },
  'permission-cancelled': {
    section: '4.48',
    sentence: 'A prompt that is cancelled while permission is asked is answered `cancelled`.',
    covers: [...covers, 'notification:session/cancel'],
    scenarios: ['permission cancelled'],
    reads: 'both',
    *judge(view) {
      for (const turn of spansIn(view, 'turn')) {
        const { cancelled, answer, ask, frame } = turn;
        if (cancelled === null || answer === null) continue;
        const open = questions(view).some(
          (one) =>
            one.params.sessionId === ask.params.sessionId &&
            frame < one.frame &&
            one.frame < cancelled &&
            (one.answers[0]?.frame ?? Number.POSITIVE_INFINITY) > cancelled,
        );
        const reason = at(answer.result, 'stopReason');
        if (open)
          yield { frame: answer.frame, wrong: reason === 'cancelled' ? null : `it is answered ${shown(answer.json)}` };
      }
    },
  },
  'asks-what-was-declared': {
    section: '6.53',
    sentence: 'Files and terminals are asked of clients alone that declare them.',
    covers: ['request:fs/read_text_file', 'request:fs/write_text_file', 'request:terminal/create'],
    scenarios: ['edit', 'tool'],
    reads: 'both',
    *judge(view) {
      if (view.initialize === null) return;
      for (const { frame, method } of view.agent.requests) {
        const path = agentMethods.get(method);
        if (path === undefined || path === null || path[0] === 'elicitation') continue;
        yield { frame, wrong: can(view.clientCan, ...path) ? null : `${method} was not declared` };
      }
    },
  },
  'elicitation-declared': {
    section: '6.55',
    sentence: 'Forms and addresses are asked of clients alone that declare that mode.',
    covers: ['request:elicitation/create'],
    scenarios: ['plain', 'form'],
    reads: 'both',
    *judge(view) {
      if (view.initialize === null) return;
      for (const { frame, params } of requests(view, 'elicitation/create')) {
        const is = can(view.clientCan, 'elicitation', String(params.mode));
        yield { frame, wrong: is ? null : `the mode ${shown(params.mode)} was not declared` };
      }
    },
  },
  'elicitation-flat': {
    section: '6.55',
    sentence:
      'The schema of a form is flat: its fields are texts, numbers, yes or no, or lists of choices, and it requires none but these.',
    covers: ['request:elicitation/create'],
    scenarios: ['form'],
    *judge(view) {
      for (const { frame, params } of requests(view, 'elicitation/create')) {
        const properties = at(params.requestedSchema, 'properties');
        if (params.mode !== 'form' || typeof properties !== 'object' || properties === null) continue;
        const known = ['string', 'number', 'integer', 'boolean', 'array'];
        const wrong = Object.values(properties).find((one) => !known.includes(String(at(one, 'type'))));
        const required = at(params.requestedSchema, 'required');
        const stray = (Array.isArray(required) ? required : []).find((name) => !(String(name) in properties));
        const missing = stray === undefined ? null : `there is no field ${shown(stray)}`;
        yield { frame, wrong: wrong === undefined ? missing : `a field has the type ${shown(at(wrong, 'type'))}` };
      }
    },
  },
};
