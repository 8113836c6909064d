// One client of each protocol that prompts the demo agent through all of its words, and answers its questions. For what no
// recording of a client holds.

/** Prompts, each after the one before has ended; `unanswered`: questions stay open. */
const prompts = [
  'think tool text 300',
  'tools 2',
  'toolfail',
  'edit',
  'ask',
  'select',
  'confirm',
  'input',
  'editor',
  'fail',
  'retry 1',
  'compact text 100',
  'long 30',
  'unicode image contexts',
  'notice status queue usage',
  'subagent',
  'unknown badorder',
  '/help',
  'ordinary words, with "quotes" and\ttabs',
];
const unanswered = ['ask', 'select', 'confirm'];
const aborted = ['slow 200 text 900', 'ask', 'hang'];
/** How long an open question waits at most, and a prompt without one, ms. */
const [questionMs, promptMs] = [11 * 60_000, 10_000];

const user = (content) => ({
  type: 'user',
  session_id: '',
  parent_tool_use_id: null,
  message: { role: 'user', content },
});
const rpc = (fields) => ({ jsonrpc: '2.0', ...fields });
const control = (id, request) => ({ type: 'control_request', request_id: id, request });
const chat = { chatId: 'chat' };

function piValue({ method, options }) {
  if (method === 'select') return { value: options[0] };
  if (method === 'confirm') return { confirmed: true };
  return method === 'input' || method === 'editor' ? { value: 'some words' } : null;
}

function claudeAnswer({ type, request_id, request }) {
  if (type !== 'control_request' || request.subtype !== 'can_use_tool') return null;
  const { input } = request;
  const answers = input.questions?.map(({ question, options = [] }) => [question, options[0]?.label ?? 'some words']);
  const updatedInput = answers === undefined ? input : { ...input, answers: Object.fromEntries(answers) };
  const response = { behavior: 'allow', updatedInput };
  return { type: 'control_response', response: { subtype: 'success', request_id, response } };
}

function ecaAnswer({ id, method, params }) {
  if (method === 'chat/askQuestion') return rpc({ id, result: { answer: 'some words', cancelled: false } });
  const { type, manualApproval, id: toolCallId } = params?.content ?? {};
  if (type !== 'toolCallRun' || manualApproval !== true) return null;
  return rpc({ method: 'chat/toolCallApprove', params: { chatId: params.chatId, toolCallId } });
}

const protocols = {
  pi: {
    prompt: (message, id) => ({ id, type: 'prompt', message }),
    abort: (id) => ({ id, type: 'abort' }),
    answer(message) {
      const value = message.type === 'extension_ui_request' ? piValue(message) : null;
      return value === null ? null : { type: 'extension_ui_response', id: message.id, ...value };
    },
  },
  'pi-legacy': {
    prompt: (message) => ({ type: 'prompt', message }),
    abort: () => ({ type: 'abort' }),
    answer: () => null,
  },
  'pi-server': {
    open: [
      { id: 'open', type: 'create_session', sessionId: 's', cwd: '/home/user/project' },
      { id: 'watch', type: 'switch_session', sessionId: 's' },
    ],
    prompt: (message, id) => ({ id, type: 'prompt', sessionId: 's', message }),
    abort: (id) => ({ id, type: 'abort', sessionId: 's' }),
    answer({ type, sessionId, event }) {
      const value = type === 'event' && event.type === 'extension_ui_request' ? piValue(event) : null;
      if (value === null) return null;
      const { requestId, method } = event;
      const answer = { type: 'extension_ui_response', sessionId, requestId, response: { method, ...value } };
      return { id: `answer ${requestId}`, ...answer };
    },
  },
  claude: {
    open: [control('open', { subtype: 'initialize' })],
    prompt: user,
    abort: (id) => control(id, { subtype: 'interrupt' }),
    answer: claudeAnswer,
  },
  'rpc-message': { prompt: user, abort: (id) => control(id, { subtype: 'interrupt' }), answer: claudeAnswer },
  eca: {
    open: [
      rpc({
        id: 'open',
        method: 'initialize',
        params: {
          processId: 4711,
          clientInfo: { name: 'tour' },
          capabilities: { codeAssistant: { chat: true, chatCapabilities: { askQuestion: true } } },
          initializationOptions: {},
          workspaceFolders: [{ name: 'project', uri: 'file:///home/user/project' }],
        },
      }),
      rpc({ method: 'initialized', params: {} }),
    ],
    prompt: (message, id) => rpc({ id, method: 'chat/prompt', params: { ...chat, message } }),
    abort: () => rpc({ method: 'chat/promptStop', params: chat }),
    answer: ecaAnswer,
  },
};

/** As recordings: `tour` is what the client says and when, and how it answers a frame. */
export const tours = Object.entries(protocols).map(([protocol, client]) => ({
  name: 'tour',
  protocol,
  rows: [],
  tour: tourOf(client),
}));

function tourOf({ open = [], prompt, abort, answer }) {
  let count = 0;
  const id = () => `c${++count}`;
  const step = (message, ms, isAnswering = true) => ({ line: JSON.stringify(message), conn: '', ms, isAnswering });
  const steps = [
    ...open.map((message) => step(message, 1000)),
    ...prompts.map((words) => step(prompt(words, id()), promptMs)),
    ...unanswered.map((words) => step(prompt(words, id()), questionMs, false)),
    ...aborted.flatMap((words) => [step(prompt(words, id()), 2000, false), step(abort(id()), promptMs, false)]),
    step(prompt('die', id()), promptMs),
    step(prompt('again', id()), promptMs),
  ];
  return { steps, answer: (frame) => answered(answer, frame) };
}

function answered(answer, frame) {
  const message = answer(JSON.parse(frame));
  return message === null ? null : JSON.stringify(message);
}
