// Broken agents of the native dialect: wrong answers, wrong requests, and wrong handling of input.
import { dictionaryOf } from '../../../src/core/model/dictionary.ts';
import {
  changesInput,
  changesOutput,
  dies,
  followed,
  idOf,
  isPrompt,
  isQuestion,
  isResultOfTool,
  losesPrompt,
  onAnswer,
  onQuestion,
  onResult,
  onSuccess,
  onSystem,
  onToolResult,
  type Row,
  refused,
} from './changes.ts';
import { drop, inside, mint, onBlocks, onType } from './stream-mutants.ts';

/** By the name of the check that must catch the mutant. */
export const controlMutants: Record<string, Row> = {
  'request-answered': {
    fault: 'mcp_status is not answered',
    make: changesOutput(onType('control_response', (frame) => (idOf(frame).startsWith('mcp_status-') ? null : frame))),
  },
  'request-answered-once': {
    fault: 'every request is answered twice',
    make: changesOutput(
      followed(
        ({ type }) => type === 'control_response',
        (frame) => frame,
      ),
    ),
  },
  'response-known': {
    fault: 'answers that nobody asked for',
    make: changesOutput(
      followed(
        ({ type }) => type === 'control_response',
        () => ({ type: 'control_response', response: { subtype: 'success', request_id: 'nobody' } }),
      ),
    ),
  },
  'set-model-offered': {
    fault: 'a model that was offered is refused',
    make: changesOutput(onAnswer('set_model', refused)),
  },
  'set-mode-answer': {
    fault: 'another mode than was asked for',
    make: changesOutput(onSuccess('set_permission_mode', () => ({ mode: 'plan' }))),
  },
  'set-mode-told': {
    fault: 'init always tells the same mode',
    make: changesOutput(onSystem('init', (frame) => ({ ...frame, permissionMode: 'default' }))),
  },
  'interrupt-ends': {
    fault: 'a turn that was interrupted has no result',
    make: changesOutput(onResult((frame) => (frame.is_error === true ? null : frame))),
  },
  'interrupt-verdict': {
    fault: 'a turn that was interrupted ran out of turns',
    make: changesOutput(
      onResult((frame) => (frame.is_error === true ? { ...frame, subtype: 'error_max_turns' } : frame)),
    ),
  },
  'ask-id-own': {
    fault: 'asks everything twice',
    make: changesOutput(followed(isQuestion, (frame) => frame)),
    alsoCaughtBy: ['ask-over', 'can-use-tool-waits'],
  },
  'can-use-tool-known': {
    fault: 'leave for a call that nobody made',
    make: changesOutput(onQuestion((request) => ({ ...request, tool_use_id: 'nobody' }))),
    alsoCaughtBy: ['deny-listed'],
  },
  'can-use-tool-waits': {
    fault: 'a result before leave is given',
    make: changesOutput(() => {
      let isTold = false;
      return (frame) => {
        if (isResultOfTool(frame)) return isTold ? [] : [frame];
        if (!isQuestion(frame)) return [frame];
        isTold = true;
        const { tool_use_id } = dictionaryOf(frame.request);
        const content = [{ type: 'tool_result', tool_use_id, content: 'done', is_error: true }];
        const message = { role: 'user', content };
        return [{ type: 'user', message, parent_tool_use_id: null, session_id: 's', uuid: mint() }, frame];
      };
    }),
    alsoCaughtBy: ['deny-reason', 'changed-input', 'session-same'],
  },
  'deny-reason': {
    fault: 'a denial without its reason',
    make: changesOutput(onToolResult((frame) => onBlocks(frame, (block) => ({ ...block, content: 'denied' })))),
  },
  'deny-listed': {
    fault: 'denials that are not listed',
    make: changesOutput(onResult((frame) => ({ ...frame, permission_denials: [] }))),
  },
  'denial-known': {
    fault: 'denials of calls that nobody made',
    make: changesOutput(
      onResult((frame) => ({
        ...frame,
        permission_denials: [{ tool_name: 'Bash', tool_use_id: 'x', tool_input: {} }],
      })),
    ),
    alsoCaughtBy: ['deny-listed'],
  },
  'deny-goes-on': {
    fault: 'a denial ends the turn with an error',
    make: changesOutput(onResult((frame) => ({ ...frame, is_error: true }))),
  },
  'changed-input': {
    fault: 'runs what it wanted to run',
    make: changesInput(() => (frame) => {
      if (frame.type !== 'control_response') return frame;
      return inside(frame, 'response', (response) =>
        inside(response, 'response', (answer) => drop(answer, 'updatedInput')),
      );
    }),
  },
  'cancel-known': {
    fault: 'withdraws what it has not asked',
    make: changesOutput(
      followed(
        ({ type }) => type === 'control_cancel_request',
        (frame) => ({ ...frame, request_id: 'nobody' }),
      ),
    ),
  },
  'ask-over': {
    fault: 'withdraws nothing',
    make: changesOutput(onType('control_cancel_request', () => null)),
    alsoCaughtBy: ['can-use-tool-waits'],
  },
  'prompt-string': {
    fault: 'passes over prompts that are a string',
    make: changesInput(() => (frame) => (typeof dictionaryOf(frame.message).content === 'string' ? null : frame)),
  },
  'prompt-crlf': { fault: 'passes over a line that ends in a carriage return', make: losesPrompt(1) },
  'prompt-image': {
    fault: 'passes over prompts with an image',
    make: changesInput(() => (frame) => (JSON.stringify(frame).includes('"image"') ? null : frame)),
  },
  'next-turn': {
    fault: 'says nothing any more once it failed',
    make: changesInput(
      () => (frame) => (isPrompt(frame) && JSON.stringify(frame).includes('hello there') ? null : frame),
    ),
  },
  'unknown-type': { fault: 'dies of a type that it does not know', make: dies(({ type }) => type === 'no_such_type') },
  'keep-alive': { fault: 'dies of keep_alive', make: dies(({ type }) => type === 'keep_alive') },
  'blank-line': {
    fault: 'dies of an empty line',
    make: () => ({
      raw(_text, link) {
        link.close();
        return [];
      },
    }),
  },
};
