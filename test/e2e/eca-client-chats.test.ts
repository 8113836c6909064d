// What an editor has besides turns: several chats at once, the files and commands that it offers its user, contexts, and
// chats that are deleted. With vscode-jsonrpc, in front of the demo agent, in a real folder.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type Editor, type Era, eras, openEditor, wordsIn } from '../support/eca-client.ts';

const demo = { backend: 'demo', option: { paceMs: '0' } };

let folder: string;
let outside: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'patchbay-eca-'));
  outside = mkdtempSync(join(tmpdir(), 'patchbay-out-'));
  execFileSync('git', ['init', '-q', folder]);
  mkdirSync(join(folder, 'drawers'));
  writeFileSync(join(folder, '.gitignore'), 'secret.txt\nbuild/\n');
  writeFileSync(join(folder, 'secret.txt'), 'XYLOPHONE\n');
  writeFileSync(join(folder, 'drawers', 'cables.txt'), 'alpha\nbravo\ncharlie\ndelta\n');
  writeFileSync(join(outside, 'else.txt'), 'ZEPPELIN\n');
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
  rmSync(outside, { recursive: true, force: true });
});

let editor: Editor;
afterEach(() => editor?.close());

async function open(era: Era): Promise<Editor> {
  editor = openEditor(era, demo);
  await editor.greet(folder);
  return editor;
}

const Contexts = z.looseObject({ contexts: z.array(z.looseObject({ type: z.string(), path: z.string().optional() })) });
const Commands = z.looseObject({ commands: z.array(z.looseObject({ name: z.string() })) });

/** Every text in all that was said of a chat. */
const saidOf = (chatId: string | null): string =>
  editor.talk
    .flatMap(({ by, message }) => {
      const { params } = message as { params?: { chatId?: unknown } };
      return by === 'server' && params?.chatId === chatId ? [JSON.stringify(params)] : [];
    })
    .join('\n');

