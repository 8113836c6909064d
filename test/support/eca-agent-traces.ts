// Hand-made recordings of ECA servers, for what the recorded ones may lack: each is one sequence (docs/protocols/eca.md 1 and 4). Knows the wire and nothing of the gateway.
import type { EcaTrace } from './eca-traces.ts';

type Json = Record<string, unknown>;
type Row = EcaTrace['rows'][number];

const chat = 'hand-made-chat';
const into = (msg: Json): Row => ({ dir: 'in', msg: { jsonrpc: '2.0', ...msg } });
const out = (msg: Json): Row => ({ dir: 'out', msg: { jsonrpc: '2.0', ...msg } });
const tell = (method: string, params: Json): Row => out({ method, params: { chatId: chat, ...params } });
const say = (role: string, content: Json, more: Json = {}): Row =>
  tell('chat/contentReceived', { role, content, ...more });
const system = (content: Json, more: Json = {}) => say('system', content, more);
const model = (content: Json, more: Json = {}) => say('assistant', content, more);
const running = (text: string, more: Json = {}) => system({ type: 'progress', state: 'running', text }, more);
const finished = (more: Json = {}) => system({ type: 'progress', state: 'finished' }, more);
const text = (words: string, more: Json = {}) => model({ type: 'text', text: words }, more);
const status = (word: string) => tell('chat/statusChanged', { status: word });
const stop = into({ method: 'chat/promptStop', params: { chatId: chat } });

const greeting = (result: Json): Row[] => [
  into({ id: 1, method: 'initialize', params: {} }),
  out({ id: 1, result }),
  into({ method: 'initialized', params: {} }),
];
const first = greeting({
  models: ['m1'],
  chatDefaultModel: 'm1',
  chatBehaviors: ['agent', 'plan'],
  chatDefaultBehavior: 'agent',
  chatWelcomeMessage: 'hello',
});
const modern = [
  ...greeting({ chatWelcomeMessage: 'hello' }),
  tell('config/updated', {
    chatId: undefined,
    chat: { models: ['p/m1'], agents: ['code'], selectModel: 'p/m1', selectAgent: 'code' },
  }),
];

/** A prompt up to its answer, as newer servers begin it. */
const begin = (id: number, message: string): Row[] => [
  into({ id, method: 'chat/prompt', params: { chatId: chat, requestId: `r${id}`, message, contexts: [] } }),
  say('user', { type: 'text', text: `${message}\n`, contentId: `content-${id}` }),
  status('running'),
  running('Waiting model'),
  out({ id, result: { chatId: chat, model: 'p/m1', status: 'prompting' } }),
  running('Generating'),
];
const end = [status('idle'), finished()];

const call = (type: string, id: string, more: Json): Json => ({
  type,
  id,
  name: 'shell_command',
  server: 'eca',
  origin: 'native',
  summary: '$ ls',
  ...more,
});
const prepared = (id: string, ...pieces: string[]): Row[] =>
  ['', ...pieces].map((argumentsText) => model(call('toolCallPrepare', id, { argumentsText })));
const args = { command: 'ls' };
const ran = (id: string, manualApproval = true) => model(call('toolCallRun', id, { arguments: args, manualApproval }));
const runs = (id: string) => model(call('toolCallRunning', id, { arguments: args }));
const gave = (id: string, words: string) =>
  model(
    call('toolCalled', id, { arguments: args, error: false, outputs: [{ type: 'text', text: words }], totalTimeMs: 5 }),
  );
const approve = (id: string) => into({ method: 'chat/toolCallApprove', params: { chatId: chat, toolCallId: id } });

const stopWords = system({ type: 'text', text: '\nPrompt stopped\n' });

