// Stored sessions of agents with a model, at a whole gateway: the real pi, whose files are its own, and the Messages API,
// which forgets everything. What is loaded is what was said, and the model is shown it with the next prompt.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { type FakeAnthropic, startFakeAnthropic } from '../../src/conformance/model/endpoint.ts';
import type { Message } from '../../src/core/model/content.ts';
import type { SessionSummary } from '../../src/core/model/outcome-data.ts';
import { makePiHome, type PiHome, piCommand } from '../support/pi-rig.ts';
import type { RelayClient } from '../support/relay.ts';
import { isOver, onNetwork, openGateway, prompt, useRelay } from '../support/relay-rig.ts';

useRelay();

let fake: FakeAnthropic;
let chat: FakeAnthropic;
let home: PiHome;
let folder = '';
let config: { agents: Record<string, object>; sessionDirectory: string; roots: string[] };
const before = process.env.ANTHROPIC_API_KEY;
beforeAll(async () => {
  fake = await startFakeAnthropic();
  chat = await startFakeAnthropic({ chat: true });
  process.env.ANTHROPIC_API_KEY = 'sk-ant-test';
  home = makePiHome({ baseUrl: fake.url });
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'patchbay-kept-')));
  mkdirSync(join(home.dir, '.pi'));
  symlinkSync(home.agentDir, join(home.dir, '.pi', 'agent'));
  const { argv, env } = piCommand(home);
  const command = argv.filter((word) => word !== '--no-session');
  config = {
    agents: {
      pi: { protocol: 'pi', command, env: { ...env, HOME: home.dir }, cwd: home.project },
      chat: { protocol: 'anthropic', options: { baseUrl: chat.url } },
    },
    sessionDirectory: folder,
    roots: [home.dir],
  };
});
afterAll(async () => {
  if (before === undefined) delete process.env.ANTHROPIC_API_KEY;
  else process.env.ANTHROPIC_API_KEY = before;
  await fake?.close();
  await chat?.close();
  home?.remove();
  rmSync(folder, { recursive: true, force: true });
});

async function run(client: RelayClient, session: string, text: string): Promise<void> {
  const seen = client.told.length;
  client.say({ watch: session, as: session });
  expect(await client.ask(prompt(text), session)).toMatchObject({ ok: true });
  await client.hear('its run', (told) => client.told.indexOf(told) >= seen && isOver(session)(told));
}

async function messages(client: RelayClient, session: string): Promise<readonly Message[]> {
  const answer = await client.ask({ type: 'query', subject: 'messages' }, session);
  return z.object({ messages: z.array(z.custom<Message>()) }).parse(answer.data).messages;
}

async function stored(client: RelayClient): Promise<readonly SessionSummary[]> {
  const answer = await client.ask({ type: 'list-stored-sessions' });
  return z.object({ sessions: z.array(z.custom<SessionSummary>()) }).parse(answer.data).sessions;
}

const shape = (all: readonly Message[]) =>
  all.map(({ role, content }) => [role, content.map((part) => (part.type === 'text' ? part.text : part.type))]);
const shownTo = (model: FakeAnthropic) => JSON.stringify(model.requests.at(-1)?.body.messages);

test.each([
  ['pi', () => fake, '[[tools]] one'],
  ['chat', () => chat, '[[think]] one'],
])('%s: kept, listed, deleted, loaded, gone on with', async (agent, model, first) => {
  const { gateway } = openGateway({ ...config, defaultAgent: agent });
  const client = onNetwork(gateway);
  const id = await client.open({ keep: true, cwd: home.project });
  await client.ask({ type: 'set-name', name: `the talk of ${agent}` }, id);
  await run(client, id, first);
  const said = await messages(client, id);
  const listed = (await stored(client)).filter(({ name }) => name === `the talk of ${agent}`);
  expect(listed).toMatchObject([{ id, exists: true, cwd: home.project, messageCount: said.length }]);
  const path = listed[0]?.file ?? '';
  const files = await client.ask({ type: 'query', subject: 'session-files' }, id);
  expect(files.data).toMatchObject({ files: [{ path }] });
  await client.ask({ type: 'delete-session' }, id);

  const later = onNetwork(openGateway({ ...config, defaultAgent: 'demo' }).gateway);
  const answer = await later.ask({ type: 'load-session', path, id: 'again', describe: true, keep: true });
  expect(answer).toMatchObject({
    ok: true,
    data: { session: { id: 'again', messageCount: said.length, name: `the talk of ${agent}` }, problems: [] },
  });
  expect(shape(await messages(later, 'again'))).toEqual(shape(said));
  expect(said.length).toBeGreaterThan(1);
  await run(later, 'again', 'second words');
  expect(shownTo(model())).toContain(first);
  expect((await stored(later)).find(({ file }) => file === path)).toMatchObject({
    id: 'again',
    messageCount: said.length + 2,
  });
  // A fork shows the model what was before it, and nothing else.
  const points = z
    .object({ points: z.array(z.object({ entry: z.string(), text: z.string() })) })
    .parse((await later.ask({ type: 'query', subject: 'fork-points' }, 'again')).data).points;
  const second = points.find(({ text }) => text === 'second words')?.entry ?? '';
  expect(await later.ask({ type: 'fork', entry: second }, 'again')).toMatchObject({
    ok: true,
    data: { text: 'second words' },
  });
  await run(later, 'again', 'three');
  expect(shownTo(model())).toContain(first);
  expect(shownTo(model())).toContain('three');
  expect(shownTo(model())).not.toContain('second words');
});

test('pi is not given a file that is none of its own: it would empty it', async () => {
  const path = join(home.agentDir, 'sessions', 'notes.json');
  mkdirSync(join(home.agentDir, 'sessions'), { recursive: true });
  writeFileSync(path, '{"notes":1}\n');
  const client = onNetwork(openGateway({ ...config, defaultAgent: 'pi' }).gateway);
  expect(await client.ask({ type: 'load-session', path })).toMatchObject({
    ok: false,
    message: 'sessionPath must point to an existing session file',
  });
  expect((await client.ask({ type: 'list-sessions' })).data).toEqual({ sessions: [] });
});
