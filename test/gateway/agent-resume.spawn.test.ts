// An agent dies, and the next one goes on with the conversation that the agents of its protocol store themselves
// (docs/faults.md F1). Each agent is a program that tells the test how it was started and what it was sent.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { beginsAnew } from '../../src/core/contract/adapter/stored-conversations.ts';
import { owner, type Principal } from '../../src/core/contract/principal.ts';
import type { RelayClient } from '../support/relay.ts';
import { isOver, onNetwork, openGateway, prompt, useRelay } from '../support/relay-rig.ts';
import { type Start, startsIn, tellingCommand } from '../support/telling-program.ts';

useRelay();

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'patchbay-resume-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function agentOf(protocol: string, ...args: string[]) {
  const script = fileURLToPath(new URL(`../support/scripted-${protocol}.mjs`, import.meta.url));
  const record = join(folder, 'record');
  const starts = () => startsIn(record);
  const command = tellingCommand(script, record, args);
  return { config: { agents: { one: { protocol, command } }, defaultAgent: 'one', sessionDirectory: folder }, starts };
}

async function run(client: RelayClient, session: string, text: string): Promise<void> {
  const seen = client.told.length;
  expect(await client.ask(prompt(text), session)).toMatchObject({ ok: true });
  await client.hear('its run', (told) => client.told.indexOf(told) >= seen && isOver(session)(told));
}

/** Kills the last process. */
async function kill(client: RelayClient, starts: () => readonly Start[]): Promise<void> {
  const seen = client.told.length;
  process.kill(starts().at(-1)?.pid ?? Number.NaN, 'SIGKILL');
  const isDown = (event?: { readonly type: string; readonly state?: unknown }) =>
    event?.type === 'agent-changed' && event.state === 'down';
  await client.hear('that it is gone', (told) => client.told.indexOf(told) >= seen && isDown(told.event));
}

const warnings = (client: RelayClient) =>
  client.told.flatMap(({ event }) => (event?.type === 'notice' && event.source === 'gateway' ? [event.text] : []));

/** A prompt, the death of the agent, another prompt. */
async function story(agent: ReturnType<typeof agentOf>, second = 'look') {
  const { gateway } = openGateway(agent.config);
  const client = onNetwork(gateway);
  const session = await client.open();
  client.say({ watch: session, as: session });
  await run(client, session, 'look one');
  await kill(client, agent.starts);
  await run(client, session, second);
  const [, next] = agent.starts();
  if (next === undefined) throw new Error('there is no second process');
  return { client, session, gateway, next };
}

describe('the next process', () => {
  test('of pi opens the session file', async () => {
    const file = join(folder, 'session.jsonl');
    const { client, session, next } = await story(agentOf('pi', '--keep', file), 'recall');
    expect(next.argv.slice(-2)).toEqual(['--session', file]);
    expect(client.words(session)).toContain('look one, recall');
    expect(warnings(client)).toEqual([]);
  });

  test('of pi is said to know nothing where the file is gone', async () => {
    const file = join(folder, 'session.jsonl');
    const agent = agentOf('pi', '--keep', file);
    const { gateway } = openGateway(agent.config);
    const client = onNetwork(gateway);
    const session = await client.open();
    client.say({ watch: session, as: session });
    await run(client, session, 'look one');
    await kill(client, agent.starts);
    rmSync(file);
    await run(client, session, 'look two');
    await client.hear('the warning', ({ event }) => event?.type === 'notice' && event.text === beginsAnew);
    expect(warnings(client)).toEqual([beginsAnew]);
  });

  test('of Claude Code resumes the session by its id', async () => {
    const { client, next } = await story(agentOf('claude'));
    expect(next.argv.at(-1)).toBe('--resume=00000000-0000-4000-8000-000000000000');
    expect(warnings(client)).toEqual([]);
  });

  test('of ECA opens the chat, and its history is not told twice', async () => {
    const { client, session, next } = await story(agentOf('eca', '--chats', join(folder, 'chats')));
    const [opened, prompted] = ['chat/open', 'chat/prompt'].map(
      (method) => new RegExp(`"method":"${method}","params":\\{"chatId":"([^"]+)"`, 'u').exec(next.sent)?.[1],
    );
    expect(opened).toBeDefined();
    expect(prompted).toBe(opened);
    expect(warnings(client)).toEqual([]);
    expect(client.events(session)).not.toContain('history-reset');
  });

  test('of ECA begins another chat where the server has lost it, and that is told', async () => {
    const { client, next } = await story(agentOf('eca'));
    expect(next.sent).toContain('"chat/open"');
    expect(warnings(client)).toEqual([beginsAnew]);
  });

  test('of an ECA server of the first era begins anew, and that is told', async () => {
    const { client, next } = await story(agentOf('eca', 'first'));
    expect(next.sent).not.toContain('chat/open');
    expect(warnings(client)).toEqual([beginsAnew]);
  });

  test('of a pi-server loads the session', async () => {
    const { client, session, next } = await story(agentOf('pi-server'));
    const loads = next.sent.split('\n').filter((line) => line.includes('"load_session"'));
    expect(loads).toHaveLength(1);
    expect(JSON.parse(loads[0] ?? '')).toMatchObject({ sessionPath: expect.stringMatching(/\.jsonl$/u) });
    expect(next.sent).not.toContain('"create_session"');
    expect(warnings(client)).toEqual([]);
    expect(client.events(session)).not.toContain('history-reset');
  });

  test('of pi 0.13 begins anew, and that is told', async () => {
    const { client } = await story(agentOf('pi-legacy'));
    expect(warnings(client)).toEqual([beginsAnew]);
  });
});

