// Rules on the beginning of a connection, for agents. docs/protocols/acp.md 2.

import { answered } from '../../check/json-rpc-findings.ts';
import { each } from '../../check/rule.ts';
import { fields, misfit, shown } from '../../check/shape.ts';
import { object } from '../shapes/parts.ts';
import { asksOf, at, codeOf, itemsOf, resultsOf } from '../view/view.ts';
import { type Rows, refused, twice } from './judging.ts';

const start = ['start'];
const covers = ['request:initialize'];

/** Whether an answer of version 1 names ways to log in: another version has other fields (docs/protocols/acp.md 10.67). */
const hasWays = (result: unknown): boolean =>
  at(result, 'protocolVersion') === 1 && (at(result, 'authMethods') ?? null) !== null;
const idsOf = (result: unknown): unknown[] => itemsOf(at(result, 'authMethods')).map(({ id }) => id);
/** A way to log in (docs/protocols/acp.md 2.13). */
const authMethod = object(
  { description: 'string', type: 'string', args: ['string'], env: 'object' },
  { id: 'string', name: 'string' },
);

/** All rules on the beginning. */
export const startRows: Rows = {
  'initialize-answered': {
    section: '2.10',
    sentence: '`initialize` is answered with a result.',
    covers,
    scenarios: start,
    reads: 'both',
    *judge(view) {
      // Versions that nobody has may be refused (2.10: codex of 0).
      const asks = asksOf(view, 'initialize').filter(({ params }) => params.protocolVersion === 1);
      yield* answered(view, asks);
      for (const { answers } of asks)
        for (const { frame, json, error } of answers)
          if (!('result' in json)) yield { frame, wrong: `initialize: ${shown(error)}` };
    },
  },
  'version-same': {
    section: '2.10',
    sentence: 'An agent that is asked for version 1 and has it answers 1.',
    covers,
    scenarios: start,
    reads: 'both',
    judge: (view) =>
      each(
        resultsOf(view, 'initialize').filter(({ ask }) => ask.params.protocolVersion === 1),
        ({ result }) => (at(result, 'protocolVersion') === 1 ? null : `it is ${shown(at(result, 'protocolVersion'))}`),
      ),
  },
  'version-newest': {
    section: '2.10',
    sentence: 'An agent that is asked for a version that nobody has answers with the newest that it has.',
    covers,
    scenarios: ['newest'],
    reads: 'both',
    *judge(view) {
      for (const { params, answers } of asksOf(view, 'initialize')) {
        const [answer] = answers;
        if (Number(params.protocolVersion) < 99 || answer === undefined) continue;
        const version = at(answer.result, 'protocolVersion');
        const isRight = Number.isInteger(version) && version !== params.protocolVersion;
        yield { frame: answer.frame, wrong: isRight ? null : `the answer is ${shown(answer.json)}` };
      }
    },
  },
  'auth-methods-shape': {
    section: '2.13',
    sentence: 'A way to log in has an id and a name; a list of arguments and an object of variables, if any.',
    covers: ['request:authenticate'],
    scenarios: start,
    judge: (view) =>
      each(
        resultsOf(view, 'initialize').filter(({ result }) => hasWays(result)),
        ({ result }) => misfit(result, fields({ authMethods: [authMethod] }), 'result') ?? twice(idsOf(result), 'id'),
      ),
  },
  'auth-unknown': {
    section: '2.13',
    isMeasured: true,
    sentence: '`authenticate` with a method that the agent does not name is refused.',
    covers: ['request:authenticate'],
    scenarios: ['bad values'],
    reads: 'both',
    judge: (view) =>
      refused(asksOf(view, 'authenticate').filter(({ params }) => String(params.methodId).startsWith('conformance-'))),
  },
  'login-possible': {
    section: '2.13',
    level: 'MAY',
    sentence: 'An agent that wants a login (error -32000) has named a way to log in.',
    covers: ['request:authenticate'],
    scenarios: start,
    reads: 'both',
    *judge(view) {
      const ways = resultsOf(view, 'initialize').flatMap(({ result }) => itemsOf(at(result, 'authMethods')));
      for (const answer of view.agent.answers)
        if (view.initialize !== null && codeOf(answer) === -32_000)
          yield { frame: answer.frame, wrong: ways.length > 0 ? null : 'no way was named' };
    },
  },
  'before-initialize': {
    section: '2.12',
    isMeasured: true,
    sentence: 'A request before `initialize` is answered.',
    covers,
    scenarios: ['early'],
    reads: 'both',
    *judge(view) {
      const first = view.initialize?.frame ?? Number.NEGATIVE_INFINITY;
      yield* answered(
        view,
        view.client.requests.filter(({ frame }) => frame < first),
      );
    },
  },
};
