// A tiny ECA server: a prompt is answered with thinking, a tool and text; `ask` needs leave for its tool, `two` for both of
// them; `hang` begins to speak and goes on only when it is stopped; `stick` never ends its tool; `fail` fails at its provider; `contexts` tells what
// came with the prompt; `die` ends the process; `/costs` is a command. Started with `first` it is of the first era, else a
// newer one (docs/protocols/eca.md 1, 4). With `--chats <file>` it stores what was asked in which chat. Needs no model and no
// network.
import { appendFileSync, existsSync, readFileSync } from 'node:fs';

const storeAt = process.argv.indexOf('--chats');
const store = storeAt < 0 ? null : process.argv[storeAt + 1];
const storedIn = (chat) =>
  store !== null && existsSync(store)
    ? readFileSync(store, 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))
        .filter(({ chatId }) => chatId === chat)
    : [];
const isFirst = process.argv.includes('first');
const model = isFirst ? 'scripted-1' : 'scripted/scripted-1';
const modes = isFirst ? ['agent', 'plan'] : ['code', 'plan'];
const tools = [{ name: 'look', description: 'looks into it', parameters: { type: 'object' }, disabled: false }];
let thoughts = 0;
let calls = 0;
let tokens = 0;
let selected = model;
/** Chats by name; each may have a run. */
const chats = new Map();

function write(message) {
  const body = JSON.stringify({ jsonrpc: '2.0', ...message });
  process.stdout.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}
const notify = (method, params) => write({ method, params });

/** One run in a chat: what it says, and how it can be stopped. */
function startRun(chatId, requestId, done) {
  let isOver = false;
  const asked = new Map();
  const say = (role, content) => {
    if (isOver) return;
    notify('chat/contentReceived', { chatId, ...(isFirst ? { requestId } : {}), role, content });
  };
  const status = (word) => !isFirst && !isOver && notify('chat/statusChanged', { chatId, status: word });
  const run = {
    asked,
    say,
    status,
    progress: (text) => say('system', { type: 'progress', state: 'running', text }),
    text(words) {
      for (const text of words.match(/.{1,12}/gsu) ?? []) say('assistant', { type: 'text', text });
    },
    system: (text) => say('system', { type: 'text', text }),
    think(words) {
      thoughts += 1;
      const id = `thought-${thoughts}`;
      say('assistant', { type: 'reasonStarted', id });
      for (const text of words.match(/.{1,9}/gsu)) say('assistant', { type: 'reasonText', id, text });
      say('assistant', { type: 'reasonFinished', id, ...(isFirst ? {} : { totalTimeMs: 3 }) });
    },
    usage() {
      tokens += 15;
      const first = { messageInputTokens: 10, messageOutputTokens: 5, messageCost: '0.01', sessionCost: '0.01' };
      const newer = { lastMessageCost: '0.01', sessionCost: '0.01', limit: { context: 1000, output: 100 } };
      say('system', { type: 'usage', sessionTokens: isFirst ? tokens : 15, ...(isFirst ? first : newer) });
    },
    /** The model writes a call. */
    prepare(input) {
      calls += 1;
      const head = { id: `call-${calls}`, name: isFirst ? 'eca_look' : 'look', origin: 'native' };
      const shown = { ...head, ...(isFirst ? {} : { server: 'eca' }), summary: 'Looking' };
      let sofar = '';
      for (const piece of ['', ...JSON.stringify(input).match(/.{1,7}/gu)]) {
        sofar += piece;
        const extra = isFirst ? { argumentsText: sofar, manualApproval: false } : { argumentsText: piece };
        say('assistant', { type: 'toolCallPrepare', ...shown, ...extra });
      }
      return { ...shown, arguments: input };
    },
    /** The call runs, if its user lets it. */
    run(call, manualApproval, outputs, then) {
      say('assistant', { type: 'toolCallRun', ...call, manualApproval });
      const allowed = () => {
        if (!isFirst) {
          say('assistant', { type: 'toolCallRunning', ...call });
          run.progress('Calling tool');
        }
        const result = { error: false, outputs: [{ type: 'text', text: outputs }] };
        say('assistant', { type: 'toolCalled', ...call, ...result, ...(isFirst ? {} : { totalTimeMs: 4 }) });
        run.progress('Generating');
        then(true);
      };
      if (!manualApproval) return allowed();
      run.progress('Waiting for tool call approval');
      asked.set(call.id, {
        allow: allowed,
        deny() {
          say('assistant', { type: 'toolCallRejected', ...call, reason: 'user' });
          then(false);
        },
      });
    },
    finish() {
      status('idle');
      say('system', { type: 'progress', state: 'finished' });
      isOver = true;
      done();
    },
    stop() {
      run.system(`\nPrompt stopped${isFirst ? '' : '\n'}`);
      status('stopping');
      say('system', { type: 'progress', state: 'finished' });
      isOver = true;
      done();
    },
  };
  return run;
}

