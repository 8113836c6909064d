// What an editor may do wrong, and what may go wrong for it: each request is answered once, each run is finished once, and
// the next prompt works. With vscode-jsonrpc, in front of the demo agent.
import { afterEach, describe, expect, test } from 'vitest';
import { anyEra, type Chat, type Editor, type Era, openEditor, outline, wordsIn } from '../support/eca-client.ts';

const demo = (paceMs = 0) => ({ backend: 'demo', option: { paceMs: String(paceMs) } });

let editor: Editor;
afterEach(() => editor?.close());

/** `paceMs`: how long the agent waits between what it says at once, and how long its tools run. */
async function open(era: Era, paceMs = 0): Promise<Editor> {
  editor = openEditor(era, demo(paceMs));
  await editor.greet();
  return editor;
}

/** How often a run was finished in all that was said. */
const finishes = (): number =>
  editor.talk.filter(({ by, message }) => by === 'server' && JSON.stringify(message).includes('"state":"finished"'))
    .length;

/** A prompt from beginning to end works as if nothing had been. */
async function works(chat: Chat = editor.chat()): Promise<void> {
  const answered = chat.prompt('hello');
  expect(wordsIn(await chat.over())).toContain('hello');
  await answered;
}

const answerTo = (id: unknown) =>
  editor.until(`the answer to ${JSON.stringify(id)}`, (talk) => {
    const said = talk.find(({ by, message }) => by === 'server' && (message as { id?: unknown }).id === id);
    return said?.message as { result?: unknown; error?: { code: number; data?: unknown } } | undefined;
  });

describe.each(anyEra)('an editor of the $name', (era) => {
  test.each([
    ['chat/prompt without message', 'chat/prompt', { chatId: 'c' }, -32_602],
    ['chat/prompt with params as a list', 'chat/prompt', ['hello'], -32_602],
    ['chat/prompt with a number for words', 'chat/prompt', { message: 7 }, -32_602],
    ['chat/queryContext with a number for words', 'chat/queryContext', { query: 7 }, -32_602],
    ['a request that there is not', 'chat/telepathy', {}, -32_601],
    ['a request by a name that objects have', 'constructor', {}, -32_601],
  ])('%s is refused, and nothing is harmed', async (_, method, params, code) => {
    await open(era);
    // The library would not send params that are a list as they are.
    editor.say({ id: 'bad', method, params });
    const { error } = await answerTo('bad');
    expect(error?.code).toBe(code);
    if (code === -32_601) expect(error?.data).toMatchObject({ method });
    await works();
    expect(editor.judge()).toEqual([]);
  });

  test('a notification that there is not is ignored, and so is the answer to a question that nobody asked', async () => {
    await open(era);
    editor.notify('chat/telepathy', { thought: 'hello' });
    editor.notify('$/setTrace', { value: 'off' });
    editor.say({ id: 77, result: {} });
    editor.notify('chat/toolCallApprove', { chatId: 'no such chat', toolCallId: 'no such call' });
    editor.notify('chat/promptStop', { chatId: 'no such chat' });
    await works();
    expect(editor.judge()).toEqual([]);
  });

  test('an id comes back as it was: a string, a number, a negative one', async () => {
    await open(era);
    const ids = ['a', '700', 700, -3];
    for (const id of ids) editor.say({ id, method: 'chat/queryCommands', params: { query: '' } });
    for (const id of ids) expect(await answerTo(id)).toMatchObject({ result: { commands: expect.any(Array) } });
    expect(editor.judge()).toEqual([]);
  });

  test('requests before initialize are served, and nothing is told before the client listens', async () => {
    editor = openEditor(era, demo());
    editor.say({ id: 'early', method: 'chat/queryCommands', params: { query: '' } });
    expect(await answerTo('early')).toHaveProperty('result');
    expect(await editor.greet()).toHaveProperty('chatWelcomeMessage');
    expect(await editor.request('initialize', { ...era.greeting, workspaceFolders: [] })).toHaveProperty(
      'chatWelcomeMessage',
    );
    await works();
    expect(editor.judge()).toEqual([]);
  });

  test('a prompt before initialize is a prompt', async () => {
    editor = openEditor(era, demo());
    await works();
    expect(editor.judge()).toEqual([]);
  });

  test('what is no JSON, and what is no JSON-RPC, is answered as far as it can be', async () => {
    await open(era);
    editor.input.write('Content-Length: 5\r\n\r\n{bad}');
    expect((await answerTo(null)).error?.code).toBe(-32_700);
    editor.input.write('Content-Length: 2\r\n\r\n[]');
    await editor.until('the answer to a batch', (talk) =>
      talk.find(({ message }) => JSON.stringify(message).includes('-32600')),
    );
    await works();
    expect(editor.judge()).toEqual([]);
  });

  test.each([5, 5000])(
    'a request that the end of the input cuts, %d bytes before its end, is not carried out',
    async (more) => {
      await open(era);
      // What the library still had to write is behind us with this answer.
      await editor.request('chat/queryCommands', { query: '' });
      const body = JSON.stringify({ jsonrpc: '2.0', id: 4242, method: 'chat/queryCommands', params: { query: '' } });
      editor.input.end(`Content-Length: ${body.length + more}\r\n\r\n${body}`);
      expect((await answerTo(null)).error?.code).toBe(-32_700);
      await editor.gone;
      const said = editor.talk.filter(({ by }) => by === 'server');
      expect(JSON.stringify(said)).not.toContain('4242');
    },
  );

  test('a prompt while one runs waits for its end, and both are answered and finished', async () => {
    await open(era);
    const chat = editor.chat();
    await chat.prompt('slow 10 long 40');
    await chat.until('the first words', ({ type }, role) => role === 'assistant' && type === 'text');
    expect(await chat.prompt('hello')).toMatchObject({ chatId: chat.id });
    await editor.until('two ends', () => (finishes() >= 2 ? true : undefined));
    await works(chat);
    expect(finishes()).toBe(3);
    expect(editor.judge()).toEqual([]);
  });

  test('a stop drops what waits behind the run as well: answered, not said, and the chat is free once', async () => {
    await open(era);
    const chat = editor.chat();
    await chat.prompt('slow 10 long 4000');
    await chat.until('the first words', ({ type }, role) => role === 'assistant' && type === 'text');
    expect(await chat.prompt('dropped')).toMatchObject({ chatId: chat.id });
    chat.stop();
    await editor.until('the end', () => (finishes() >= 1 ? true : undefined));
    await works(chat);
    expect(finishes()).toBe(2);
    const said = editor.talk.filter(({ by }) => by === 'server').map(({ message }) => JSON.stringify(message));
    expect(said.filter((message) => /showMessage|dropped/u.test(message))).toEqual([]);
    expect(editor.judge()).toEqual([]);
  });

  test('the model fails: its words stay, the reason is told, the run is finished once', async () => {
    await open(era);
    const chat = editor.chat();
    const answered = chat.prompt('fail');
    const said = await chat.over();
    await answered;
    expect(outline(said).slice(-3)).toEqual(['S text', 'status idle', 'finished']);
    expect(wordsIn(said)).not.toBe('');
    await works(chat);
    expect(finishes()).toBe(2);
    expect(editor.judge()).toEqual([]);
  });

  test.each(['die', 'think die', 'slow 20 tool die'])(
    'the agent dies (%s): the run is finished once',
    async (words) => {
      await open(era);
      const chat = editor.chat();
      void chat.prompt(words);
      const said = await chat.over();
      expect(outline(said).slice(-3)).toEqual(['S text', 'status idle', 'finished']);
      const before = finishes();
      expect(before).toBe(1);
      // An agent that is dead is started again, or the prompt is refused: it is answered in any case, and the chat is free.
      await chat.prompt('hello').catch((refusal: unknown) => expect(refusal).toHaveProperty('code'));
      await editor.until('the end of the next run', () => (finishes() > before ? true : undefined));
      expect(finishes()).toBe(2);
      expect(editor.judge()).toEqual([]);
    },
  );

  test('shutdown is answered by null, and exit ends the program, also in the middle of a run', async () => {
    await open(era);
    await editor.chat().prompt('hang');
    expect(await editor.quit()).toBe(0);
    const { message } = editor.talk.findLast(({ by, message }) => by === 'server' && 'result' in Object(message)) ?? {};
    expect(message).toMatchObject({ result: null });
    expect(editor.judge({ complete: false })).toEqual([]);
  });

  test('when its input ends, what was asked is still answered, and then the program ends', async () => {
    await open(era);
    const chat = editor.chat();
    await chat.prompt('slow 20 long 20');
    editor.input.end();
    expect(wordsIn(await chat.over())).toContain('20 ');
    expect(await editor.gone).toBe(0);
    expect(editor.judge()).toEqual([]);
  });
});

