// What an editor does with chats that have a past: titles, going back, forks, lists, stored chats, compaction and costs. With
// vscode-jsonrpc, in front of the demo agent and of the real pi, whose sessions are files.
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type FakeAnthropic, startFakeAnthropic } from '../../src/conformance/model/endpoint.ts';
import { anyEra, type Editor, type Era, eras, openEditor, startEditor } from '../support/eca-client.ts';
import { oneOf, testInFull } from '../support/full.ts';
import { makePiHome, type PiHome, piCommand } from '../support/pi-rig.ts';

const cli = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const stdio = [process.execPath, cli, 'stdio', '--frontend', 'eca', '--backend'];
/** A start of pi on a busy machine. */
const timeout = 60_000;

let fake: FakeAnthropic;
let home: PiHome;
beforeAll(async () => {
  fake = await startFakeAnthropic();
  home = makePiHome({ baseUrl: fake.url });
  mkdirSync(join(home.dir, '.pi'));
  symlinkSync(home.agentDir, join(home.dir, '.pi', 'agent'));
});
afterAll(async () => {
  await fake?.close();
  home?.remove();
});

let editor: Editor;
/** Its agents end with it, and write until then. */
afterEach(async () => {
  await editor?.quit().catch(() => null);
  await editor?.close();
});

type AgentName = 'demo' | 'pi';

async function open(era: Era, agent: AgentName): Promise<Editor> {
  const { argv, env } = piCommand(home);
  const command = argv.filter((word) => word !== '--no-session');
  editor =
    agent === 'demo'
      ? openEditor(era, { backend: 'demo', option: { paceMs: '0' } })
      : startEditor(era, [...stdio, 'pi', '--', ...command], { cwd: home.project, env: { ...env, HOME: home.dir } });
  await editor.greet(home.project);
  return editor;
}

let prompts = 0;
/** No two prompts have the same words. */
const fresh = (word: string): string => `${word} [[text]] ${++prompts}`;

const Told = z.looseObject({
  method: z.string(),
  params: z.looseObject({
    chatId: z.string(),
    title: z.string().optional(),
    role: z.string().optional(),
    content: z
      .looseObject({ type: z.string(), text: z.string().optional(), contentId: z.string().optional() })
      .optional(),
  }),
});
type Told = z.infer<typeof Told>;

/** All that was told of that chat since it was told from its beginning. */
function since(chatId: string | null): Told[] {
  const all = editor.talk.flatMap(({ by, message }) => {
    const { data } = Told.safeParse(message);
    return by === 'server' && data?.params.chatId === chatId ? [data] : [];
  });
  const start = all.findLastIndex(({ method }) => method === 'chat/cleared');
  return all.slice(Math.max(0, start));
}

/** What its user said, as it stands in the chat. */
const said = (chatId: string | null) =>
  since(chatId).flatMap(({ params: { role, content } }) =>
    role === 'user' && content?.text !== undefined
      ? [{ text: content.text.trim(), contentId: content.contentId ?? '' }]
      : [],
  );
const textsOf = (chatId: string | null) => said(chatId).map(({ text }) => text);
const titlesOf = (chatId: string | null) =>
  since(chatId).flatMap(({ params: { content } }) => (content?.type === 'metadata' ? [content.title] : []));

/** A chat in which that was said, each answered. */
async function chatOf(...words: readonly string[]) {
  const chat = editor.chat();
  for (const word of words) {
    await chat.prompt(word);
    await chat.over();
  }
  return chat;
}

const shown = () => JSON.stringify(fake.requests.at(-1)?.body.messages);