/** Opens a stored session, and tells what its clients see of it. */
async function resume(agent: ReturnType<typeof agentOf>, name: string, more: { agent?: string } = {}) {
  const { gateway } = openGateway(agent.config);
  const opened = await gateway.board.resumeSession({ resume: name, ...more }, owner);
  const client = onNetwork(gateway);
  client.say({ watch: opened.id, as: opened.id });
  return { gateway, opened, client, last: () => agent.starts().at(-1) };
}

async function refusal(agent: ReturnType<typeof agentOf>, name: string, principal: Principal = owner) {
  const { gateway } = openGateway(agent.config);
  const message = await gateway.board.resumeSession({ resume: name, agent: 'one' }, principal).then(
    () => 'it was opened',
    ({ code, message }) => `${code}: ${message}`,
  );
  expect(gateway.board.sessions(owner)).toEqual([]);
  return message;
}

describe('a stored session that is opened by its own name', () => {
  test('by Claude Code, which alone knows what was said', async () => {
    const id = '11111111-2222-4333-8444-555555555555';
    const { opened, client, last } = await resume(agentOf('claude'), id);
    expect(opened).toMatchObject({ agent: 'one', state: 'idle' });
    await run(client, opened.id, 'look');
    expect(last()?.argv).toEqual([`--resume=${id}`]);
  });

  test('by an ECA server, which tells what was said', async () => {
    const agent = agentOf('eca', '--chats', join(folder, 'chats'));
    await story(agent);
    const chat = /"method":"chat\/open","params":\{"chatId":"([^"]+)"/u.exec(agent.starts()[1]?.sent ?? '')?.[1] ?? '';
    const { opened, client } = await resume(agent, chat);
    await client.hear('the last prompt', ({ event }) => JSON.stringify(event ?? {}).includes('look one'));
    await run(client, opened.id, 'look');
    expect(warnings(client)).toEqual([]);
  });

  test('by a pi-server, which tells what was said', async () => {
    const file = join(folder, '.pi', 'sessions', 'one.jsonl');
    const { opened, client } = await resume(agentOf('pi-server'), file);
    await client.hear('what was said', ({ event }) => JSON.stringify(event ?? {}).includes(`from ${file}`));
    await run(client, opened.id, 'look');
  });

  test('by the demo agent, from the file of the gateway, by its id or path', async () => {
    const { gateway } = openGateway({
      sessionDirectory: folder,
      agents: { one: { protocol: 'demo', options: { paceMs: 0 } } },
    });
    const client = onNetwork(gateway, { agent: 'one' });
    await client.open({ id: 'kept', keep: true });
    client.say({ watch: 'kept', as: 'kept' });
    await run(client, 'kept', 'hello');
    const { file = '' } = await client
      .ask({ type: 'query', subject: 'state' }, 'kept')
      .then(({ data }) => (data as { changes: { file?: string } }).changes);
    await client.ask({ type: 'delete-session' }, 'kept');
    for (const name of ['kept', file]) {
      const { id } = await gateway.board.resumeSession({ resume: name }, owner);
      const told = await client.ask({ type: 'query', subject: 'messages' }, id);
      expect(JSON.stringify(told.data)).toContain('hello');
    }
  });
});

describe('no session is opened', () => {
  const guest: Principal = { name: 'guest', role: 'controller', agents: null, sessions: 'own' };
  test.each<[string, string, string, Principal, string]>([
    [
      'for a token that reaches only its own',
      'claude',
      '11111111-2222-4333-8444-555555555555',
      guest,
      'unauthorized: ',
    ],
    ['by a title or a file of Claude Code', 'claude', 'x.jsonl', owner, 'not-found: no stored session "x.jsonl" ('],
    ['by an option', 'claude', '--dangerously-skip-permissions', owner, 'not-found: '],
    [
      'of an agent that stores none',
      'pi-legacy',
      'x',
      owner,
      'not-found: no stored session "x" (its agents keep no sessions)',
    ],
    ['by a file outside', 'pi', '/etc/passwd.jsonl', owner, 'invalid: sessionPath must be under an allowed'],
    [
      'by a file outside, at a pi-server',
      'pi-server',
      '/etc/passwd.jsonl',
      owner,
      'invalid: sessionPath must be under',
    ],
    ['by a way around', 'pi-server', '/a/.pi/sessions/../../b.jsonl', owner, 'invalid: '],
    [
      'that a pi-server does not have',
      'pi-server',
      '/a/.pi/sessions/missing.jsonl',
      owner,
      'agent-down: sessionPath must point to',
    ],
    ['that an ECA server does not have', 'eca', 'nothing', owner, 'not-found: no chat has that id'],
  ])('%s', async (_, protocol, name, principal, message) => {
    expect(await refusal(agentOf(protocol), name, principal)).toContain(message);
  });
});
