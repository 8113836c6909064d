// Scenarios for ECA servers. Each has a connection of its own, because a connection is greeted once.
import type { Dictionary } from '../../core/model/content.ts';
import { dictionaryOf } from '../../core/model/dictionary.ts';
import { NotApplicable } from '../check/check.ts';
import { requiredBy } from '../check/rule.ts';
import { type EcaScenario, type Editor, greeting, message } from './context.ts';
import { nobodys } from './methods.ts';

const isOfType = (type: string) => (content: Dictionary) => content.type === type;
const has = (message: Dictionary, method: string) => message.method === method;

/** Shuts the server down in good order. */
async function leave(editor: Editor): Promise<void> {
  await editor.ask('shutdown', undefined, 'eca/shutdown-answered');
}

/** An MCP server that was reported as running. */
function runningServer(editor: Editor): string | undefined {
  for (const { by, json } of editor.connection.log) {
    const { method, params } = dictionaryOf(json);
    const { type, status, name } = dictionaryOf(params);
    if (by !== 'peer' || method !== 'tool/serverUpdated') continue;
    if (type === 'mcp' && status === 'running' && typeof name === 'string') return name;
  }
  return undefined;
}

/** All scenarios. */
export const scenarios: readonly EcaScenario[] = [
  {
    name: 'start',
    title: 'initialize, initialized, what the server tells then, shutdown',
    async run({ connect }) {
      const editor = await connect();
      await editor.ask('initialize', greeting(), 'eca/initialize-answered');
      editor.notify('initialized', {});
      const isOf = (message: Dictionary, type: string) =>
        has(message, '$/progress') && dictionaryOf(message.params).type === type;
      await requiredBy('eca/tools-told', () =>
        editor.until('tools of the server', (message) => has(message, 'tool/serverUpdated')),
      );
      await requiredBy('eca/tasks-finished', () =>
        editor.connection.until('end of all tasks', () => {
          const messages = editor.connection.log.map(({ json }) => dictionaryOf(json));
          const idsOf = (type: string) =>
            messages.filter((one) => isOf(one, type)).map(({ params }) => dictionaryOf(params).taskId);
          const finished = new Set(idsOf('finish'));
          return idsOf('start').every((id) => finished.has(id)) ? true : undefined;
        }),
      );
      await editor.settled();
      await leave(editor);
    },
  },
  {
    name: 'early',
    title: 'requests before initialize, between initialize and initialized, with params of null',
    async run({ connect }) {
      const editor = await connect();
      const commands = editor.request('chat/queryCommands', { query: '' });
      const first = editor.request('initialize', greeting({ conformance: true }));
      const contexts = editor.request('chat/queryContext', { chatId: null, query: '', contexts: [] });
      await requiredBy('eca/initialize-answered', () => editor.answer(first));
      for (const id of [commands, contexts]) await requiredBy('eca/early-requests', () => editor.answer(id));
      await editor.ask('chat/queryCommands', { query: '' }, 'eca/early-requests');
      editor.notify('initialized', null);
      await editor.ask('shutdown', null, 'eca/shutdown-answered');
    },
  },
  {
    name: 'text',
    title: 'a chat of the server: two prompts; queries; the chat is deleted, and another begins',
    needs: { script: ['text'] },
    async run({ editor: open, tools, hasOneChat }) {
      const editor = await open();
      const chatId = await editor.turn({ word: 'text' }, { conformance: true });
      await editor.turn({ word: 'text' }, { chatId });
      editor.notify('chat/promptStop', { chatId });
      await editor.settled();
      await editor.ask('chat/queryContext', { chatId, query: '', contexts: [] });
      const own = hasOneChat ? { chatId } : {};
      await editor.turn({ word: 'text' }, { contexts: [{ type: 'file', path: '/nowhere/at/all' }], ...own });
      if (!hasOneChat) await editor.ask('chat/delete', { chatId });
      await editor.turn({ message: `${tools.script('text')} ${tools.nonce} äöü 😀 \u2028` }, own);
      await leave(editor);
    },
  },
  {
    name: 'queries',
    title: 'contexts and commands, with and without a query',
    async run({ editor: open }) {
      const editor = await open();
      await editor.ask('chat/queryContext', { query: '', contexts: [] });
      await editor.ask('chat/queryContext', { query: 'zzz-nothing', contexts: [{ type: 'repoMap' }] });
      const { result } = await editor.ask('chat/queryCommands', { query: '' });
      const { commands } = dictionaryOf(result);
      const [first] = Array.isArray(commands) ? commands.map(dictionaryOf) : [];
      const { name } = first ?? {};
      if (typeof name === 'string') await editor.ask('chat/queryCommands', { query: name });
      await editor.ask('chat/queryCommands', { query: 'zzz-nothing' });
    },
  },
  {
    name: 'think',
    title: 'a prompt that makes the model think',
    needs: { script: ['think'] },
    async run({ editor: open, newChat }) {
      const editor = await open();
      const chatId = await editor.turn({ word: 'think' }, newChat());
      await editor.turn({ word: 'think' }, { chatId });
    },
  },
  {
    name: 'tool',
    title: 'a call that needs no approval, then several',
    needs: { script: ['tool', 'tools'] },
    async run({ editor: open, newChat }) {
      const editor = await open();
      const chatId = await editor.turn({ word: 'tool' }, newChat());
      await editor.turn({ word: 'tools' }, { chatId });
      await editor.turn({ word: 'tool' }, { chatId });
    },
  },
  {
    name: 'tool fails',
    title: 'a call whose tool fails',
    needs: { script: ['toolfail'] },
    async run({ editor: open }) {
      const editor = await open();
      await editor.turn({ word: 'toolfail' });
    },
  },
  {
    name: 'approve',
    title: 'a call that waits, first nobody is answered and then it is approved',
    needs: { script: ['approval'] },
    async run({ editor: open }) {
      const editor = await open();
      const prompted = editor.prompt({ word: 'approval' });
      const chatId = await editor.chatOf(prompted);
      const toolCallId = await editor.waiting(chatId, prompted.from);
      editor.notify('chat/toolCallApprove', { chatId, toolCallId: 'nobody-has-this-call' });
      editor.notify('chat/toolCallReject', { chatId: 'nobody-has-this-chat', toolCallId });
      await editor.settled('eca/unknown-call-ignored');
      editor.notify('chat/toolCallApprove', { chatId, toolCallId });
      await requiredBy('eca/approved-runs', () =>
        editor.content(chatId, 'result of the call', isOfType('toolCalled'), prompted.from),
      );
      await editor.finished(prompted);
    },
  },
  {
    name: 'reject',
    title: 'a call that waits is rejected, and another prompt follows',
    needs: { script: ['approval', 'text'] },
    async run({ editor: open }) {
      const editor = await open();
      const prompted = editor.prompt({ word: 'approval' });
      const chatId = await editor.chatOf(prompted);
      const toolCallId = await editor.waiting(chatId, prompted.from);
      editor.notify('chat/toolCallReject', { chatId, toolCallId });
      await requiredBy('eca/reject-told', () =>
        editor.content(chatId, 'rejection of the call', isOfType('toolCallRejected'), prompted.from),
      );
      await editor.finished(prompted);
      await editor.turn({ word: 'text' }, { chatId });
    },
  },
  {
    name: 'stop',
    title: 'a run that does not end is stopped, and another prompt follows',
    needs: { script: ['endless', 'text'] },
    async run({ editor: open }) {
      const editor = await open();
      const prompted = editor.prompt({ word: 'endless' });
      const chatId = await editor.chatOf(prompted);
      const isAtWork = ({ type, state }: Dictionary) => type === 'progress' && state === 'running';
      await requiredBy('eca/run-begins', () => editor.content(chatId, 'progress', isAtWork, prompted.from));
      editor.notify('chat/promptStop', { chatId });
      await requiredBy('eca/stop-finishes', () =>
        editor.content(
          chatId,
          'end of the run that was stopped',
          ({ type, state }) => type === 'progress' && state === 'finished',
          prompted.from,
        ),
      );
      await editor.settled();
      await editor.turn({ word: 'text' }, { chatId }, 'eca/stop-frees');
    },
  },
  {
    name: 'stop waiting',
    title: 'a run whose call waits for approval is stopped',
    needs: { script: ['approval'] },
    async run({ editor: open }) {
      const editor = await open();
      const prompted = editor.prompt({ word: 'approval' });
      const chatId = await editor.chatOf(prompted);
      await editor.waiting(chatId, prompted.from);
      editor.notify('chat/promptStop', { chatId });
      await editor.finished(prompted, 'eca/stop-finishes');
      await editor.settled();
    },
  },
  {
    name: 'fail',
    title: 'the model fails, and another prompt follows',
    needs: { script: ['fail', 'text'] },
    async run({ editor: open }) {
      const editor = await open();
      const chatId = await editor.turn({ word: 'fail' });
      await editor.turn({ word: 'text' }, { chatId });
    },
  },
  {
    name: 'two chats',
    title: 'a run in one chat, while another chat is prompted and deleted',
    needs: { script: ['endless', 'text'] },
    async run({ editor: open, newChat, tools, hasOneChat }) {
      if (hasOneChat) throw new NotApplicable('a connection has one chat');
      const editor = await open();
      const first = editor.prompt({ word: 'endless' }, newChat());
      const chatId = await editor.chatOf(first);
      const words = `${tools.script('text')} ${tools.nonce}`;
      const other = await editor.turn({ message: words }, newChat(), 'eca/chats-apart');
      await editor.ask('chat/delete', { chatId: other });
      editor.notify('chat/promptStop', { chatId });
      await editor.finished(first, 'eca/stop-finishes');
      await editor.ask('chat/delete', { chatId });
    },
  },
  {
    name: 'odd',
    title: 'what nobody knows: methods, fields, ids, broken JSON',
    async run({ editor: open }) {
      const editor = await open();
      await editor.ask(nobodys, { any: 'thing' }, 'eca/unknown-method');
      editor.notify(nobodys, { any: 'thing' });
      await editor.settled('eca/unknown-notification-ignored');
      await editor.ask('chat/queryCommands', { query: '', conformance: { any: ['thing'] } }, 'eca/unknown-fields');
      const { connection } = editor;
      connection.send(message({ id: 'a-word', method: 'chat/queryCommands', params: { query: '' } }));
      await requiredBy('eca/string-id', () => editor.answer('a-word'));
      connection.send(`${message({ id: 'a-line', method: 'chat/queryCommands', params: { query: '' } })}\n`);
      await requiredBy('eca/line-end', () => editor.answer('a-line'));
      editor.request('chat/prompt', { requestId: 'no-message', contexts: [] });
      await requiredBy('eca/prompt-without-message', () => editor.answer(4));
      connection.send('{"jsonrpc":"2.0","id":');
      await editor.settled('eca/broken-json');
      connection.send(`[${message({ id: 'in-a-list', method: 'chat/queryCommands', params: { query: '' } })}]`);
      connection.send('"nothing"');
      await editor.settled('eca/no-message');
    },
  },
  {
    name: 'mcp',
    title: 'an MCP server is stopped and started again, and one that nobody has',
    async run({ editor: open }) {
      const editor = await open();
      await editor.until('tools of the server', (message) => has(message, 'tool/serverUpdated')).catch(() => {});
      editor.notify('mcp/stopServer', { name: 'nobody-has-this' });
      editor.notify('mcp/startServer', { name: 'nobody-has-this' });
      await editor.settled('eca/unknown-mcp-ignored');
      const name = runningServer(editor);
      if (name === undefined) throw new NotApplicable('the server has no MCP server that runs');
      const isNow = (status: readonly string[]) => (message: Dictionary) => {
        const params = dictionaryOf(message.params);
        return has(message, 'tool/serverUpdated') && params.name === name && status.includes(String(params.status));
      };
      const stopped = editor.now;
      editor.notify('mcp/stopServer', { name });
      await requiredBy('eca/mcp-stop', () => editor.until('word of its end', isNow(['stopped', 'disabled']), stopped));
      const started = editor.now;
      editor.notify('mcp/startServer', { name });
      await requiredBy('eca/mcp-start', () =>
        editor.until('word of its start', isNow(['starting', 'running']), started),
      );
    },
  },
];
