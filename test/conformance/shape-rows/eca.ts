// What is said in ECA, but not in the conversations of our own server and editor.
import type { Row, Side } from '../mutation/mutators.ts';

const rpc = (by: Side, message: object): Row => ({ by, json: { jsonrpc: '2.0', ...message } });
const notice = (by: Side, method: string, params: object): Row => rpc(by, { method, params });
const chat = { chatId: 'c' };
const content = (role: string, own: object) => notice('agent', 'chat/contentReceived', { ...chat, role, content: own });
const call = { id: 'x', name: 'edit', origin: 'native', server: 'eca', summary: 'edits', arguments: {} };
const details = { type: 'fileChange', path: '/x', diff: '+ a', linesAdded: 1, linesRemoved: 0 };
const folder = { uri: 'file:///project', name: 'project' };

const begin: readonly Row[] = [
  rpc('client', {
    id: 1,
    method: 'initialize',
    params: { processId: 1, capabilities: {}, workspaceFolders: [folder] },
  }),
  rpc('agent', { id: 1, result: { chatWelcomeMessage: 'hello' } }),
  notice('client', 'initialized', {}),
];

/** A conversation with a server. */
export const ecaServer: readonly Row[] = [
  ...begin,
  notice('agent', 'config/updated', { chat: { models: ['m'] } }),
  notice('agent', 'tool/serverUpdated', { type: 'native', name: 'ECA', status: 'running', tools: [] }),
  notice('agent', '$/progress', { type: 'start', taskId: 't', title: 'T' }),
  notice('agent', '$/progress', { type: 'finish', taskId: 't', title: 'T' }),
  notice('agent', 'tool/serverUpdated', {
    type: 'mcp',
    name: 'm',
    status: 'running',
    command: 'm',
    args: ['-a'],
    tools: [],
  }),
  rpc('client', { id: 2, method: 'chat/prompt', params: { ...chat, message: 'hi' } }),
  rpc('agent', { id: 2, result: { ...chat, model: 'm', status: 'success' } }),
  content('user', { type: 'text', text: 'hi' }),
  content('system', { type: 'progress', state: 'running', text: '' }),
  content('assistant', { type: 'image', mediaType: 'image/png', base64: 'AAAA' }),
  content('assistant', { type: 'toolCallPrepare', ...call, argumentsText: '{}' }),
  content('assistant', { type: 'toolCallRun', ...call, manualApproval: false, details }),
  content('assistant', {
    type: 'toolCalled',
    ...call,
    error: false,
    outputs: [{ type: 'text', text: 'done' }],
    details,
  }),
  content('system', { type: 'progress', state: 'finished' }),
  notice('agent', 'chat/cleared', chat),
  notice('agent', 'chat/deleted', chat),
  rpc('client', { id: 3, method: 'chat/nothing', params: {} }),
  rpc('agent', { id: 3, error: { code: -32601, message: 'there is no such method' } }),
  rpc('client', { id: 4, method: 'shutdown' }),
  rpc('agent', { id: 4, result: null }),
];

/** What an editor says. */
export const ecaEditor: readonly Row[] = [
  ...begin,
  notice('client', 'mcp/startServer', { name: 'files' }),
  content('assistant', { type: 'toolCallPrepare', ...call, argumentsText: '{}' }),
  content('assistant', { type: 'toolCallRun', ...call, manualApproval: true }),
  notice('client', 'chat/toolCallReject', { ...chat, toolCallId: 'x' }),
];