describe.each(eras)('an editor of the $name', (era) => {
  test('two chats at once are two sessions, and nothing of the one is said in the other', async () => {
    await open(era);
    const [one, other] = [editor.chat(), editor.chat()];
    await one.prompt('slow 20 long 60 FIRSTWORD');
    await other.prompt('ask OTHERWORD');
    expect(one.id).not.toBe(other.id);
    const { id } = await other.until('the question', ({ type }) => type === 'toolCallRun');
    other.approve(id);
    await other.over();
    await other.prompt('think OTHERAGAIN');
    const [first, second] = [await one.over(), await other.over()];
    expect(wordsIn(first)).toContain('60 ');
    expect(second.some(({ content }) => content.type === 'reasonText')).toBe(true);
    expect(saidOf(one.id)).toContain('FIRSTWORD');
    expect(saidOf(one.id)).not.toMatch(/OTHER|toolCall|reason/u);
    expect(saidOf(other.id)).not.toMatch(/FIRSTWORD|60 /u);
    expect(editor.judge()).toEqual([]);
  });

  test('a stop of one chat leaves the other alone', async () => {
    await open(era);
    const [one, other] = [editor.chat(), editor.chat()];
    await one.prompt('hang');
    await other.prompt('slow 20 long 30');
    await one.until('its words', ({ type }, role) => role === 'assistant' && type === 'text');
    one.stop();
    await one.over();
    expect(wordsIn(await other.over())).toContain('30 ');
    expect(saidOf(other.id)).not.toContain('stopped');
    expect(editor.judge()).toEqual([]);
  });

  test('files that it may choose are those of its folders, without what is ignored', async () => {
    await open(era);
    const all = Contexts.parse(await editor.request('chat/queryContext', { query: '', contexts: [] })).contexts;
    expect(all).toContainEqual({ type: 'repoMap' });
    expect(all).toContainEqual({ type: 'directory', path: folder });
    expect(JSON.stringify(all)).not.toContain('secret');
    const some = Contexts.parse(await editor.request('chat/queryContext', { query: 'cab', contexts: [] })).contexts;
    const cables = { type: 'file', path: join(folder, 'drawers/cables.txt') };
    expect(some).toContainEqual(cables);
    const rest = await editor.request('chat/queryContext', { query: 'cab', contexts: [cables] });
    expect(Contexts.parse(rest).contexts).not.toContainEqual(cables);
    expect(editor.judge()).toEqual([]);
  });

  test('commands that it may choose are those of the agent', async () => {
    await open(era);
    const { commands } = Commands.parse(await editor.request('chat/queryCommands', { query: '' }));
    expect(commands.map(({ name }) => name)).toEqual(expect.arrayContaining(['think', 'tool', 'help']));
    const some = Commands.parse(await editor.request('chat/queryCommands', { query: 'thi' })).commands;
    expect(some.map(({ name }) => name)).toContain('think');
    expect(some.length).toBeLessThan(commands.length);
    const chat = editor.chat();
    await chat.prompt('/think');
    expect((await chat.over()).some(({ content }) => content.type === 'reasonText')).toBe(true);
    expect(editor.judge()).toEqual([]);
  });

  test('the agent reads what a prompt points at, and the user sees his own words alone', async () => {
    await open(era);
    const chat = editor.chat();
    const contexts = [
      { type: 'file', path: join(folder, 'drawers/cables.txt'), linesRange: { start: 2, end: 3 } },
      { type: 'directory', path: join(folder, 'drawers') },
      { type: 'repoMap' },
    ];
    await chat.prompt('greetings', { contexts });
    const said = await chat.over();
    // What the model is told is seen in front of pi (eca-client-pi.test.ts); here, that it costs something.
    const usage = said.findLast(({ content }) => content.type === 'usage')?.content;
    expect(usage?.messageInputTokens).toBeGreaterThan(20);
    expect(wordsIn(said)).toBe('Hello! You said: greetings');
    const echo = said.filter(({ role }) => role === 'user').map(({ content }) => content.text);
    expect(echo).toEqual(['greetings\n']);
    expect(editor.judge()).toEqual([]);
  });

  test.each([
    ['a file outside', () => ({ type: 'file', path: join(outside, 'else.txt') }), 'else.txt'],
    ['a file that is not there', () => ({ type: 'file', path: join(folder, 'gone.txt') }), 'gone.txt'],
    ['a page', () => ({ type: 'web', url: 'http://127.0.0.1:9/cables' }), '127.0.0.1'],
    [
      'a resource of a tool server',
      () => ({
        type: 'mcpResource',
        uri: 'file://x',
        name: 'x',
        description: '',
        mimeType: 'text/plain',
        server: 'drawers',
      }),
      'file://x',
    ],
  ])('%s is not read, and the user is told', async (_, context, word) => {
    await open(era);
    const chat = editor.chat();
    await chat.prompt('greetings', { contexts: [context()] });
    const said = await chat.over();
    expect(wordsIn(said)).toContain('greetings');
    expect(wordsIn(said)).not.toContain('ZEPPELIN');
    const told = await editor.until('the notice', (talk) =>
      talk.find(({ by, message }) => {
        const text = JSON.stringify(message);
        return by === 'server' && text.includes(word) && /"role":"system"|showMessage/u.test(text);
      }),
    );
    expect(told).toBeDefined();
    expect(editor.judge()).toEqual([]);
  });

  test('a command goes without contexts, and the user is told once', async () => {
    await open(era);
    const chat = editor.chat();
    const contexts = [{ type: 'repoMap' }, { type: 'web', url: 'http://127.0.0.1:9/' }];
    await chat.prompt('/contexts', { contexts });
    expect(wordsIn(await chat.over())).toContain('carried 0 contexts');
    const told = editor.talk.map(({ message }) => JSON.stringify(message));
    expect(told.filter((message) => message.includes('A command takes no contexts: they were left out.'))).toHaveLength(
      1,
    );
    expect(told.filter((message) => message.includes('showMessage'))).toHaveLength(1);
    expect(editor.judge()).toEqual([]);
  });

  test('a chat that is deleted says nothing more, also when it is deleted in mid sentence', async () => {
    await open(era);
    const [one, other] = [editor.chat(), editor.chat()];
    await one.prompt('hello');
    await one.over();
    expect(await editor.request('chat/delete', { chatId: one.id })).toEqual({});
    await other.prompt('slow 20 long 1000');
    await other.until('its words', ({ type }, role) => role === 'assistant' && type === 'text');
    expect(await editor.request('chat/delete', { chatId: other.id })).toEqual({});
    const third = editor.chat();
    await third.prompt('hello');
    expect(wordsIn(await third.over())).toContain('hello');
    expect([one.id, other.id]).not.toContain(third.id);
    expect(editor.judge()).toEqual([]);
  });

  test('requests of newer versions are answered kindly', async () => {
    await open(era);
    const chat = editor.chat();
    await chat.prompt('hello');
    await chat.over();
    const chatId = chat.id;
    expect(await editor.request('chat/queryFiles', { chatId, query: 'cab' })).toHaveProperty('files');
    expect(await editor.request('chat/list', {})).toHaveProperty('chats');
    expect(await editor.request('chat/open', { chatId: 'no such chat' })).toMatchObject({ found: false });
    expect(await editor.request('jobs/list', {})).toMatchObject({ jobs: [] });
    expect(await editor.request('jobs/kill', { jobId: '1' })).toMatchObject({ killed: false });
    expect(await editor.request('providers/list', {})).toMatchObject({ providers: [] });
    for (const method of ['chat/update', 'chat/rollback', 'chat/addFlag', 'chat/removeFlag', 'chat/fork'])
      expect({ method, result: await editor.request(method, { chatId, contentId: 'c1' }) }).toEqual({
        method,
        result: {},
      });
    expect(editor.judge()).toEqual([]);
  });
});
