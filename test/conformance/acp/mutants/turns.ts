// ACP agents that violate settings, turns, calls, questions or updates.
import type { Dictionary } from '../../../../src/core/model/content.ts';
import { dictionaryOf } from '../../../../src/core/model/dictionary.ts';
import { alone, asking, behind, having, isMethod, notice, params, unanswered } from '../../eca/mutants/changes.ts';
import { dropsOutput } from '../../support/mutant.ts';
import {
  answerTo,
  behindNew,
  behindPrompts,
  behindUpdate,
  diesAt,
  eachOption,
  grants,
  is,
  isUpdate,
  type MutantRow,
  mutantsIn,
  nowhere,
  refuses,
  results,
  told,
  update,
  updateIn,
} from './changes.ts';

const chunk = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'hello' } };
const isPrompt = is('session/prompt');
/** Prompts with a content of this type. */
const holding = (type: string) =>
  is('session/prompt', ({ prompt }) => Array.isArray(prompt) && prompt.some((one) => dictionaryOf(one).type === type));
const stops = (reason: string, isIt: (result: Dictionary) => boolean = () => true) =>
  results(isPrompt, (result) => (isIt(result) ? { ...result, stopReason: reason } : result));
const wasCancelled = ({ stopReason }: Dictionary) => stopReason === 'cancelled';
const modes = (change: (modes: Dictionary) => Dictionary) =>
  results(is('session/new'), (result) => ({ ...result, modes: change(dictionaryOf(result.modes)) }));
const options = (change: (option: Dictionary) => Dictionary) => results(is('session/new'), eachOption(change));
const firstMode = ({ availableModes }: Dictionary) =>
  dictionaryOf(Array.isArray(availableModes) ? availableModes.at(-1) : {}).id;
/** The second prompt of a connection that is answered at all has this reason. */
const second = (reason: string) =>
  asking((methodOf) => {
    let count = 0;
    return {
      out(frame) {
        if (methodOf(frame) !== 'session/prompt') return [frame];
        count += 1;
        return [count < 2 ? frame : { ...frame, result: { stopReason: reason } }];
      },
    };
  });

const settings: readonly MutantRow[] = [
  ['mode-offered', 'a current mode that is not offered', modes(having({ currentModeId: 'nobody' })), ['mode-in-step']],
  ['set-mode', 'offered modes are refused', refuses(is('session/set_mode'))],
  ['mode-unknown', 'any mode is taken', grants(is('session/set_mode', ({ modeId }) => modeId === nowhere))],
  [
    'option-ids',
    'an option comes twice',
    results(is('session/new'), (result) => ({
      ...result,
      configOptions: [result.configOptions, result.configOptions].flat(),
    })),
  ],
  [
    'option-offered',
    'a value that is not offered',
    options((option) => (option.type === 'select' ? { ...option, currentValue: 'nobody' } : option)),
    ['mode-in-step'],
  ],
  [
    'boolean-declared',
    'switches for clients that know none',
    results(is('session/new'), (result) => ({
      ...result,
      configOptions: [result.configOptions, { id: 'fast', name: 'Fast', type: 'boolean', currentValue: true }].flat(),
    })),
  ],
  ['set-option', 'offered values are refused', refuses(is('session/set_config_option'))],
  ['set-option-list', 'no list in the answer', results(is('session/set_config_option'), having({ configOptions: [] }))],
  [
    'set-option-value',
    'the value stays as it was',
    results(is('session/set_config_option'), eachOption(having({ currentValue: 'before' }))),
    ['option-offered', 'options-shape'],
  ],
  [
    'option-unknown',
    'any value is taken',
    grants(
      is('session/set_config_option', ({ value }) => value === nowhere),
      { configOptions: [] },
    ),
    ['set-option-list'],
  ],
  ['mode-in-step', 'the mode is another one than its option', modes((of) => ({ ...of, currentModeId: firstMode(of) }))],
  [
    'command-names',
    'commands with their slash',
    update(['available_commands_update'], having({ availableCommands: [{ name: '/any', description: 'any' }] })),
  ],
];

