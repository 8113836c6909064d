// An editor whose user gives leave beforehand, before agents of several protocols: to one tool for the rest of the session, or
// to all of them. Both are the gateway's own work (decision 0015).
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { agentRoles } from '../support/agent-roles.ts';
import { type Chat, type Editor, type Era, eras, type Heard, openEditor, outline } from '../support/eca-client.ts';

const folder = mkdtempSync(join(tmpdir(), 'patchbay-leave-'));
const config = join(folder, 'patchbay.json');
const server = agentRoles.get('eca')?.config.command ?? [];
const claude = agentRoles.get('claude')?.config;
writeFileSync(
  config,
  JSON.stringify({ agents: { claude, 'eca-first': { protocol: 'eca', command: [...server, 'first'] } } }),
);
afterAll(() => rmSync(folder, { recursive: true }));

let editor: Editor;
afterEach(() => editor?.close());

async function open(era: Era, agent: string): Promise<Chat> {
  editor = openEditor(era, { config, agent });
  await editor.greet(folder);
  return editor.chat();
}

/** What becomes of the call in a run that asks for leave; `act` is the user's part where it is asked. */
async function asked(chat: Chat, more: object = {}, act?: (id: unknown) => void): Promise<string[]> {
  const answered = chat.prompt('ask', more);
  if (act !== undefined) act((await chat.until('a question', isQuestion)).id);
  const said = await chat.over();
  await answered;
  return calls(said);
}

const isQuestion = ({ type, manualApproval }: Heard['content']) => type === 'toolCallRun' && manualApproval === true;
const calls = (said: readonly Heard[]) => outline(said).filter((word) => /^(?:run\??|called|rejected.*)$/u.test(word));

const Message = z.looseObject({ method: z.literal('$/showMessage'), params: z.looseObject({ message: z.string() }) });
const Config = z.looseObject({
  method: z.literal('config/updated'),
  params: z.looseObject({ chatId: z.string(), chat: z.looseObject({ selectTrust: z.boolean() }) }),
});
const heard = <Value>(read: (message: unknown) => Value | undefined) =>
  editor.talk.flatMap(({ by, message }) => (by === 'client' ? [] : (read(message) ?? [])));
const messages = () => heard((message) => Message.safeParse(message).data?.params.message);
const trusts = () => heard((message) => Config.safeParse(message).data?.params.chat.selectTrust);

describe.each(eras)('an editor of the $name', (era) => {
  test.each(['demo', 'eca-first'])('accepts and remembers, before %s: it is asked once', async (agent) => {
    const chat = await open(era, agent);
    expect(await asked(chat, {}, (id) => chat.approve(id, { save: 'session' }))).toEqual(['run?', 'called']);
    expect(messages()).toEqual([expect.stringMatching(/ is allowed for the rest of this session\.$/u)]);
    expect(await asked(chat)).toEqual(['run', 'called']);
    // Another chat is another session.
    const other = editor.chat();
    expect(await asked(other, {}, (id) => other.reject(id))).toEqual(['run?', 'rejected: user']);
    expect(editor.judge()).toEqual([]);
  });

  test.each(['demo', 'eca-first', 'claude'])(
    'trusts a chat, before %s: it is not asked until it takes that back',
    async (agent) => {
      const chat = await open(era, agent);
      expect(await asked(chat, { trust: true })).toEqual(['run', 'called']);
      expect(await asked(chat)).toEqual(['run', 'called']);
      expect(trusts()).toEqual([true]);
      await editor.request('chat/update', { chatId: chat.id, trust: false });
      expect(await asked(chat, {}, (id) => chat.approve(id))).toEqual(['run?', 'called']);
      expect(trusts()).toEqual([true, false]);
      expect(editor.judge()).toEqual([]);
    },
  );

  test('an agent that keeps permissions itself and offers none: the user hears that the yes counted once', async () => {
    const chat = await open(era, 'claude');
    expect(await asked(chat, {}, (id) => chat.approve(id, { save: 'session' }))).toEqual(['run?', 'called']);
    expect(messages()).toEqual([expect.stringContaining('counts once')]);
    expect(await asked(chat, {}, (id) => chat.approve(id))).toEqual(['run?', 'called']);
  });
});
