// Findings and places that the protocols over JSON-RPC share.
import type { InTrace, Messages, Request, Response, Side } from './json-rpc.ts';
import type { Finding, Place } from './rule.ts';
import { shown } from './shape.ts';

/** Both sides, and whether what is missing will not come. */
interface RpcView extends Messages {
  readonly isComplete: boolean;
}

/** Findings for requests that will get no answer any more. */
export function* answered({ isComplete }: RpcView, asks: Iterable<Request>): Generator<Finding> {
  for (const { frame, method, answers } of asks) {
    if (answers.length > 0) yield { frame, wrong: null };
    else if (isComplete) yield { frame, wrong: `${method} is not answered` };
  }
}

/** Wrong where an answer is an error. */
export function* succeeds(asks: Iterable<Request>): Generator<Finding> {
  for (const { answers, method } of asks) {
    const [answer] = answers;
    if (answer === undefined) continue;
    yield { frame: answer.frame, wrong: 'result' in answer.json ? null : `${method}: ${shown(answer.error)}` };
  }
}

/** Findings for the items behind which the client asked: whether anything was still answered. */
export function* survives({ client, isComplete }: RpcView, items: Iterable<InTrace>): Generator<Finding> {
  for (const { frame } of items) {
    const later = client.requests.filter((ask) => ask.frame > frame);
    if (later.some(({ answers }) => answers.length > 0)) yield { frame, wrong: null };
    else if (isComplete && later.length > 0) yield { frame, wrong: 'nothing is answered any more' };
  }
}

/** Whether no request is answered twice. */
export function* answeredOnce({ requests }: Side): Generator<Finding> {
  for (const { answers, method, id } of requests)
    for (const [place, { frame }] of answers.entries())
      yield { frame, wrong: place === 0 ? null : `${method} ${shown(id)} is answered again` };
}

/** Whether an answer has the fields that JSON-RPC allows. */
export const resultOrError = ({ json }: Response): string | null =>
  'result' in json && 'error' in json ? 'a result and an error' : null;

/** The errors of a side. A result beside an error is the subject of {@link resultOrError}. */
export const errorPlaces = ({ answers }: Side): Place[] =>
  answers
    .filter(({ json }) => 'error' in json && !('result' in json))
    .map(({ frame, error }) => ({ frame, value: error, as: 'error' }));