const turns: readonly MutantRow[] = [
  ['prompt-answered', 'prompts are not answered', unanswered('session/prompt')],
  ['text-in-turn', 'speaks behind the answer', behindPrompts(({ sessionId }) => told(sessionId, chunk))],
  ['takes-text', 'texts are refused', refuses(holding('text'), -32_602), ['takes-link', 'unknown-fields']],
  ['takes-link', 'links are refused', refuses(holding('resource_link'), -32_602), ['takes-text', 'unknown-fields']],
  ['takes-image', 'pictures are declared and refused', refuses(holding('image'), -32_602), ['takes-text']],
  [
    'takes-audio',
    'sounds are declared and refused',
    asking((methodOf, requestOf) => ({
      out(frame) {
        if (methodOf(frame) === 'initialize') {
          const result = dictionaryOf(frame.result);
          const agentCapabilities = { ...dictionaryOf(result.agentCapabilities), promptCapabilities: { audio: true } };
          return [{ ...frame, result: { ...result, agentCapabilities } }];
        }
        return [
          holding('audio')(requestOf(frame))
            ? { jsonrpc: '2.0', id: frame.id, error: { code: -32_602, message: 'no' } }
            : frame,
        ];
      },
    })),
    ['takes-text'],
  ],
  ['takes-resource', 'resources are declared and refused', refuses(holding('resource'), -32_602), ['takes-text']],
  [
    'prompt-unknown-session',
    'any session is prompted',
    grants(
      is('session/prompt', ({ sessionId }) => sessionId === nowhere),
      { stopReason: 'end_turn' },
    ),
  ],
  [
    'prompt-bad',
    'any prompt is taken',
    grants(
      is('session/prompt', ({ prompt }) => !Array.isArray(prompt)),
      { stopReason: 'end_turn' },
    ),
  ],
  [
    'prompt-queued',
    'a second prompt is passed over',
    asking((methodOf) => {
      let prompts = 0;
      return {
        in(frame) {
          if (frame.method === 'session/prompt') prompts += 1;
          return frame.method === 'session/prompt' && prompts > 1 ? [] : [frame];
        },
        out(frame, link) {
          if (methodOf(frame) === 'session/prompt') queueMicrotask(() => link.close());
          return [frame];
        },
      };
    }),
  ],
  ['says-something', 'says nothing', dropsOutput(isUpdate('agent_message_chunk'))],
  [
    'failure-told',
    'a model that fails is passed over',
    asking((methodOf) => ({
      out(frame) {
        if (isUpdate('agent_message_chunk', 'notice')(frame)) return [];
        return [
          methodOf(frame) === 'session/prompt'
            ? { jsonrpc: '2.0', id: frame.id, result: { stopReason: 'end_turn' } }
            : frame,
        ];
      },
    })),
  ],
  ['cancel-answered', 'cancelling is the end of everything', diesAt(isMethod('session/cancel'))],
  [
    'cancel-reason',
    'a cancelled prompt is answered with an error',
    answerTo(isPrompt, (frame) =>
      wasCancelled(dictionaryOf(frame.result))
        ? { jsonrpc: '2.0', id: frame.id, error: { code: -32_603, message: 'aborted' } }
        : frame,
    ),
    ['permission-cancelled'],
  ],
  ['cancel-reason', 'a cancelled prompt ends as any other', stops('end_turn', wasCancelled)],
  [
    'cancel-idle',
    'a cancel without a prompt hits the next one',
    alone(() => {
      let isIdle = false;
      return {
        in(frame) {
          isIdle ||= frame.method === 'session/cancel';
          return [frame];
        },
        out: (frame) => [
          isIdle && dictionaryOf(frame.result).stopReason === 'end_turn'
            ? { ...frame, result: { stopReason: 'cancelled' } }
            : frame,
        ],
      };
    }),
    ['prompt-after-cancel'],
  ],
  ['prompt-after-cancel', 'the next prompt is cancelled as well', second('cancelled'), ['cancel-idle']],
  ['cancel-request', 'a cancelled request ends as any other', stops('end_turn', wasCancelled), ['cancel-reason']],
  [
    'cancel-request-unknown',
    'cancelling nothing is answered',
    () => ({
      in(frame, link) {
        const { requestId } = dictionaryOf(frame.params);
        if (requestId === 4711) link.toClient({ jsonrpc: '2.0', id: 4711, error: { code: -32_600, message: 'what?' } });
        return [frame];
      },
    }),
    ['answer-id'],
  ],
];

const isEnd = ({ status }: Dictionary) => status === 'completed' || status === 'failed';
const changed = 'tool_call_update';

const calls: readonly MutantRow[] = [
  ['call-paths', 'relative paths', update(['tool_call'], having({ locations: [{ path: 'elsewhere.txt' }] }))],
  [
    'call-paths-of-model',
    'relative paths of the model are passed on',
    update(['tool_call'], having({ rawInput: { path: 'notes.txt' }, locations: [{ path: 'notes.txt' }] })),
  ],
  ['call-created', 'changes of calls that nobody created', dropsOutput(isUpdate('tool_call'))],
  ['call-created-once', 'calls are created twice', behind(isUpdate('tool_call'), (frame) => frame)],
  ['call-forward', 'a call goes back', behindPending()],
  ['call-ended-once', 'a call that completed fails', endsTwice()],
  ['call-ends', 'calls without an end', update(['tool_call', changed], having({ status: 'in_progress' }), isEnd)],
  [
    'call-ends-cancelled',
    'cancelled calls without an end',
    update(['tool_call', changed], having({ status: 'in_progress' }), isEnd),
  ],
  [
    'call-in-turn',
    'a call changes behind the answer',
    behindPrompts(({ sessionId }) => told(sessionId, { sessionUpdate: changed, toolCallId: 'late', title: 'late' })),
    ['call-created', 'call-ends'],
  ],
  ['call-failed', 'no tool ever fails', update(['tool_call', changed], having({ status: 'completed' }), isEnd)],
  [
    'terminal-shown',
    'a terminal that nobody created',
    update(['tool_call'], having({ content: [{ type: 'terminal', terminalId: 't' }] })),
  ],
];