const drawer = { where: 'drawer' };

/** A turn with a tool. The newer server ends the run when its user says no; the older one goes on. */
function look(run, manualApproval) {
  run.think('A drawer comes to mind.');
  const call = run.prepare(drawer);
  run.usage();
  run.run(call, manualApproval, 'three cables lie in it', (isAllowed) => {
    if (!isAllowed && !isFirst) {
      run.system('Tell ECA what to do differently for the rejected tool(s)');
      return run.finish();
    }
    if (!isAllowed) run.progress('Generating');
    run.text(isAllowed ? 'There are three cables.' : 'Then I do not look.');
    run.usage();
    run.finish();
  });
}

function stick(run) {
  const call = run.prepare(drawer);
  run.say('assistant', { type: 'toolCallRun', ...call, manualApproval: false });
  if (!isFirst) run.say('assistant', { type: 'toolCallRunning', ...call });
}

function lookTwice(run) {
  const [first, second] = [run.prepare(drawer), run.prepare({ where: 'shelf' })];
  run.usage();
  run.run(first, true, 'three cables lie in it', () => {
    run.run(second, true, 'it is empty', () => {
      run.text('Cables, and nothing.');
      run.finish();
    });
  });
}

function prompt(id, params) {
  const { message, requestId, contexts = [] } = params;
  const chatId = params.chatId ?? 'scripted-chat';
  if (store !== null) appendFileSync(store, `${JSON.stringify({ chatId, message })}\n`);
  const isNew = !chats.has(chatId);
  const chat = chats.get(chatId) ?? { run: null };
  chats.set(chatId, chat);
  const answer = () => write({ id, result: { chatId, model: selected, status: isFirst ? 'success' : 'prompting' } });
  if (isNew && !isFirst) notify('chat/opened', { chatId });
  const run = startRun(chatId, requestId, () => {
    chat.run = null;
  });
  chat.run = run;
  run.say('user', { type: 'text', text: `${message}\n`, ...(isFirst ? {} : { contentId: `content-${id}` }) });
  if (message.startsWith('/')) {
    run.system('Total cost: $0.01');
    run.finish();
    return answer();
  }
  run.status('running');
  run.progress('Waiting model');
  answer();
  if (message.includes('die')) process.exit(1);
  if (message.includes('fail')) {
    run.system(`${isFirst ? '' : '\n\n'}Scripted response status: 529 body: overloaded`);
    return run.finish();
  }
  run.progress('Generating');
  if (message.includes('hang')) return run.say('assistant', { type: 'text', text: 'I was about to' });
  if (message.includes('stick')) return stick(run);
  if (message.includes('two')) return lookTwice(run);
  if (message.includes('contexts')) {
    run.text(JSON.stringify(contexts));
    run.usage();
    return run.finish();
  }
  look(run, message.includes('ask'));
}