describe.each(eras)('an editor of the $name', { timeout }, (era) => {
  describe.each<AgentName>(anyEra.includes(era) ? ['demo', 'pi'] : ['demo'])('in front of %s', (agent) => {
    /** The demo agent's turn shows the same of these. */
    const testAlone = agent === 'pi' ? testInFull : test;

    testAlone('the first words are the title', async () => {
      await open(era, agent);
      const first = fresh('alpha');
      const chat = await chatOf(first, fresh('bravo'));
      expect(titlesOf(chat.id)).toEqual([first]);
      expect(editor.judge()).toEqual([]);
    });

    test('a chat goes back, and on from there', async () => {
      await open(era, agent);
      const [first, second, third] = [fresh('alpha'), fresh('bravo'), fresh('charlie')];
      const chat = await chatOf(first, second);
      const { contentId = '' } = said(chat.id)[1] ?? {};
      const answer = await editor.request('chat/rollback', { chatId: chat.id, contentId, include: ['messages'] });
      expect(answer).toEqual({});
      // Emacs keeps the words for its prompt until it hears this, and no longer than until the answer.
      expect(since(chat.id)[0]?.method).toBe('chat/cleared');
      await editor.until('what is left', () => (textsOf(chat.id).join() === first ? true : undefined));
      await chat.prompt(third);
      await chat.over();
      expect(textsOf(chat.id)).toEqual([first, third]);
      if (agent === 'pi') expect([shown().includes(first), shown().includes(second)]).toEqual([true, false]);
      expect(editor.judge()).toEqual([]);
    });

    const forks: [string, number][] = [
      ['the first', 0],
      ['the last', 1],
    ];
    test.each(agent === 'pi' ? oneOf(forks) : forks)(
      'a chat is forked at %s: another begins as it does, and it stays as it is',
      async (_, at) => {
        await open(era, agent);
        const [first, second, third] = [fresh('alpha'), fresh('bravo'), fresh('charlie')];
        const chat = await chatOf(first, second);
        const contentId = said(chat.id)[at]?.contentId;
        expect(await editor.request('chat/fork', { chatId: chat.id, contentId })).toEqual({});
        const kept = at === 0 ? [first] : [first, second];
        const other = await editor.until('another chat', (talk) => {
          const opened = talk.flatMap(({ message }) => Told.safeParse(message).data ?? []);
          const id = opened.find(({ method, params }) => method === 'chat/opened' && params.chatId !== chat.id)?.params;
          return id !== undefined && textsOf(id.chatId).join() === kept.join() ? id : undefined;
        });
        const title = `${first} (2)`;
        await editor.until('its title', () =>
          other.title === title || titlesOf(other.chatId).includes(title) ? true : undefined,
        );
        await editor.request('chat/prompt', { ...era.prompt(other.chatId, third) });
        await editor.until('its run', () =>
          since(other.chatId).some(({ params: { content } }) => content?.state === 'finished') ? true : undefined,
        );
        if (agent === 'pi') expect([shown().includes(first), shown().includes(second)]).toEqual([true, at === 1]);
        expect(textsOf(chat.id)).toEqual([first, second]);
        expect(editor.judge()).toEqual([]);
      },
    );

    testAlone('chats are listed, and opened again', async () => {
      await open(era, agent);
      const first = fresh('alpha');
      const chat = await chatOf(first);
      const list = z.object({ chats: z.array(z.looseObject({ id: z.string(), title: z.string().optional() })) });
      const { chats } = list.parse(await editor.request('chat/list', {}));
      expect(chats[0]).toMatchObject({ id: chat.id, title: first, status: 'idle', updatedAt: expect.any(Number) });
      expect(await editor.request('chat/open', { chatId: chat.id })).toMatchObject({ found: true, title: first });
      expect(textsOf(chat.id)).toEqual([first]);
      expect(editor.judge()).toEqual([]);
    });

    testAlone('commands: costs and clear are listed and done', async () => {
      await open(era, agent);
      const chat = await chatOf(fresh('alpha'));
      const listed = await editor.request('chat/queryCommands', { chatId: chat.id, query: '' });
      const names = z.looseObject({ commands: z.array(z.looseObject({ name: z.string() })) }).parse(listed).commands;
      expect(names.map(({ name }) => name)).toEqual(expect.arrayContaining(['compact', 'fork', 'clear', 'costs']));
      await chat.prompt('/costs');
      const costs = (await chat.over()).find(({ role, content }) => role === 'system' && content.type === 'text');
      expect(costs?.content.text).toMatch(/Total output tokens: \d+\nTotal cost: \$\d/u);
      await chat.prompt('/clear');
      await chat.over();
      expect(textsOf(chat.id)).toEqual([]);
      expect(editor.judge()).toEqual([]);
    });
  });
});

describe.each(anyEra)('an editor of the $name, in front of pi', { timeout }, (era) => {
  test('a chat of an earlier process is listed, opened and gone on with', async () => {
    await open(era, 'pi');
    const [first, second] = [fresh('alpha'), fresh('bravo')];
    await chatOf(first);
    await editor.quit();
    await open(era, 'pi');
    const list = z.object({ chats: z.array(z.looseObject({ id: z.string(), title: z.string().optional() })) });
    const { chats } = list.parse(await editor.request('chat/list', {}));
    const old = chats.find(({ title }) => title === first);
    expect(old).toMatchObject({ status: 'idle', messageCount: 2 });
    const chatId = old?.id ?? '';
    expect(await editor.request('chat/open', { chatId })).toMatchObject({ found: true, chatId, title: first });
    await editor.until('what was said', () => (textsOf(chatId).join() === first ? true : undefined));
    await editor.request('chat/prompt', { ...era.prompt(chatId, second) });
    await editor.until('its run', () =>
      since(chatId).some(({ params: { content } }) => content?.state === 'finished') ? true : undefined,
    );
    expect([shown().includes(first), shown().includes(second)]).toEqual([true, true]);
    expect(editor.judge()).toEqual([]);
  });

  test('pi compacts at the user’s word, and says how it went once', async () => {
    await open(era, 'pi');
    const chat = await chatOf(fresh('alpha'), fresh('bravo'), fresh('charlie'));
    await chat.prompt('/compact keep the names');
    const told = (await chat.over()).flatMap(({ role, content }) =>
      role === 'system' && content.type === 'text' ? [String(content.text)] : [],
    );
    expect(told).toEqual([expect.stringContaining('The conversation was compacted')]);
    expect(fake.requests.some(({ body }) => JSON.stringify(body).includes('keep the names'))).toBe(true);
    await chat.prompt(fresh('delta'));
    await chat.over();
    expect(editor.judge()).toEqual([]);
  });
});
