// What can be changed in what native Claude speakers say, so that they are wrong. Knows no double.
import type { Dictionary } from '../../../src/core/model/content.ts';
import { dictionaryOf } from '../../../src/core/model/dictionary.ts';
import type { Mutant } from '../support/mutant.ts';
import type { Interceptor } from '../support/intercept.ts';
import { type Change, drop, each, inside, onType, type Through } from './stream-mutants.ts';

/** Changes what the agent says. */
export const changesOutput: Through = (change) => () => {
  const own = change();
  return { out: (frame) => own(frame) };
};
/** What becomes of what the client says. */
export const changesInput = (change: () => (frame: Dictionary) => Dictionary | null) => (): Interceptor => {
  const own = change();
  return {
    in(frame) {
      const changed = own(frame);
      return changed === null ? [] : [changed];
    },
  };
};
/** Goes away when it hears that. */
export const dies = (isIt: (frame: Dictionary) => boolean) => (): Interceptor => ({
  in(frame, link) {
    if (isIt(frame)) link.close();
    return [frame];
  },
});
/** With something else behind each that is it. */
export const followed =
  (isIt: (frame: Dictionary) => boolean, next: (frame: Dictionary) => Dictionary) => (): Change => (frame) =>
    isIt(frame) ? [frame, next(frame)] : [frame];

/** Whether it is a system message of that subtype. */
export const isSystem = (subtype: string) => (frame: Dictionary) =>
  frame.type === 'system' && frame.subtype === subtype;
/** Changes system messages of that subtype. */
export const onSystem = (subtype: string, change: (frame: Dictionary) => Dictionary | null) =>
  onType('system', (frame) => (frame.subtype === subtype ? change(frame) : frame));
/** Changes results of turns. */
export const onResult = (change: (frame: Dictionary) => Dictionary | null) => onType('result', change);
/** Whether it holds the result of a call. */
export const isResultOfTool = (frame: Dictionary) =>
  JSON.stringify(frame.type === 'user' ? frame : {}).includes('"tool_result"');
/** Changes those. */
export const onToolResult = (change: (frame: Dictionary) => Dictionary | null) =>
  each((frame) => (isResultOfTool(frame) ? change(frame) : frame));

/** The request that a response answers. */
export const idOf = (frame: Dictionary) => String(dictionaryOf(frame.response).request_id);
/** The answers to requests of that subtype, whose ids begin with it. */
export const onAnswer = (subtype: string, change: (response: Dictionary) => Dictionary) =>
  onType('control_response', (frame) =>
    idOf(frame).startsWith(`${subtype}-`) ? inside(frame, 'response', change) : frame,
  );
/** What a success holds. */
export const onSuccess = (subtype: string, change: (response: Dictionary) => Dictionary) =>
  onAnswer(subtype, (response) => (response.subtype === 'success' ? inside(response, 'response', change) : response));
/** Changes refusals. */
export const onError = (change: (response: Dictionary) => Dictionary) =>
  onType('control_response', (frame) =>
    dictionaryOf(frame.response).subtype === 'error' ? inside(frame, 'response', change) : frame,
  );
/** A refusal of that request. */
export const refused = ({ request_id }: Dictionary): Dictionary => ({ subtype: 'error', request_id, error: 'No.' });
/** A success with nothing in it. */
export const granted = ({ request_id }: Dictionary): Dictionary => ({ subtype: 'success', request_id, response: {} });
/** Whether the agent asks something. */
export const isQuestion = (frame: Dictionary) => frame.type === 'control_request';
/** Changes what it asks. */
export const onQuestion = (change: (request: Dictionary) => Dictionary) =>
  onType('control_request', (frame) => inside(frame, 'request', change));
/** A list whose items lack that field. */
export const withoutFirst = (list: unknown, name: string): unknown[] =>
  Array.isArray(list) ? list.map((one) => drop(dictionaryOf(one), name)) : [];

/** A double without the name of its check. */
export interface Row {
  readonly fault: string;
  readonly make: Mutant['make'];
  readonly alsoCaughtBy?: readonly string[];
}

/** Lasts for one run: what is counted up. */
export function counted(
  change: (frame: Dictionary, count: number) => Dictionary | null,
  isIt: (frame: Dictionary) => boolean,
) {
  return (): Change => {
    let count = 0;
    return (frame) => {
      if (!isIt(frame)) return [frame];
      const changed = change(frame, count++);
      return changed === null ? [] : [changed];
    };
  };
}
/** Whether it is a prompt. */
export const isPrompt = (frame: Dictionary) => frame.type === 'user';
/** Loses the prompt that comes as that one, counted from 0. */
export const losesPrompt = (lost: number) =>
  changesInput(() => {
    let count = 0;
    return (frame) => (isPrompt(frame) && count++ === lost ? null : frame);
  });
