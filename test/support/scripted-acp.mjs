// A tiny ACP agent: a prompt is answered with thinking, a tool and text; `ask` needs leave for its tool, `two` for both of
// them, `often` for 200 at once; `hang` begins to speak and goes on only when it is cancelled, `deaf` not even then; `stick` never ends its tool; `fail` fails at its provider; `contexts` tells what came
// with the prompt; `plan` tells a plan; `form` asks with a form; `die` ends the process; `login` wants its user to log in. With
// `--sessions <file>` it stores what was asked in which session, and loads; `die on load` ends the process then. Needs no model and no network
// (docs/protocols/acp.md 3, 4).
import { appendFileSync, existsSync, readFileSync } from 'node:fs';

const storeAt = process.argv.indexOf('--sessions');
const store = storeAt < 0 ? null : process.argv[storeAt + 1];
const storedIn = (session) =>
  store !== null && existsSync(store)
    ? readFileSync(store, 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))
        .filter(({ sessionId }) => sessionId === session)
    : [];

let asked = 0;
let calls = 0;
let messages = 0;
let made = 0;
/** Our open requests: ids and what to do with the result. */
const open = new Map();
/** Sessions by id. */
const sessions = new Map();

const write = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

function ask(method, params, then) {
  const id = asked;
  asked += 1;
  open.set(id, then);
  write({ id, method, params });
}

const optionsOf = ({ model, mode, level, fast }) => [
  {
    type: 'select',
    id: 'model',
    category: 'model',
    name: 'Model',
    currentValue: model,
    options: ['scripted-1', 'scripted-2'].map((value) => ({ value, name: value })),
  },
  {
    type: 'select',
    id: 'mode',
    category: 'mode',
    name: 'Mode',
    currentValue: mode,
    options: ['code', 'plan'].map((value) => ({ value, name: value })),
  },
  {
    type: 'select',
    id: 'effort',
    category: 'thought_level',
    name: 'Effort',
    currentValue: level,
    options: ['low', 'high'].map((value) => ({ value, name: value })),
  },
  { type: 'boolean', id: 'fast', name: 'Fast', currentValue: fast },
];
const modesOf = ({ mode }) => ({
  currentModeId: mode,
  availableModes: ['code', 'plan'].map((id) => ({ id, name: id })),
});

function openSession(sessionId) {
  const session = {
    id: sessionId,
    settings: { model: 'scripted-1', mode: 'code', level: 'low', fast: false },
    run: null,
    update: (sessionUpdate, fields) =>
      write({ method: 'session/update', params: { sessionId, update: { sessionUpdate, ...fields } } }),
  };
  sessions.set(sessionId, session);
  return session;
}

const setup = ({ settings }) => ({ modes: modesOf(settings), configOptions: optionsOf(settings) });

function greet(session) {
  session.update('available_commands_update', {
    availableCommands: [{ name: 'costs', description: 'what it cost', input: { hint: 'since when' } }],
  });
}