function behindPending() {
  const isRunning = (frame: Dictionary) => updateIn(frame).status === 'in_progress';
  return behind(isRunning, (frame) =>
    told(dictionaryOf(frame.params).sessionId, {
      sessionUpdate: changed,
      toolCallId: updateIn(frame).toolCallId,
      status: 'pending',
    }),
  );
}
function endsTwice() {
  const isDone = (frame: Dictionary) => updateIn(frame).status === 'completed';
  return behind(isDone, (frame) =>
    told(dictionaryOf(frame.params).sessionId, {
      sessionUpdate: changed,
      toolCallId: updateIn(frame).toolCallId,
      status: 'failed',
    }),
  );
}

const permission = (change: (params: Dictionary) => Dictionary) =>
  params(isMethod('session/request_permission'), change);
const optionsOf = ({ options: of }: Dictionary): Dictionary[] => (Array.isArray(of) ? of.map(dictionaryOf) : []);
const wants = (method: string, more: Dictionary) => (sessionId: unknown) => ({
  jsonrpc: '2.0',
  id: 'wants',
  method,
  params: { sessionId, ...more },
});
const form = (change: (params: Dictionary) => Dictionary) => params(isMethod('elicitation/create'), change);

const questions: readonly MutantRow[] = [
  [
    'permission-options',
    'two options of one id',
    permission((of) => ({ ...of, options: [...optionsOf(of), ...optionsOf(of)] })),
  ],
  [
    'permission-both-ways',
    'permission cannot be refused',
    permission((of) => ({ ...of, options: optionsOf(of).filter(({ kind }) => String(kind).startsWith('allow')) })),
    ['rejected-stays', 'allowed-runs'],
  ],
  [
    'permission-in-turn',
    'permission is asked while nothing runs',
    behindNew((sessionId) => ({
      jsonrpc: '2.0',
      id: 'early',
      method: 'session/request_permission',
      params: {
        sessionId,
        toolCall: { toolCallId: 'early', kind: 'other' },
        options: [{ optionId: 'a', name: 'A', kind: 'allow_once' }],
      },
    })),
  ],
  [
    'allowed-runs',
    'an allowed call goes nowhere',
    update(['tool_call', changed], having({ status: 'pending' }), isEnd),
    ['call-ends', 'call-forward', 'call-ends-cancelled'],
  ],
  [
    'rejected-stays',
    'a rejected call completes',
    update([changed], having({ status: 'completed' }), ({ status }) => status === 'failed'),
  ],
  [
    'permission-cancelled',
    'a prompt that is cancelled at a question ends as any other',
    stops('end_turn', wasCancelled),
    ['cancel-reason'],
  ],
  [
    'asks-what-was-declared',
    'reads files of clients that declare none',
    behindNew(wants('fs/read_text_file', { path: '/a' })),
  ],
  ['elicitation-declared', 'asks in a way that was not declared', form(having({ mode: 'voice' }))],
  [
    'elicitation-flat',
    'a form in a form',
    form(having({ requestedSchema: { type: 'object', properties: { a: { type: 'object' } } } })),
  ],
];

const updates: readonly MutantRow[] = [
  [
    'cancel-request-known',
    'takes back what it never asked',
    behind(isUpdate('available_commands_update'), () => notice('$/cancel_request', { requestId: 'nobody' })),
  ],
  [
    'request-has-id',
    'asks for permission and has no id',
    behind(isUpdate('available_commands_update'), () => notice('session/request_permission', {})),
    ['own-methods'],
  ],
  [
    'update-known',
    'updates that nobody knows',
    behindUpdate('available_commands_update', { sessionUpdate: 'conformance_update' }),
  ],
  ['usage-fits', 'more is used than there is', update(['usage_update'], having({ used: 10, size: 1 }))],
  [
    'notice-declared',
    'notices for clients that know none',
    behindNew((session) => told(session, { sessionUpdate: 'notice', severity: 'info', title: 'Hello' })),
  ],
  [
    'compaction-declared',
    'compactions for clients that know none',
    behindNew((session) =>
      told(session, { sessionUpdate: 'compaction_update', compactionId: 'c', status: 'completed' }),
    ),
  ],
  ['compaction-ends', 'a compaction without an end', update(['compaction_update'], having({ status: 'in_progress' }))],
];

export const turnMutants = mutantsIn([...settings, ...turns, ...calls, ...questions, ...updates]);
