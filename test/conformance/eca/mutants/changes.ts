// Building blocks of ECA mutants: changes to messages by method, content type and answer.
import type { Dictionary } from '../../../../src/core/model/content.ts';
import { dictionaryOf } from '../../../../src/core/model/dictionary.ts';
import type { Interceptor, Link } from '../../support/intercept.ts';
import { changesOutput } from '../../support/mutant.ts';

type Change = (fields: Dictionary) => Dictionary;
type Test = (fields: Dictionary) => boolean;

/** Removes these fields. */
export const lacking =
  (...names: readonly string[]): Change =>
  (fields) =>
    Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
/** Adds these fields. */
export const having =
  (more: Dictionary): Change =>
  (fields) => ({ ...fields, ...more });

export const contentOf = (frame: Dictionary): Dictionary => dictionaryOf(dictionaryOf(frame.params).content);
export const isContent = (frame: Dictionary): boolean => frame.method === 'chat/contentReceived';
export const isOf =
  (type: string, more: Test = () => true): Test =>
  (frame) =>
    isContent(frame) && contentOf(frame).type === type && more(contentOf(frame));
export const isOfUser: Test = (frame) => isContent(frame) && dictionaryOf(frame.params).role === 'user';
export const isOfModel: Test = (frame) => isContent(frame) && dictionaryOf(frame.params).role === 'assistant';
export const isRunning = isOf('progress', ({ state }) => state === 'running');
export const isFinished = isOf('progress', ({ state }) => state === 'finished');
export const isMethod =
  (method: string): Test =>
  (frame) =>
    frame.method === method;
export const isAnswer: Test = (frame) => frame.method === undefined;

/** Changes the params of a message. */
export const params = (isIt: Test, change: Change) =>
  changesOutput((frame) => (isIt(frame) ? withParams(frame, change) : frame));
export const withParams = (frame: Dictionary, change: Change): Dictionary => ({
  ...frame,
  params: change(dictionaryOf(frame.params)),
});
/** Changes contents of this type. */
export const content = (type: string, change: Change, more: Test = () => true) =>
  params(isOf(type, more), (told) => ({ ...told, content: change(dictionaryOf(told.content)) }));
/** Changes the role of contents of this type. */
export const role = (type: string, own: string) => params(isOf(type), having({ role: own }));

/** Uses a new interceptor for each connection. */
export const alone = (make: () => Interceptor) => (): Interceptor => {
  const own = new Map<Link, Interceptor>();
  const of = (link: Link) => {
    const known = own.get(link) ?? make();
    own.set(link, known);
    return known;
  };
  return {
    out: (frame, link) => of(link).out?.(frame, link) ?? [frame],
    in: (frame, link) => of(link).in?.(frame, link) ?? [frame],
    raw: (text, link) => of(link).raw?.(text, link) ?? [text],
  };
};

/** Knows the method of every request by its id. */
export const asking = (
  make: (methodOf: (frame: Dictionary) => unknown, requestOf: (frame: Dictionary) => Dictionary) => Interceptor,
) =>
  alone(() => {
    const asked = new Map<unknown, Dictionary>();
    const requestOf = (frame: Dictionary) => (isAnswer(frame) ? (asked.get(frame.id) ?? {}) : {});
    const tamper = make((frame) => requestOf(frame).method, requestOf);
    return {
      ...tamper,
      in(frame, link) {
        if (frame.id !== undefined) asked.set(frame.id, frame);
        return tamper.in?.(frame, link) ?? [frame];
      },
    };
  });

/** Changes answers to this method. */
export const answer = (method: string, change: (frame: Dictionary) => Dictionary) =>
  asking((methodOf) => ({ out: (frame) => [methodOf(frame) === method ? change(frame) : frame] }));
/** Disconnects instead of answering this method. */
export const unanswered = (method: string) =>
  asking((methodOf) => ({ out: (frame, link) => (methodOf(frame) === method ? hangUp(link) : [frame]) }));

/** Disconnects, so that nobody waits until the patience runs out. */
export function hangUp(link: Link): [] {
  link.close();
  return [];
}
/** Disconnects instead of sending a matching frame. */
export const silentAt = (isIt: Test) => (): Interceptor => ({
  out: (frame, link) => (isIt(frame) ? hangUp(link) : [frame]),
});
/** Disconnects when the client sends a matching frame. */
export const deafTo = (isIt: Test) => (): Interceptor => ({
  in: (frame, link) => (isIt(frame) ? hangUp(link) : [frame]),
});
/** Disconnects after a matching frame. */
export const goneBehind = (isIt: Test, tamper: Interceptor) => (): Interceptor => ({
  ...tamper,
  out(frame, link) {
    if (isIt(frame)) queueMicrotask(() => link.close());
    return tamper.out?.(frame, link) ?? [frame];
  },
});
/** Changes results of this method. */
export const result = (method: string, change: Change) =>
  answer(method, (frame) => ('result' in frame ? { ...frame, result: change(dictionaryOf(frame.result)) } : frame));

/** Sends another frame after each matching one. */
export const behind = (isIt: Test, more: (frame: Dictionary) => Dictionary) => (): Interceptor => ({
  out: (frame) => (isIt(frame) ? [frame, more(frame)] : [frame]),
});
/** Sends other frames after the first matching one of a connection. */
export const onceBehind = (isIt: Test, ...more: readonly ((frame: Dictionary) => Dictionary)[]) =>
  alone(() => {
    let isDone = false;
    return {
      out(frame) {
        if (isDone || !isIt(frame)) return [frame];
        isDone = true;
        return [frame, ...more.map((make) => make(frame))];
      },
    };
  });
/** A content in the same chat as the given one. */
export const told = (frame: Dictionary, own: string, said: Dictionary): Dictionary => ({
  jsonrpc: '2.0',
  method: 'chat/contentReceived',
  params: { chatId: dictionaryOf(frame.params).chatId, role: own, content: said },
});
/** A notification. */
export const notice = (method: string, said: Dictionary): Dictionary => ({ jsonrpc: '2.0', method, params: said });