/** One run in a session: what it says, and how it ends. */
function startRun(session, done) {
  let isOver = false;
  const running = new Set();
  messages += 1;
  let messageId = `message-${messages}`;
  const update = (kind, fields) => !isOver && session.update(kind, fields);
  const speak = (kind, words, size) => {
    for (const text of words.match(new RegExp(`.{1,${size}}`, 'gsu')) ?? []) {
      update(kind, { messageId, content: { type: 'text', text } });
    }
  };
  const finish = (answer) => {
    if (isOver) return;
    for (const toolCallId of running) update('tool_call_update', { toolCallId, status: 'failed' });
    isOver = true;
    done(answer);
  };
  return {
    think: (words) => speak('agent_thought_chunk', words, 9),
    text: (words, size = 12) => speak('agent_message_chunk', words, size),
    update,
    prepare(where) {
      calls += 1;
      const toolCallId = `call-${calls}`;
      const call = { toolCallId, name: 'look', title: `Looking into the ${where}`, kind: 'search' };
      running.add(toolCallId);
      update('tool_call', { ...call, status: 'pending', rawInput: {} });
      update('tool_call_update', { toolCallId, rawInput: { where } });
      return { ...call, rawInput: { where } };
    },
    look(call, mustAsk, words, then) {
      const { toolCallId } = call;
      const allowed = () => {
        update('tool_call_update', { toolCallId, status: 'in_progress' });
        const content = [{ type: 'content', content: { type: 'text', text: words } }];
        running.delete(toolCallId);
        update('tool_call_update', { toolCallId, status: 'completed', content, rawOutput: { found: words } });
        messages += 1;
        messageId = `message-${messages}`;
        then(true);
      };
      if (!mustAsk) return allowed();
      const options = [
        { optionId: 'yes', name: 'Allow', kind: 'allow_once' },
        { optionId: 'always', name: 'Always allow', kind: 'allow_always' },
        { optionId: 'no', name: 'Reject', kind: 'reject_once' },
      ];
      ask('session/request_permission', { sessionId: session.id, toolCall: call, options }, ({ outcome }) => {
        if (outcome?.outcome === 'cancelled') return;
        if (outcome?.optionId !== 'no') return allowed();
        running.delete(toolCallId);
        update('tool_call_update', { toolCallId, status: 'failed' });
        messages += 1;
        messageId = `message-${messages}`;
        then(false);
      });
    },
    usage() {
      update('usage_update', { used: 15, size: 1000, cost: { amount: 0.01, currency: 'USD' } });
    },
    finish,
    end: (stopReason = 'end_turn') =>
      finish({ result: { stopReason, usage: { inputTokens: 10, outputTokens: 5, totalTokens: 15 } } }),
  };
}

function look(run, mustAsk) {
  run.think('A drawer comes to mind.');
  const call = run.prepare('drawer');
  run.usage();
  run.look(call, mustAsk, 'three cables lie in it', (isAllowed) => {
    run.text(isAllowed ? 'There are three cables.' : 'Then I do not look.');
    run.usage();
    run.end();
  });
}

function lookTwice(run) {
  const [first, second] = [run.prepare('drawer'), run.prepare('shelf')];
  run.look(first, true, 'three cables lie in it', () => {
    run.look(second, true, 'it is empty', () => {
      run.text('Cables, and nothing.');
      run.end();
    });
  });
}

/** Asks for leave 200 times at once. */
function askOften(run) {
  const answers = [];
  const answered = (isAllowed) => {
    answers.push(isAllowed);
    if (answers.length < 200) return;
    run.text(`${answers.filter((isYes) => isYes).length} of ${answers.length} are allowed.`, 100);
    run.end();
  };
  for (let n = 0; n < 200; n += 1) run.look(run.prepare('drawer'), true, 'three cables lie in it', answered);
}

/** Asks for leave and for a colour; both questions are open until they are answered. */
function askAtOnce(run, session) {
  let open = 2;
  const answered = () => {
    open -= 1;
    if (open > 0) return;
    run.text('Both are answered.');
    run.end();
  };
  run.look(run.prepare('drawer'), true, 'three cables lie in it', answered);
  form(run, session, answered);
}

function form(run, session, then = run.end) {
  const requestedSchema = {
    type: 'object',
    properties: { colour: { type: 'string', enum: ['red', 'blue'] } },
    required: ['colour'],
  };
  const params = { sessionId: session.id, mode: 'form', message: 'Which colour?', requestedSchema };
  ask('elicitation/create', params, ({ action, content }) => {
    run.text(action === 'accept' ? `It is ${content.colour}.` : 'No colour then.');
    then();
  });
}

