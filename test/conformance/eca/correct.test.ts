// Handmade recordings of correct servers that are newer than all known ones, or serve another client as well: no rule
// finds a violation. Wrong variants stand beside them.
import { describe, expect, test } from 'vitest';
import { ecaAgent } from '../../../src/conformance/eca/agent.ts';
import { faults, type Talk, traceOf } from '../support/handmade.ts';

const rpc = (fields: object) => ({ jsonrpc: '2.0', ...fields });
const says = (method: string, params: object): Talk[number] => ['agent', rpc({ method, params })];
const content = (role: string, own: object) => says('chat/contentReceived', { chatId: 'c', role, content: own });
const begin: Talk = [
  ['client', rpc({ id: 1, method: 'initialize', params: { processId: 1, capabilities: {}, workspaceFolders: [] } })],
  ['agent', rpc({ id: 1, result: { chatWelcomeMessage: 'hello' } })],
  ['client', rpc({ method: 'initialized', params: {} })],
];
const task = (type: string) => says('$/progress', { type, taskId: 't', title: 'T' });
const prompt: Talk = [
  ['client', rpc({ id: 2, method: 'chat/prompt', params: { message: 'hi' } })],
  content('user', { type: 'text', text: 'hi' }),
  content('system', { type: 'progress', state: 'running', text: '' }),
  ['agent', rpc({ id: 2, result: { chatId: 'c', model: 'm', status: 'success' } })],
];
const finished = content('system', { type: 'progress', state: 'finished' });
const call = { id: 'x', name: 'ls', origin: 'native', arguments: {} };
const waits = [
  content('assistant', { ...call, type: 'toolCallPrepare', argumentsText: '' }),
  content('assistant', { ...call, type: 'toolCallRun', manualApproval: true }),
];
const runs = content('assistant', { ...call, type: 'toolCallRunning' });
const ran = content('assistant', { ...call, type: 'toolCalled', error: false, outputs: [] });
const spoken = content('assistant', { type: 'text', text: 'done' });
const approve: Talk[number] = [
  'client',
  rpc({ method: 'chat/toolCallApprove', params: { chatId: 'c', toolCallId: 'x' } }),
];

const right: readonly (readonly [string, Talk])[] = [
  [
    'says newer words',
    [
      ...begin,
      says('chat/statusChanged', { chatId: 'c', status: 'compacting' }),
      says('tool/serverUpdated', { type: 'mcp', name: 'm', status: 'connecting' }),
      task('report'),
      ...prompt,
      content('user', { type: 'file', path: '/x' }),
      content('system', { type: 'progress', state: 'compacting' }),
      spoken,
      finished,
    ],
  ],
  ['answers with nothing at all', [...begin, ...prompt, finished]],
  ['runs a call that was approved from elsewhere', [...begin, ...prompt, ...waits, runs, ran, spoken, finished]],
];
const wrong: readonly (readonly [string, string, Talk])[] = [
  [
    'runs a call before it is approved',
    'approval-asked',
    [...begin, ...prompt, ...waits, runs, approve, ran, spoken, finished],
  ],
  ['leaves a task open', 'tasks-finished', [...begin, task('start')]],
  [
    'tells of no tools, and uses one',
    'tools-told',
    [
      ...begin,
      ...prompt,
      ...waits,
      approve,
      ran,
      spoken,
      finished,
      ['client', rpc({ id: 3, method: 'shutdown' })],
      ['agent', rpc({ id: 3, result: null })],
    ],
  ],
];

describe('a correct server', () => {
  test.each(right)('%s', (_name, client) => expect(faults(ecaAgent, traceOf(client))).toEqual([]));
});
describe('a wrong server', () => {
  test.each(wrong)('%s', (_name, id, client) => expect(faults(ecaAgent, traceOf(client))).toContain(`eca/${id}`));
});
