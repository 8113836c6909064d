// Editors of both eras, played with the library of the VS Code client, in front of the demo agent: each turn as docs/protocols/eca.md 4
// has it, and all that may go wrong on the way. Every talk is judged as a whole.
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import { type Chat, type Editor, type Era, eras, modern, outline, startEditor } from '../support/eca-client.ts';

const cli = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const demo = [process.execPath, cli, 'stdio', '--frontend', 'eca', '--backend', 'demo', '--option', 'paceMs=0'];

let editor: Editor;
afterEach(() => editor?.close());

/** An editor that has said who it is. */
async function open(era: Era, folder?: string): Promise<Editor> {
  editor = startEditor(era, demo);
  await editor.greet(folder);
  return editor;
}

/** The run that a prompt makes, with what is done on the way. */
async function run(chat: Chat, prompt: string, act: (chat: Chat) => Promise<unknown> = async () => {}) {
  const answered = chat.prompt(prompt);
  await act(chat);
  const said = await chat.over();
  return { answer: await answered, said, outline: outline(said).filter((word) => word !== 'S usage') };
}

const asked = (chat: Chat) =>
  chat.until('a question', ({ type, manualApproval }) => type === 'toolCallRun' && manualApproval === true);

/** The first prompt of a chat is its title. */
const begins = ['U text', 'status running', 'running: Waiting model', 'S metadata', 'running: Generating'];
const ends = ['status idle', 'finished'];
const call = ['prepare', 'prepare arguments'];
const ran = ['A toolCallRunning', 'running: Calling tool', 'called', 'running: Generating'];

/** What a turn is called, what is asked, what is done meanwhile, and what is to be heard between begin and end. */
const turns: [name: string, prompt: string, between: string[], act?: (chat: Chat) => Promise<unknown>][] = [
  ['text', 'hello', ['A text']],
  ['a thought', 'think', ['A reasonStarted', 'A reasonText', 'A reasonFinished', 'A text']],
  ['a tool without a question', 'tool', ['A text', ...call, 'run', ...ran, 'A text']],
  [
    'a tool with a question, approved',
    'ask',
    ['A text', ...call, 'run?', 'running: Waiting for tool call approval', ...ran, 'A text'],
    async (chat) => chat.approve((await asked(chat)).id),
  ],
  [
    'a tool with a question, rejected',
    'ask',
    [
      'A text',
      ...call,
      'run?',
      'running: Waiting for tool call approval',
      'rejected: user',
      'running: Generating',
      'A text',
    ],
    async (chat) => chat.reject((await asked(chat)).id),
  ],
];

describe.each(eras)('an editor of the $name', (era) => {
  test.each(turns)('%s', async (_, prompt, between, act) => {
    await open(era);
    const chat = editor.chat();
    const { answer, outline: heard } = await run(chat, prompt, act);
    // Agents may start slowly: the user may see that something goes on before his words are taken.
    const own = heard.slice(heard.indexOf('U text'));
    expect(heard.slice(0, -own.length).filter((word) => word !== 'chat/opened' && word !== begins[2])).toEqual([]);
    expect(own).toEqual([...begins, ...between, ...ends]);
    expect(answer).toMatchObject({ chatId: chat.id, status: era === modern ? 'prompting' : 'success' });
    expect(editor.judge()).toEqual([]);
    expect(await editor.quit()).toBe(0);
  });
});
