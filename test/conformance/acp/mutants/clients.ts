// ACP clients with one fault each. Here `out` is what the client sends, and `in` is what the client is sent.
import type { Dictionary } from '../../../../src/core/model/content.ts';
import { dictionaryOf } from '../../../../src/core/model/dictionary.ts';
import { alone, behind, having, isAnswer, isMethod, lacking, notice, params } from '../../eca/mutants/changes.ts';
import { changesOutput, dropsOutput } from '../../support/mutant.ts';
import { type MutantRow, mutantsIn, updateIn } from './changes.ts';

const isInitialize = isMethod('initialize');
const isNew = isMethod('session/new');
const isPrompt = isMethod('session/prompt');
const same = (frame: Dictionary) => frame;
const request =
  (id: string | number, method: string, of: Dictionary = {}) =>
  () => ({ jsonrpc: '2.0', id, method, params: of });
const ofSession = (method: string, of: Dictionary) => (frame: Dictionary) => ({
  jsonrpc: '2.0',
  id: 'more',
  method,
  params: { sessionId: dictionaryOf(frame.params).sessionId, ...of },
});
/** Sends a message before each matching frame. */
const before = (isIt: (frame: Dictionary) => boolean, more: Dictionary) => () => ({
  out: (frame: Dictionary) => (isIt(frame) ? [more, frame] : [frame]),
});
const isRefusal = ({ error }: Dictionary) => error !== undefined;
const outcomeOf = (frame: Dictionary) => dictionaryOf(dictionaryOf(frame.result).outcome);
const outcome = (change: (outcome: Dictionary) => Dictionary, isIt: (outcome: Dictionary) => boolean) =>
  changesOutput((frame) =>
    isAnswer(frame) && isIt(outcomeOf(frame)) ? { ...frame, result: { outcome: change(outcomeOf(frame)) } } : frame,
  );
const isSelected = ({ outcome: of }: Dictionary) => of === 'selected';
const isCancelled = ({ outcome: of }: Dictionary) => of === 'cancelled';
const prompt = (change: (content: Dictionary) => Dictionary) =>
  params(isPrompt, (of) => ({
    ...of,
    prompt: Array.isArray(of.prompt) ? of.prompt.map((one) => change(dictionaryOf(one))) : of.prompt,
  }));
const adds = (content: Dictionary) => params(isPrompt, (of) => ({ ...of, prompt: [of.prompt, content].flat() }));
const isForm = (frame: Dictionary) => isAnswer(frame) && dictionaryOf(frame.result).action !== undefined;
const form = (change: (result: Dictionary) => Dictionary) =>
  changesOutput((frame) => (isForm(frame) ? { ...frame, result: change(dictionaryOf(frame.result)) } : frame));

const starts: readonly MutantRow[] = [
  [
    'lines-json',
    'logs among the messages',
    alone(() => {
      let isSaid = false;
      return {
        out(frame, link) {
          if (!isSaid) link.say('starting …');
          isSaid = true;
          return [frame];
        },
      };
    }),
  ],
  ['message-shape', 'messages without jsonrpc', behind(isNew, () => ({ method: '_conformance/any', params: {} }))],
  [
    'result-or-error',
    'a result beside an error',
    changesOutput((frame) => (isAnswer(frame) && isRefusal(frame) ? { ...frame, result: null } : frame)),
    ['unknown-method', 'undeclared-refused', 'environment-shape'],
  ],
  ['request-id', 'two requests under one id', behind(isPrompt, same), ['one-prompt', 'cancel-waits']],
  ['answered-once', 'requests are answered twice', behind(isAnswer, same)],
  ['answer-id', 'answers to nothing', behind(isNew, () => ({ jsonrpc: '2.0', id: 'nobody-asked', result: {} }))],
  [
    'own-methods',
    'a notification of its own without an underscore',
    behind(isNew, () => notice('conformance/any', {})),
  ],
  [
    'answers-requests',
    'requests that are not known get no answer',
    dropsOutput((frame) => isAnswer(frame) && isRefusal(frame)),
    ['unknown-notification', 'survives-updates'],
  ],
  [
    'unknown-method',
    'methods that nobody has are granted',
    changesOutput((frame) =>
      isAnswer(frame) && isRefusal(frame) ? { jsonrpc: '2.0', id: frame.id, result: {} } : frame,
    ),
    ['undeclared-refused', 'environment-shape'],
  ],
  [
    'unknown-notification',
    'a notification that is not known is the end',
    deafAt((frame) => String(frame.method).startsWith('_conformance')),
    ['survives-updates', 'answers-requests'],
  ],
  ['initialize-first', 'speaks before it initializes', before(isInitialize, notice('_conformance/any', {}))],
  [
    'initialize-answer-first',
    'asks for a session at once',
    alone(() => ({
      out: (frame) =>
        isInitialize(frame) ? [request('early', 'session/new', { cwd: '/', mcpServers: [] })(), frame] : [frame],
    })),
    ['initialize-first'],
  ],
  ['initialize-once', 'initializes twice', behind(isInitialize, (frame) => ({ ...frame, id: 'again' }))],
  [
    'authenticate-offered',
    'a login that nobody offers',
    behind(isNew, request('login', 'authenticate', { methodId: 'nobody' })),
  ],
  [
    'no-errors',
    'asks for what there is not',
    behind(isPrompt, ofSession('session/set_mode', { modeId: 'nobody' })),
    ['mode-offered'],
  ],
];

