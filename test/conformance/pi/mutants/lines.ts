// Broken agents of pi: lines, responses and their data.
import type { Dictionary } from '../../../../src/core/model/content.ts';
import { dictionaryOf, without } from '../../../../src/core/model/dictionary.ts';
import { changesInput, changesOutput, dropsOutput, type Mutant } from '../../support/mutant.ts';
import { answers, drop, put, responses } from './change.ts';

const fails = (frame: Dictionary) => ({ ...without(frame, 'data'), success: false, error: 'not today' });
const succeeds = (data?: unknown) => (frame: Dictionary) =>
  frame.success === true
    ? frame
    : { ...without(frame, 'error'), success: true, ...(data === undefined ? {} : { data }) };

/** Lines and responses. */
const lines: readonly Mutant[] = [
  {
    fault: 'prints a word that is no JSON',
    caughtBy: ['line-is-object'],
    make: () => ({
      out(frame, link) {
        if (frame.type === 'agent_start') link.say('debug: here we go');
        return [frame];
      },
    }),
  },
  {
    fault: 'does not answer abort_retry',
    caughtBy: ['answered'],
    make: dropsOutput((frame) => frame.command === 'abort_retry'),
  },
  {
    fault: 'answers get_commands twice',
    caughtBy: ['answered-once'],
    make: () => ({ out: (frame) => (frame.command === 'get_commands' ? [frame, frame] : [frame]) }),
  },
  {
    fault: 'answers what nobody asked',
    caughtBy: ['response-asked'],
    make: () => ({
      out: (frame) =>
        frame.command === 'get_commands' ? [frame, { ...frame, id: 'nobody', data: undefined }] : [frame],
    }),
  },
  {
    fault: 'names another command',
    caughtBy: ['response-command'],
    make: responses('get_commands', put({ command: 'commands' })),
  },
  {
    fault: 'loses an id that is a number',
    caughtBy: ['success-id'],
    make: changesOutput((frame) => (frame.id === 7 ? without(frame, 'id') : frame)),
  },
  {
    fault: 'loses the id of an unknown command',
    caughtBy: ['failure-id'],
    make: responses('no_such_command', drop('id')),
  },
  {
    fault: 'answers with an id of null where none was sent',
    caughtBy: ['id-absent'],
    make: changesOutput((frame) => (frame.type === 'response' && !('id' in frame) ? { id: null, ...frame } : frame)),
  },
  {
    fault: 'succeeds with an error',
    caughtBy: ['success-without-error'],
    make: responses('abort_retry', put({ error: 'none' })),
  },
  {
    fault: 'fails with data',
    caughtBy: ['failure-without-data'],
    make: responses('no_such_command', put({ data: {} })),
  },
  {
    fault: 'passes over what is no JSON',
    caughtBy: ['unreadable-line'],
    make: () => ({ raw: (text) => (text === 'not json' ? [] : [text]) }),
  },
  {
    fault: 'passes over a number',
    caughtBy: ['nameless-command'],
    make: () => ({ raw: (text) => (text === '42' ? [] : [text]) }),
  },
  {
    fault: 'takes a name that is missing',
    caughtBy: ['missing-field', 'empty-name'],
    alsoCaughtBy: ['set-session-name-told'],
    make: responses('set_session_name', succeeds()),
  },
  {
    fault: 'takes a command that nobody knows',
    caughtBy: ['unknown-command'],
    make: responses('no_such_command', succeeds()),
  },
  ...['set_auto_retry', 'abort_retry', 'abort_bash'].map(
    (command): Mutant => ({
      fault: `refuses ${command}`,
      caughtBy: [`${command.replaceAll('_', '-')}-succeeds`],
      make: responses(command, fails),
    }),
  ),
];

/** Settings that differ from what was set. */
const settings: readonly Mutant[] = [
  {
    fault: 'sets another model',
    caughtBy: ['set-model-told'],
    make: changesInput((frame) =>
      frame.type === 'set_model' && frame.modelId === 'demo-medium' ? { ...frame, modelId: 'demo-large' } : frame,
    ),
  },
  {
    fault: 'tells another model than it has cycled to',
    caughtBy: ['cycle-model-told'],
    make: answers('cycle_model', (data) => ({ ...data, model: { ...dictionaryOf(data.model), id: 'demo-small' } })),
  },
  {
    fault: 'tells another level than it has cycled to',
    caughtBy: ['cycle-thinking-level-told'],
    make: answers('cycle_thinking_level', put({ level: 'low' })),
  },
  ...(['steering', 'follow_up'] as const).map((queue): Mutant => {
    const name = queue.replace('_', '-');
    return {
      fault: `keeps the ${name} mode`,
      caughtBy: [`set-${name}-mode-told`],
      alsoCaughtBy: [`${name}-mode-obeyed`],
      make: changesInput((frame) => (frame.type === `set_${queue}_mode` ? { ...frame, mode: 'all' } : frame)),
    };
  }),
  {
    fault: 'keeps compacting by itself',
    caughtBy: ['set-auto-compaction-told', 'auto-compaction-off'],
    make: changesInput(({ type, ...rest }) =>
      type === 'set_auto_compaction' ? { ...rest, type, enabled: true } : { ...rest, type },
    ),
  },
  {
    fault: 'keeps trying again',
    caughtBy: ['auto-retry-off'],
    make: changesInput((frame) => (frame.type === 'set_auto_retry' ? { ...frame, enabled: true } : frame)),
  },
  {
    fault: 'tells another name',
    caughtBy: ['set-session-name-told'],
    alsoCaughtBy: ['separators'],
    make: answers('get_state', (data) =>
      typeof data.sessionName === 'string' ? { ...data, sessionName: `${data.sessionName}!` } : data,
    ),
  },
  {
    fault: 'thinks at one level only',
    caughtBy: ['thinking-level-set'],
    make: changesInput((frame) => (frame.type === 'set_thinking_level' ? { ...frame, level: 'low' } : frame)),
  },
  {
    fault: 'sets a model that there is not',
    caughtBy: ['unknown-model'],
    alsoCaughtBy: ['missing-field', 'set-model-told'],
    make: responses('set_model', succeeds({ id: 'nobody', provider: 'nobody' })),
  },
  {
    fault: 'does not stop a shell command',
    caughtBy: ['abort-bash-cancels'],
    make: answers('bash', put({ cancelled: false })),
  },
];

/** All mutants. */
export const lineMutants: readonly Mutant[] = [...lines, ...settings];
