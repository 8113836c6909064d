// Changes to the messages of native Claude agents that make them wrong.
import type { Dictionary } from '../../../src/core/model/content.ts';
import { dictionaryOf } from '../../../src/core/model/dictionary.ts';
import type { Interceptor } from '../support/intercept.ts';
import type { Mutant } from '../support/mutant.ts';
import { type Change, each, inside, onType, type Through } from './stream-mutants.ts';

/** Changes what the agent sends. */
export const changesOutput: Through = (change) => () => {
  const own = change();
  return { out: (frame) => own(frame) };
};
/** Changes what the agent receives. */
export const changesInput = (change: () => (frame: Dictionary) => Dictionary | null) => (): Interceptor => {
  const own = change();
  return {
    in(frame) {
      const changed = own(frame);
      return changed === null ? [] : [changed];
    },
  };
};
/** Closes the connection on a matching frame of the client. */
export const dies = (isIt: (frame: Dictionary) => boolean) => (): Interceptor => ({
  in(frame, link) {
    if (isIt(frame)) link.close();
    return [frame];
  },
});
/** Sends another frame after each matching one. */
export const followed =
  (isIt: (frame: Dictionary) => boolean, next: (frame: Dictionary) => Dictionary) => (): Change => (frame) =>
    isIt(frame) ? [frame, next(frame)] : [frame];

/** Whether the frame is a system message of this subtype. */
export const isSystem = (subtype: string) => (frame: Dictionary) =>
  frame.type === 'system' && frame.subtype === subtype;
/** Changes system messages of this subtype. */
export const onSystem = (subtype: string, change: (frame: Dictionary) => Dictionary | null) =>
  onType('system', (frame) => (frame.subtype === subtype ? change(frame) : frame));
/** Changes results of turns. */
export const onResult = (change: (frame: Dictionary) => Dictionary | null) => onType('result', change);
/** Whether the frame holds a tool result. */
export const isResultOfTool = (frame: Dictionary) =>
  JSON.stringify(frame.type === 'user' ? frame : {}).includes('"tool_result"');
/** Changes tool results. */
export const onToolResult = (change: (frame: Dictionary) => Dictionary | null) =>
  each((frame) => (isResultOfTool(frame) ? change(frame) : frame));

/** The id of the request that a response answers. */
export const idOf = (frame: Dictionary) => String(dictionaryOf(frame.response).request_id);
/** Changes answers to requests of this subtype; their ids begin with the subtype. */
export const onAnswer = (subtype: string, change: (response: Dictionary) => Dictionary) =>
  onType('control_response', (frame) =>
    idOf(frame).startsWith(`${subtype}-`) ? inside(frame, 'response', change) : frame,
  );
/** Changes the content of successful answers. */
export const onSuccess = (subtype: string, change: (response: Dictionary) => Dictionary) =>
  onAnswer(subtype, (response) => (response.subtype === 'success' ? inside(response, 'response', change) : response));
/** A refusal of this request. */
export const refused = ({ request_id }: Dictionary): Dictionary => ({ subtype: 'error', request_id, error: 'No.' });
/** Whether the frame is a request of the agent. */
export const isQuestion = (frame: Dictionary) => frame.type === 'control_request';
/** Changes requests of the agent. */
export const onQuestion = (change: (request: Dictionary) => Dictionary) =>
  onType('control_request', (frame) => inside(frame, 'request', change));

/** A mutant without the name of its check. */
export interface Row {
  readonly fault: string;
  readonly make: Mutant['make'];
  readonly alsoCaughtBy?: readonly string[];
}

/** A change with a counter that lasts for one run. */
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
/** Whether the frame is a prompt. */
export const isPrompt = (frame: Dictionary) => frame.type === 'user';
/** Drops the prompt with that number, counted from 0. */
export const losesPrompt = (lost: number) =>
  changesInput(() => {
    let count = 0;
    return (frame) => (isPrompt(frame) && count++ === lost ? null : frame);
  });