/** Says nothing any more from the first frame of the agent on that is such. */
function deafAt(isIt: (frame: Dictionary) => boolean) {
  return alone(() => {
    let isDeaf = false;
    return {
      in(frame) {
        isDeaf ||= isIt(frame);
        return [frame];
      },
      out: (frame) => (isDeaf ? [] : [frame]),
    };
  });
}

const sessions: readonly MutantRow[] = [
  [
    'tool-servers-declared',
    'a tool server of a kind that the agent cannot use',
    params(isNew, having({ mcpServers: [{ type: 'sse', name: 'a', url: 'http://a', headers: [] }] })),
  ],
  ['folders-declared', 'more folders than the agent takes', params(isNew, having({ additionalDirectories: ['/a'] }))],
  [
    'resume-declared',
    'resume of an agent that has none',
    behind(isPrompt, ofSession('session/resume', { cwd: '/', mcpServers: [] })),
  ],
  [
    'delete-declared',
    'delete of an agent that has none',
    behind(isPrompt, request('more', 'session/delete', { sessionId: 'x' })),
  ],
  ['list-cursor', 'a cursor that nobody gave', behind(isPrompt, request('more', 'session/list', { cursor: 'x' }))],
  [
    'session-known',
    'a session that nobody gave',
    behind(isNew, () => notice('session/cancel', { sessionId: 'nobody' })),
  ],
  [
    'mode-offered',
    'a mode that is not offered',
    behind(isPrompt, ofSession('session/set_mode', { modeId: 'nobody' })),
    ['no-errors'],
  ],
  [
    'option-offered',
    'a value that is not offered',
    behind(isPrompt, ofSession('session/set_config_option', { configId: 'model', value: 'nobody' })),
    ['no-errors'],
  ],
];

const turns: readonly MutantRow[] = [
  ['prompt-declared', 'a sound for an agent that takes none', adds({ type: 'audio', data: '', mimeType: 'audio/wav' })],
  ['one-prompt', 'prompts twice', behind(isPrompt, (frame) => ({ ...frame, id: 'again' })), ['cancel-waits']],
  [
    'permission-answered',
    'permission is neither given nor refused',
    dropsOutput((frame) => isAnswer(frame) && isSelected(outcomeOf(frame))),
    ['answers-requests'],
  ],
  ['permission-offered', 'an option that nobody offered', outcome(having({ optionId: 'nobody' }), isSelected)],
  ['cancelled-in-cancel', 'cancels what was only asked', outcome(() => ({ outcome: 'cancelled' }), isSelected)],
  [
    'cancel-answers',
    'allows what was cancelled',
    outcome(() => ({ outcome: 'selected', optionId: 'yes-1' }), isCancelled),
  ],
  [
    'cancel-shape',
    'a request to cancel',
    behind(isMethod('session/cancel'), ofSession('session/cancel', {})),
    ['own-methods'],
  ],
  [
    'cancel-shape',
    'cancels nothing in particular',
    params(isMethod('session/cancel'), lacking('sessionId')),
    ['session-known', 'cancel-waits'],
  ],
  [
    'cancel-waits',
    'does not wait for the end of what it cancelled',
    behind(isMethod('session/cancel'), (frame) =>
      ofSession('session/prompt', { prompt: [{ type: 'text', text: '[[text]]' }] })(frame),
    ),
    ['one-prompt'],
  ],
  [
    'request-has-id',
    'asks for sessions and has no id',
    behind(isPrompt, () => notice('session/list', {})),
    ['own-methods'],
  ],
  [
    'cancel-request-known',
    'cancels a request that it never made',
    behind(isMethod('session/cancel'), () => notice('$/cancel_request', { requestId: 'nobody' })),
  ],
  [
    'survives-updates',
    'an update that is not known is the end',
    deafAt((frame) => updateIn(frame).sessionUpdate === 'conformance_update'),
    ['unknown-notification', 'answers-requests'],
  ],
  [
    'undeclared-refused',
    'reads files without having declared it',
    changesOutput((frame) =>
      isAnswer(frame) && isRefusal(frame)
        ? { jsonrpc: '2.0', id: frame.id, result: { content: '', terminalId: 't' } }
        : frame,
    ),
    ['unknown-method'],
  ],
  ['elicitation-values', 'a form without its values', form(having({ content: {} }))],
  [
    'link-absolute',
    'a link to a relative file',
    adds({ type: 'resource_link', uri: 'file:notes.txt', name: 'notes.txt' }),
  ],
  [
    'commands-known',
    'a command that the agent has not told',
    prompt((one) => (one.type === 'text' ? { ...one, text: `/nobody ${String(one.text)}` } : one)),
  ],
];

/** All mutants. */
export const brokenClients = mutantsIn([...starts, ...sessions, ...turns]);