/** Where a run is stopped: a prompt, the moment, and what must be heard between the stop and the end. */
type Moment = (type: string, role: string) => boolean;
const stops: [name: string, prompt: string, isMoment: Moment, after: string[], paceMs?: number][] = [
  ['in mid stream', 'slow 30 long 1000', (type, role) => type === 'text' && role === 'assistant', []],
  ['in mid thought', 'slow 60 think', (type) => type === 'reasonText', ['A reasonFinished']],
  ['while arguments stream', 'slow 120 tool', (type) => type === 'toolCallPrepare', ['rejected: user']],
  ['during a tool', 'tool', (type) => type === 'toolCallRunning', ['called: error'], 300],
  ['while an approval waits', 'ask', (type) => type === 'toolCallRun', ['rejected: user']],
];

describe.each(anyEra)('an editor of the $name stops', (era) => {
  test.each(stops)('%s', async (_, prompt, isMoment, after, paceMs) => {
    await open(era, paceMs);
    const chat = editor.chat();
    await chat.prompt(prompt);
    await chat.until('the moment', ({ type }, role) => isMoment(type, role));
    chat.stop();
    const said = await chat.over();
    const heard = outline(said);
    for (const word of after) expect(heard).toContain(word);
    const told = said.filter(({ role, content }) => role === 'system' && content.type === 'text');
    expect(told.map(({ content }) => String(content.text).trim())).toEqual(['Prompt stopped']);
    expect(heard.at(-1)).toBe('finished');
    await works(chat);
    expect(finishes()).toBe(2);
    // A stop when nothing runs says nothing.
    const length = editor.talk.length;
    chat.stop();
    await editor.request('chat/queryCommands', { chatId: chat.id, query: '' });
    expect(editor.talk.slice(length).filter(({ by }) => by === 'server')).toHaveLength(1);
    expect(editor.judge()).toEqual([]);
  });
});
