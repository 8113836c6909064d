// Building blocks of ACP mutants: changes to updates, answers and requests.
import type { Dictionary } from '../../../../src/core/model/content.ts';
import { dictionaryOf } from '../../../../src/core/model/dictionary.ts';
import { alone, asking, hangUp, isAnswer, notice, onceBehind, params } from '../../eca/mutants/changes.ts';
import type { Interceptor } from '../../support/intercept.ts';
import type { Mutant } from '../../support/mutant.ts';

export { nobodys, nobodysPlain, nowhere } from '../../../../src/conformance/acp/words.ts';

type Change = (fields: Dictionary) => Dictionary;
type Test = (fields: Dictionary) => boolean;

/** A row: the check, the fault, how it is made, and the checks that may catch it too. */
export type MutantRow = readonly [caught: string, fault: string, make: Mutant['make'], also?: readonly string[]];

/** The mutants of a table. */
export const mutantsIn = (rows: readonly MutantRow[]): Mutant[] =>
  rows.map(([caught, fault, make, also = []]) => ({ fault, caughtBy: [caught], alsoCaughtBy: also, make }));

export const updateIn = (frame: Dictionary): Dictionary => dictionaryOf(dictionaryOf(frame.params).update);
export const isUpdate =
  (...kinds: readonly string[]): Test =>
  (frame) =>
    kinds.includes(String(updateIn(frame).sessionUpdate));

/** Changes updates of these kinds. */
export const update = (kinds: readonly string[], change: Change, more: Test = () => true) =>
  params(
    (frame) => isUpdate(...kinds)(frame) && more(updateIn(frame)),
    (told) => ({ ...told, update: change(dictionaryOf(told.update)) }),
  );

/** An update of a session. */
export const told = (sessionId: unknown, of: Dictionary): Dictionary =>
  notice('session/update', { sessionId, update: of });

/** Sends a frame of the agent's behind the answer to `session/new`. */
export const behindNew = (
  make: (session: unknown) => Dictionary,
  ...more: readonly ((session: unknown) => Dictionary)[]
) => {
  const isNew: Test = (frame) => isAnswer(frame) && dictionaryOf(frame.result).sessionId !== undefined;
  return onceBehind(
    isNew,
    ...[make, ...more].map((one) => (frame: Dictionary) => one(dictionaryOf(frame.result).sessionId)),
  );
};

/** Sends an update of the same session behind the first one of that kind. */
export const behindUpdate = (kind: string, of: Dictionary) =>
  onceBehind(isUpdate(kind), (frame) => told(dictionaryOf(frame.params).sessionId, of));

/** Changes the answers to requests that match. */
export const answerTo = (isIt: Test, change: (answer: Dictionary, request: Dictionary) => Dictionary) =>
  asking((_, requestOf) => ({
    out: (frame) => [isAnswer(frame) && isIt(requestOf(frame)) ? change(frame, requestOf(frame)) : frame],
  }));
export const is =
  (method: string, more: Test = () => true): Test =>
  (frame) =>
    frame.method === method && more(dictionaryOf(frame.params));
const fails = (code: number) => (answer: Dictionary) => ({
  jsonrpc: '2.0',
  id: answer.id,
  error: { code, message: 'no' },
});
/** Refuses requests that match. */
export const refuses = (isIt: Test, code = -32_603) => answerTo(isIt, fails(code));
/** Answers requests that match with this result. */
export const grants = (isIt: Test, result: unknown = {}) =>
  answerTo(isIt, ({ id }) => ({ jsonrpc: '2.0', id, result }));
/** Changes the results of requests that match. */
export const results = (isIt: Test, change: Change) =>
  answerTo(isIt, (answer) =>
    'result' in answer ? { ...answer, result: change(dictionaryOf(answer.result)) } : answer,
  );
/** Disconnects when a request comes that matches. */
export const diesAt = (isIt: Test) => (): Interceptor => ({
  in: (frame, link) => (isIt(frame) ? hangUp(link) : [frame]),
});
/** Sends a frame behind each answer to a prompt. */
export const behindPrompts = (make: (request: Dictionary) => Dictionary) =>
  asking((methodOf, requestOf) => ({
    out: (frame) =>
      methodOf(frame) === 'session/prompt' ? [frame, make(dictionaryOf(requestOf(frame).params))] : [frame],
  }));
/** Is deaf behind a line that is no message. */
export const deafBehind = (begin: string) =>
  alone(() => {
    let isDeaf = false;
    return {
      raw(text) {
        isDeaf ||= text.startsWith(begin);
        return [text];
      },
      in: (frame, link) => (isDeaf ? hangUp(link) : [frame]),
    };
  });
/** Changes each option of a list. */
export const eachOption = (change: Change) => (fields: Dictionary) => ({
  ...fields,
  ...(Array.isArray(fields.configOptions)
    ? { configOptions: fields.configOptions.map((option) => change(dictionaryOf(option))) }
    : {}),
});