/** By name. */
const sequences: Readonly<Record<string, readonly Row[]>> = {
  'stopped while arguments stream': [
    ...modern,
    ...begin(2, 'ls'),
    ...prepared('t1', '{"comm'),
    stop,
    stopWords,
    model(call('toolCallRejected', 't1', { arguments: null, reason: 'user-prompt-stop' })),
    status('stopping'),
    finished(),
    ...begin(3, 'again'),
    text('here'),
    ...end,
  ],
  'stopped while a tool runs': [
    ...modern,
    ...begin(2, 'ls'),
    ...prepared('t1', '{"command":"ls"}'),
    ran('t1', false),
    runs('t1'),
    stop,
    stopWords,
    status('stopping'),
    finished(),
    model(call('toolCallRejected', 't1', { arguments: args, reason: 'user' })),
    ...begin(3, 'again'),
    text('here'),
    ...end,
  ],
  'a server of 2025-08-20: pieces of arguments, and still models in the greeting': [
    ...first,
    into({ id: 2, method: 'chat/prompt', params: { chatId: chat, requestId: 'r2', message: 'ls', contexts: [] } }),
    say('user', { type: 'text', text: 'ls\n' }, { requestId: 'r2' }),
    out({ id: 2, result: { chatId: chat, model: 'm1', status: 'success' } }),
    ...['', '{"comm', 'and":', '"ls"}'].map((argumentsText) =>
      model(
        { type: 'toolCallPrepare', id: 't1', name: 'sh', origin: 'native', argumentsText, manualApproval: false },
        { requestId: 'r2' },
      ),
    ),
    model(
      {
        type: 'toolCallRun',
        id: 't1',
        name: 'sh',
        origin: 'native',
        arguments: args,
        manualApproval: false,
        summary: 'ls',
      },
      { requestId: 'r2' },
    ),
    model(
      {
        type: 'toolCalled',
        id: 't1',
        name: 'sh',
        origin: 'native',
        arguments: args,
        error: true,
        outputs: [{ type: 'text', text: 'no' }],
        summary: 'ls',
      },
      { requestId: 'r2' },
    ),
    text('It failed.', { requestId: 'r2' }),
    finished({ requestId: 'r2' }),
  ],
  'the second end of a stopped run comes in the next': [
    ...first,
    into({ id: 2, method: 'chat/prompt', params: { chatId: chat, requestId: 'r2', message: 'slow', contexts: [] } }),
    say('user', { type: 'text', text: 'slow\n' }, { requestId: 'r2' }),
    out({ id: 2, result: { chatId: chat, model: 'm1', status: 'success' } }),
    text('s0 ', { requestId: 'r2' }),
    stop,
    system({ type: 'text', text: '\nPrompt stopped' }, { requestId: 'r2' }),
    finished({ requestId: 'r2' }),
    into({ id: 3, method: 'chat/prompt', params: { chatId: chat, requestId: 'r3', message: 'more', contexts: [] } }),
    say('user', { type: 'text', text: 'more\n' }, { requestId: 'r3' }),
    out({ id: 3, result: { chatId: chat, model: 'm1', status: 'success' } }),
    finished({ requestId: 'r2' }),
    text('here', { requestId: 'r3' }),
    finished({ requestId: 'r3' }),
  ],
  'steered between two answers': [
    ...modern,
    ...begin(2, 'ls'),
    ...prepared('t1', '{"command":"ls"}'),
    ran('t1'),
    running('Waiting for tool call approval'),
    approve('t1'),
    runs('t1'),
    into({ method: 'chat/promptSteer', params: { chatId: chat, message: 'only files' } }),
    gave('t1', 'a b'),
    running('Generating'),
    say('user', { type: 'text', text: 'only files\n', contentId: 'content-9' }),
    text('a'),
    ...end,
  ],
  'a link, an image, a hook and a message': [
    ...modern,
    ...begin(2, 'show'),
    system({ type: 'hookActionStarted', id: 'h1', name: 'hook', actionType: 'shell' }),
    text('See '),
    model({ type: 'url', title: 'there', url: 'https://example.test/' }),
    model({ type: 'image', mediaType: 'image/png', base64: 'AAAA' }),
    out({ method: '$/showMessage', params: { type: 'warning', message: 'careful' } }),
    out({ method: 'jobs/updated', params: { jobs: [] } }),
    ...end,
  ],
  'a model that fails without a word': [
    ...first,
    into({ id: 2, method: 'chat/prompt', params: { chatId: chat, requestId: 'r2', message: 'hi', contexts: [] } }),
    say('user', { type: 'text', text: 'hi\n' }, { requestId: 'r2' }),
    out({ id: 2, result: { chatId: chat, model: 'm1', status: 'success' } }),
    system({ type: 'text', text: 'boom' }, { requestId: 'r2' }),
    finished({ requestId: 'r2' }),
  ],
};

/** As recordings. */
export const handMadeEca: readonly Pick<EcaTrace, 'name' | 'era' | 'rows'>[] = Object.entries(sequences).map(
  ([name, rows]) => ({ name, rows, era: rows[1] === first[1] ? 'first' : 'modern' }),
);
