// ECA editors with one fault each. Here `out` is what the editor sends.
import type { Dictionary } from '../../../../src/core/model/content.ts';
import { isDictionary } from '../../../../src/core/model/dictionary.ts';
import { changesOutput, dropsOutput, type Mutant } from '../../support/mutant.ts';
import { alone, behind, contentOf, having, isAnswer, isMethod, lacking, notice, params } from './changes.ts';

const isInitialize = isMethod('initialize');
const isPrompt = isMethod('chat/prompt');
const isQuery = isMethod('chat/queryCommands');
const isDelete = isMethod('chat/delete');
const isApproval = isMethod('chat/toolCallApprove');
const same = (frame: Dictionary) => frame;
/** Sends a message before each matching frame. */
const before = (isIt: (frame: Dictionary) => boolean, more: Dictionary) => () => ({
  out: (frame: Dictionary) => (isIt(frame) ? [more, frame] : [frame]),
});

/** All mutants. */
export const brokenEditors: readonly Mutant[] = [
  {
    fault: 'messages without jsonrpc',
    caughtBy: ['message-shape'],
    make: changesOutput((frame) => (isQuery(frame) ? lacking('jsonrpc')(frame) : frame)),
  },
  { fault: 'two requests under one id', caughtBy: ['request-id'], make: behind(isQuery, same) },
  {
    fault: 'speaks before it initializes',
    caughtBy: ['initialize-first'],
    make: before(isInitialize, notice('$/setTrace', {})),
  },
  {
    fault: 'initializes twice',
    caughtBy: ['initialize-once'],
    make: behind(isInitialize, (frame) => ({ ...frame, id: 'again' })),
  },
  {
    fault: 'is never initialized',
    caughtBy: ['initialized-after-answer', 'no-prompt-before-initialized'],
    make: dropsOutput(isMethod('initialized')),
  },
  {
    fault: 'is initialized twice',
    caughtBy: ['initialized-after-answer'],
    make: behind(isMethod('initialized'), same),
  },
  {
    fault: 'is initialized before the answer',
    caughtBy: ['initialized-after-answer'],
    alsoCaughtBy: ['initialize-first'],
    make: () => ({
      out(frame) {
        if (isInitialize(frame)) return [notice('initialized', {}), frame];
        return isMethod('initialized')(frame) ? [] : [frame];
      },
    }),
  },
  {
    fault: 'prompts before it is initialized',
    caughtBy: ['no-prompt-before-initialized'],
    make: alone(() => {
      let held: Dictionary | null = null;
      return {
        out(frame) {
          if (isMethod('initialized')(frame)) {
            held = frame;
            return [];
          }
          if (!isPrompt(frame) || held === null) return [frame];
          const late = held;
          held = null;
          return [frame, late];
        },
      };
    }),
  },
  {
    fault: 'does not answer',
    caughtBy: ['answers-requests'],
    alsoCaughtBy: ['survives-unknown'],
    make: dropsOutput(isAnswer),
  },
  { fault: 'answers twice', caughtBy: ['answer-once'], make: behind(isAnswer, same) },
  {
    fault: 'answers under another id',
    caughtBy: ['answer-once'],
    alsoCaughtBy: ['answers-requests'],
    make: changesOutput((frame) => (isAnswer(frame) ? { ...frame, id: String(frame.id).slice(1) } : frame)),
  },
  {
    fault: 'a result beside an error',
    caughtBy: ['answer-result-or-error'],
    make: changesOutput((frame) => (isAnswer(frame) ? { ...frame, result: null } : frame)),
  },
  {
    fault: 'an error of another number',
    caughtBy: ['unknown-method'],
    make: changesOutput((frame) =>
      isDictionary(frame.error) ? { ...frame, error: { ...frame.error, code: -32603 } } : frame,
    ),
  },
  {
    fault: 'dies of what it does not know',
    caughtBy: ['survives-unknown'],
    alsoCaughtBy: ['answers-requests'],
    make: alone(() => {
      let isDead = false;
      return {
        in(frame) {
          isDead ||= contentOf(frame).type === 'conformanceContent';
          return [frame];
        },
        out: (frame) => (isDead ? [] : [frame]),
      };
    }),
  },
  {
    fault: 'exits without shutdown',
    caughtBy: ['exit-after-shutdown'],
    make: behind(isDelete, () => ({ jsonrpc: '2.0', method: 'exit' })),
  },
  {
    fault: 'asks after shutdown',
    caughtBy: ['quiet-after-shutdown'],
    make: before(isDelete, { jsonrpc: '2.0', id: 'shutdown', method: 'shutdown' }),
  },
  {
    fault: 'a model that nobody offers',
    caughtBy: ['prompt-model'],
    make: params(isPrompt, having({ model: 'nobody' })),
  },
  {
    fault: 'a behavior that nobody offers',
    caughtBy: ['prompt-behavior'],
    make: params(isPrompt, having({ behavior: 'nobody' })),
  },
  {
    fault: 'approves a call that does not wait',
    caughtBy: ['answer-waiting'],
    alsoCaughtBy: ['answer-once-each'],
    make: params(isApproval, having({ toolCallId: 'nobody' })),
  },
  {
    fault: 'approves in another chat',
    caughtBy: ['answer-chat'],
    make: params(isApproval, having({ chatId: 'another' })),
  },
  { fault: 'approves twice', caughtBy: ['answer-once-each'], make: behind(isApproval, same) },
  {
    fault: 'stops a chat that nobody knows',
    caughtBy: ['stop-known'],
    make: params(isMethod('chat/promptStop'), having({ chatId: 'nobody' })),
  },
];
