// A correct talk between an ECA client and its server, made by hand: what the judge is tried on before it judges anybody.
import type { Said } from '../support/judged-eca.ts';

/** A message that a test may break. */
export type Message = Record<string, unknown>;

export const client = (message: Message): Said => ({ by: 'client', message: { jsonrpc: '2.0', ...message } });
export const server = (message: Message): Said => ({ by: 'server', message: { jsonrpc: '2.0', ...message } });
export const tells = (method: string, params: Message): Said => server({ method, params });

/** A content of the chat `chatId`. */
export const says = (role: string, content: Message, chatId = 'chat-1'): Said =>
  tells('chat/contentReceived', { chatId, role, content });
export const running = (text: string, chatId?: string): Said =>
  says('system', { type: 'progress', state: 'running', text }, chatId);
export const finished = (chatId?: string): Said =>
  says('system', { type: 'progress', state: 'finished', text: '' }, chatId);
export const status = (word: string, chatId = 'chat-1'): Said => tells('chat/statusChanged', { chatId, status: word });
export const text = (words: string, chatId?: string): Said => says('assistant', { type: 'text', text: words }, chatId);

const tool = (id: string): Message => ({ id, name: 'list', origin: 'native', server: 'eca', summary: 'Lists' });
const input = { path: '/w' };
export const prepare = (id: string, argumentsText: string): Said =>
  says('assistant', { type: 'toolCallPrepare', ...tool(id), argumentsText });
export const run = (id: string, manualApproval = true): Said =>
  says('assistant', { type: 'toolCallRun', ...tool(id), arguments: input, manualApproval });
export const runningTool = (id: string): Said =>
  says('assistant', { type: 'toolCallRunning', ...tool(id), arguments: input });
export const called = (id: string): Said =>
  says('assistant', {
    type: 'toolCalled',
    ...tool(id),
    arguments: input,
    error: false,
    outputs: [{ type: 'text', text: 'two files', content: 'two files' }],
    details: { type: 'fileChange', path: '/w/a', diff: '@@', linesAdded: 1, linesRemoved: 0 },
  });
export const rejected = (id: string): Said =>
  says('assistant', { type: 'toolCallRejected', ...tool(id), arguments: input, reason: 'user' });

const prompt = (id: number | string, message: string, chatId = 'chat-1'): Said =>
  client({ id, method: 'chat/prompt', params: { chatId, message } });
const began = (id: number | string, message: string, chatId = 'chat-1'): Said[] => [
  says('user', { type: 'text', text: `${message}\n` }, chatId),
  status('running', chatId),
  running('Waiting model', chatId),
  server({ id, result: { chatId, model: 'm', status: 'prompting' } }),
];
const usage: Message = { type: 'usage', sessionTokens: 30, messageCost: '0.01', lastMessageCost: '0.01' };
const whole = '{"path":"/w"}';

const capabilities = { codeAssistant: { chat: true, chatCapabilities: { askQuestion: true } } };
const greeting = {
  models: ['m'],
  chatDefaultModel: 'm',
  chatBehaviors: ['agent', 'plan'],
  chatDefaultBehavior: 'agent',
  chatWelcomeMessage: 'hello',
};

/**
 * Two chats: thoughts and two tools, one of them rejected; a run without words of the user; a stop while an approval
 * waits; a second chat in between, which is deleted.
 */
export const correct: readonly Said[] = [
  client({ id: 1, method: 'initialize', params: { processId: null, capabilities, workspaceFolders: [] } }),
  client({ id: 2, method: 'chat/queryContext', params: { query: '' } }),
  server({ id: 1, result: greeting }),
  server({ id: 2, result: { contexts: [{ type: 'repoMap' }] } }),
  client({ method: 'initialized', params: {} }),
  tells('$/progress', { type: 'start', taskId: 'models', title: 'Syncing models' }),
  tells('config/updated', { chat: { models: ['m'], agents: ['code'], behaviors: ['code'] } }),
  tells('$/progress', { type: 'finish', taskId: 'models', title: 'Syncing models' }),
  tells('tool/serverUpdated', { type: 'native', name: 'ECA', status: 'running', tools: [] }),
  prompt(3, 'look'),
  tells('chat/opened', { chatId: 'chat-1' }),
  ...began(3, 'look'),
  running('Generating'),
  says('assistant', { type: 'reasonStarted', id: 'r1' }),
  says('assistant', { type: 'reasonText', id: 'r1', text: 'hm' }),
  says('assistant', { type: 'reasonFinished', id: 'r1', totalTimeMs: 3 }),
  text('I look.'),
  prepare('call-1', ''),
  prepare('call-1', whole),
  prepare('call-2', ''),
  prepare('call-2', whole),
  says('system', usage),
  run('call-1'),
  running('Waiting for tool call approval'),
  client({ method: 'chat/toolCallApprove', params: { chatId: 'chat-1', toolCallId: 'call-1' } }),
  runningTool('call-1'),
  running('Calling tool'),
  prompt('b', 'aside', 'chat-2'),
  tells('chat/opened', { chatId: 'chat-2' }),
  ...began('b', 'aside', 'chat-2'),
  text('Beside.', 'chat-2'),
  called('call-1'),
  run('call-2'),
  server({ id: 1, method: 'chat/askQuestion', params: { chatId: 'chat-1', question: 'sure?' } }),
  client({ id: 1, result: { answer: 'yes' } }),
  rejected('call-2'),
  status('idle', 'chat-2'),
  finished('chat-2'),
  says('system', { type: 'text', text: 'A notice.' }),
  text('Done.'),
  status('idle'),
  finished(),
  client({ id: 4, method: 'chat/delete', params: { chatId: 'chat-2' } }),
  tells('chat/deleted', { chatId: 'chat-2' }),
  server({ id: 4, result: {} }),
  running('Woken by a job'),
  text('By myself.'),
  finished(),
  prompt(5, 'again'),
  ...began(5, 'again'),
  prepare('call-3', ''),
  prepare('call-3', whole),
  run('call-3'),
  client({ method: 'chat/promptStop', params: { chatId: 'chat-1' } }),
  says('system', { type: 'text', text: 'Prompt stopped' }),
  status('stopping'),
  finished(),
  rejected('call-3'),
  prompt(6, ''),
  server({ id: 6, result: { chatId: 'chat-1', model: 'error', status: 'error' } }),
  client({ id: 7, method: 'no/such', params: {} }),
  server({ id: 7, error: { code: -32601, message: 'Method not found', data: { method: 'no/such' } } }),
  server({ id: null, error: { code: -32700, message: 'Parse error' } }),
  client({ id: 8, method: 'shutdown' }),
  server({ id: 8, result: null }),
  client({ method: 'exit' }),
];

/** The index of the first message whose JSON holds all of `parts`. */
export function find(talk: readonly Said[], ...parts: string[]): number {
  const at = talk.findIndex(({ by, message }) =>
    parts.every((part) => `${by} ${JSON.stringify(message)}`.includes(part)),
  );
  if (at < 0) throw new Error(`no message with ${parts.join(' and ')}`);
  return at;
}