const requests = {
  initialize() {
    const lists = { models: [model], chatDefaultModel: model, chatBehaviors: modes, chatDefaultBehavior: modes[0] };
    return { ...(isFirst ? lists : {}), chatWelcomeMessage: 'A scripted server.' };
  },
  shutdown: () => null,
  'chat/open'({ chatId }) {
    const said = storedIn(chatId);
    if (said.length === 0) return { found: false };
    chats.set(chatId, { run: null });
    notify('chat/cleared', { chatId, messages: true });
    notify('chat/opened', { chatId });
    for (const { message } of said)
      notify('chat/contentReceived', { chatId, role: 'user', content: { type: 'text', text: `\n${message}` } });
    return { found: true };
  },
  'chat/delete'({ chatId }) {
    chats.delete(chatId);
    if (!isFirst) notify('chat/deleted', { chatId });
    return {};
  },
  'chat/update'({ chatId, title }) {
    notify('chat/contentReceived', { chatId, role: 'system', content: { type: 'metadata', title } });
    return {};
  },
  'chat/queryContext': ({ chatId, query }) => ({ chatId, contexts: [{ type: 'file', path: `/work/${query}` }] }),
  'chat/queryCommands'({ chatId }) {
    const command = { name: 'costs', description: 'what it cost', type: 'native', arguments: [] };
    return { chatId, commands: [command] };
  },
};

const notifications = {
  initialized() {
    if (!isFirst) {
      notify('$/progress', { type: 'start', taskId: 'models', title: 'Syncing models' });
      const chat = { models: [model], agents: modes, behaviors: modes, selectModel: model, selectAgent: modes[0] };
      notify('config/updated', { chat: { ...chat, variants: ['high', 'low'], selectVariant: null } });
      notify('$/progress', { type: 'finish', taskId: 'models', title: 'Syncing models' });
    }
    notify('tool/serverUpdated', { type: 'native', name: 'ECA', status: 'running', tools });
    notify('tool/serverUpdated', {
      type: 'mcp',
      name: 'files',
      command: 'files',
      args: [],
      status: 'running',
      tools: [],
    });
  },
  'chat/selectedModelChanged'({ model: next }) {
    selected = next;
    notify('config/updated', { chat: { selectModel: next } });
  },
  'chat/promptStop': ({ chatId }) => chats.get(chatId)?.run?.stop(),
  'chat/toolCallApprove': ({ chatId, toolCallId }) => answered(chatId, toolCallId)?.allow(),
  'chat/toolCallReject': ({ chatId, toolCallId }) => answered(chatId, toolCallId)?.deny(),
  'mcp/stopServer': ({ name }) => notify('tool/serverUpdated', { type: 'mcp', name, status: 'stopped' }),
  'mcp/startServer': ({ name }) => notify('tool/serverUpdated', { type: 'mcp', name, status: 'running' }),
  exit: () => process.exit(0),
};

function answered(chatId, toolCallId) {
  const asked = chats.get(chatId)?.run?.asked;
  const call = asked?.get(toolCallId);
  asked?.delete(toolCallId);
  return call;
}

function take({ id, method, params }) {
  if (id === undefined) return notifications[method]?.(params ?? {});
  if (method === undefined) return;
  if (method === 'chat/prompt') return prompt(id, params);
  const handle = requests[method];
  if (handle !== undefined) return write({ id, result: handle(params ?? {}) });
  write({ id, error: { code: -32601, message: 'Method not found', data: { method } } });
}

let buffer = Buffer.alloc(0);
process.stdin.on('data', (bytes) => {
  buffer = Buffer.concat([buffer, bytes]);
  for (;;) {
    const head = buffer.indexOf('\r\n\r\n');
    if (head < 0) return;
    const length = Number(/Content-Length: (\d+)/u.exec(buffer.subarray(0, head).toString())?.[1]);
    if (buffer.length < head + 4 + length) return;
    const body = buffer.subarray(head + 4, head + 4 + length).toString();
    buffer = buffer.subarray(head + 4 + length);
    take(JSON.parse(body));
  }
});
process.stdin.on('end', () => process.exit(0));
