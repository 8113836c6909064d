// A fake ECA server for editors under test: greets so that both eras understand, answers requests, and runs scripts.
// Accepts any input and judges nothing. docs/protocols/eca.md 3.
import type { Dictionary } from '../../../core/model/content.ts';
import { isDictionary } from '../../../core/model/dictionary.ts';
import { type Connection, PeerWrong } from '../../check/check.ts';
import type { ServeTools } from '../../check/sets.ts';
import { camelCaseParams, isRpcId } from '../view/messages.ts';
import { type BehaviourContext, scriptOf } from './behaviours.ts';

const model = 'conformance/model-1';
const behaviors = ['agent', 'plan'];

const greeting: Dictionary = {
  models: [model],
  chatDefaultModel: model,
  chatBehaviors: behaviors,
  chatDefaultBehavior: 'agent',
  chatWelcomeMessage: 'Ask for [[text]], [[approval]] and so on.\n',
};
const config: Dictionary = {
  chat: {
    models: [model],
    agents: behaviors,
    selectModel: model,
    selectAgent: 'agent',
    variants: [],
    welcomeMessage: greeting.chatWelcomeMessage,
    defaultModel: model,
    defaultAgent: 'agent',
    behaviors,
    selectBehavior: 'agent',
    defaultBehavior: 'agent',
  },
};
const tools: Dictionary = {
  type: 'native',
  name: 'ECA',
  status: 'running',
  tools: [{ name: 'shell_command', description: 'Runs a command', parameters: { type: 'object' }, disabled: false }],
};

/** Fixed answers to requests; other methods are unknown. */
const answers: ReadonlyMap<unknown, unknown> = new Map<unknown, unknown>([
  ['initialize', greeting],
  ['shutdown', null],
  ['chat/queryContext', { contexts: [{ type: 'repoMap' }, { type: 'directory', path: '/somewhere' }] }],
  ['chat/queryFiles', { files: [] }],
  ['chat/queryCommands', { commands: [{ name: 'costs', description: 'What it cost', type: 'native', arguments: [] }] }],
  ['chat/list', { chats: [] }],
  ['chat/open', { found: false }],
  ['jobs/list', { jobs: [] }],
  ['providers/list', { providers: [] }],
  ...['delete', 'clear', 'update', 'rollback', 'fork'].map((word) => [`chat/${word}`, {}] as const),
]);

/** Serves one editor until it disconnects. */
export async function serveEditor(
  connection: Connection,
  serve: ServeTools,
): Promise<{ readonly isComplete: boolean }> {
  let atWork = 0;
  /** Pending waits for an event in a chat. */
  const watchers = new Set<(method: string, params: Dictionary) => void>();

  const send = (message: Dictionary) => {
    if (connection.ended === null) connection.send(JSON.stringify({ jsonrpc: '2.0', ...message }));
  };
  const notify = (method: string, params: Dictionary) => send({ method, params });

  /** The first value that `look` returns for an event in a chat, or null when the patience runs out. */
  async function wait<Value>(look: (method: string, params: Dictionary) => Value | undefined): Promise<Value | null> {
    let found: Value | undefined;
    const watcher = (method: string, params: Dictionary) => {
      found ??= look(method, params);
    };
    watchers.add(watcher);
    try {
      return await connection.until('word of the editor', () => found);
    } catch (thrown) {
      if (thrown instanceof PeerWrong) return null;
      throw thrown;
    } finally {
      watchers.delete(watcher);
    }
  }

  function contextOf(chatId: string): BehaviourContext {
    const isOwn = (params: Dictionary) => params.chatId === chatId;
    return {
      chatId,
      mint: (word) => serve.mint(word),
      sendContent: (role, content) => notify('chat/contentReceived', { chatId, role, content }),
      notify,
      async ask(id, method, params) {
        send({ id, method, params });
        const isAnswer = (json: unknown) => isDictionary(json) && json.method === undefined && json.id === id;
        const answered = () => connection.log.find(({ by, json }) => by === 'peer' && isAnswer(json));
        await connection.until('answer of the editor', answered).catch(ignoreSilence);
      },
      decision: (call) =>
        wait((method, params) => {
          if (method === 'chat/promptStop' && isOwn(params)) return 'stop';
          if (params.toolCallId !== call) return undefined;
          if (method === 'chat/toolCallApprove') return 'approve';
          return method === 'chat/toolCallReject' ? 'reject' : undefined;
        }),
      stopped: async () =>
        (await wait((method, params) => (method === 'chat/promptStop' && isOwn(params) ? true : undefined))) ?? false,
    };
  }

  async function runPrompt(id: string | number, params: Dictionary): Promise<void> {
    const words = typeof params.message === 'string' ? params.message : '';
    const isNamed = typeof params.chatId === 'string' && params.chatId.trim() !== '';
    const context = contextOf(isNamed ? String(params.chatId) : serve.mint('chat'));
    const { chatId } = context;
    atWork += 1;
    context.sendContent('user', { type: 'text', text: `${words}\n`, contentId: serve.mint('content') });
    notify('chat/statusChanged', { chatId, status: 'running' });
    context.sendContent('system', { type: 'progress', state: 'running', text: 'Waiting model' });
    send({ id, result: { chatId, model, status: isNamed ? 'prompting' : 'success' } });
    await scriptOf(serve.behaviourFor(words))?.(context);
    notify('chat/statusChanged', { chatId, status: 'idle' });
    context.sendContent('system', { type: 'progress', state: 'finished', text: '' });
    atWork -= 1;
  }

  function receive(message: Dictionary): void {
    const { id, method } = message;
    if (typeof method !== 'string') return;
    const params = camelCaseParams(message.params);
    for (const watcher of [...watchers]) watcher(method, params);
    if (method === 'initialized') {
      notify('config/updated', config);
      notify('tool/serverUpdated', tools);
    } else if (method === 'exit') void connection.close().catch(ignoreSilence);
    if (!isRpcId(id)) return;
    if (method === 'chat/prompt') void runPrompt(id, params);
    else if (answers.has(method)) send({ id, result: answers.get(method) });
    else send({ id, error: { code: -32601, message: 'Method not found' } });
  }

  let read = 0;
  function hearAll(): true | undefined {
    while (read < connection.log.length) {
      const exchange = connection.log[read];
      read += 1;
      if (exchange?.by !== 'peer') continue;
      if (isDictionary(exchange.json)) receive(exchange.json);
      else if (exchange.isFault !== true) send({ id: null, error: { code: -32700, message: 'Parse error' } });
    }
    return connection.ended === null ? undefined : true;
  }
  // An editor may stay silent for as long as it likes.
  while (connection.ended === null) await connection.until('end of the editor', hearAll).catch(ignoreSilence);
  return { isComplete: atWork === 0 };
}

function ignoreSilence(thrown: unknown): void {
  if (!(thrown instanceof PeerWrong)) throw thrown;
}