function prompt(id, { sessionId, prompt: blocks }) {
  const session = sessions.get(sessionId);
  const refuse = (code, message, data) => write({ id, error: { code, message, ...(data ? { data } : {}) } });
  if (session === undefined) return refuse(-32002, `no session ${sessionId}`);
  const message = blocks.map(({ text }) => text ?? '').join('');
  if (store !== null) appendFileSync(store, `${JSON.stringify({ sessionId, message })}\n`);
  const run = startRun(session, (answer) => {
    session.run = null;
    write({ id, ...answer });
  });
  session.run = run;
  if (message.includes('die') && !message.includes('on load')) process.exit(1);
  if (message.includes('login')) return run.finish({ error: { code: -32000, message: 'Authentication required' } });
  if (message.includes('fail')) {
    return run.finish({ error: { code: -32603, message: 'Scripted response status: 529 body: overloaded' } });
  }
  if (message.startsWith('/')) {
    run.text('Total cost: $0.01');
    return run.end();
  }
  if (message.includes('hang')) return run.text('I was about to', 20);
  if (message.includes('deaf')) {
    session.run = null;
    return run.text('I hear nothing', 20);
  }
  if (message.includes('stick')) {
    const { toolCallId } = run.prepare('drawer');
    return run.update('tool_call_update', { toolCallId, status: 'in_progress' });
  }
  if (message.includes('two')) return lookTwice(run);
  if (message.includes('often')) return askOften(run);
  if (message.includes('form')) return form(run, session);
  if (message.includes('at once')) return askAtOnce(run, session);
  if (message.includes('plan')) {
    const entries = [
      { content: 'look', priority: 'high', status: 'completed' },
      { content: 'tell', priority: 'low', status: 'in_progress' },
    ];
    run.update('plan', { entries });
    run.text('That is the plan.');
    return run.end();
  }
  if (message.includes('contexts')) {
    run.text(JSON.stringify(blocks.filter(({ type }) => type !== 'text')));
    return run.end();
  }
  look(run, message.includes('ask'));
}

const failure = (code, message) => ({ error: { code, message } });

const requests = {
  initialize: () => ({
    result: {
      protocolVersion: 1,
      agentInfo: { name: 'scripted', title: 'Scripted', version: '1' },
      authMethods: [{ id: 'key', name: 'API key', description: 'Use an API key' }],
      agentCapabilities: {
        loadSession: store !== null,
        promptCapabilities: { image: true, embeddedContext: true },
        mcpCapabilities: { http: true },
        sessionCapabilities: { close: {}, delete: {} },
      },
    },
  }),
  'session/new'() {
    made += 1;
    const session = openSession(`scripted-${process.pid}-${made}`);
    setImmediate(() => greet(session));
    return { result: { sessionId: session.id, ...setup(session) } };
  },
  'session/load'({ sessionId }) {
    const said = storedIn(sessionId);
    if (said.some(({ message }) => message.includes('die on load'))) process.exit(1);
    if (said.length === 0) return failure(-32603, 'no such session');
    const session = openSession(sessionId);
    for (const { message } of said) {
      session.update('user_message_chunk', { content: { type: 'text', text: message } });
      session.update('agent_message_chunk', { content: { type: 'text', text: 'There are three cables.' } });
    }
    setImmediate(() => greet(session));
    return { result: setup(session) };
  },
  'session/close': () => ({ result: {} }),
  'session/delete': () => ({ result: {} }),
  'session/set_mode'({ sessionId, modeId }) {
    const { settings, update } = sessions.get(sessionId);
    settings.mode = modeId;
    update('config_option_update', { configOptions: optionsOf(settings) });
    return { result: {} };
  },
  'session/set_config_option'({ sessionId, configId, value }) {
    const { settings, update } = sessions.get(sessionId);
    const name = configId === 'effort' ? 'level' : configId;
    if (!(name in settings)) return failure(-32602, `no option ${configId}`);
    settings[name] = value;
    if (name === 'mode') update('current_mode_update', { currentModeId: value });
    return { result: { configOptions: optionsOf(settings) } };
  },
};

function take({ id, method, params, result }) {
  if (method === undefined) {
    const then = open.get(id);
    open.delete(id);
    return then?.(result ?? {});
  }
  if (method === 'session/cancel') return sessions.get(params.sessionId)?.run?.end('cancelled');
  if (id === undefined) return;
  if (method === 'session/prompt') return prompt(id, params);
  write({ id, ...(requests[method]?.(params ?? {}) ?? failure(-32601, 'Method not found')) });
}

let buffer = '';
process.stdin.setEncoding('utf8');
process.stdin.on('data', (text) => {
  buffer += text;
  const lines = buffer.split('\n');
  buffer = lines.pop();
  for (const line of lines) if (line !== '') take(JSON.parse(line));
});
process.stdin.on('end', () => process.exit(0));
