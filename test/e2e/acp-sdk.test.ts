// The client of the protocol's own library as a process in front of the gateway with the demo agent. Each conversation is
// judged by its shape and by its order (docs/protocols/acp.md 3, 4, 5).
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { methods } from '@agentclientprotocol/sdk';
import { afterEach, describe, expect, it } from 'vitest';
import { type AcpClient, startAcpClient, type User } from '../support/acp-client.ts';
import { at } from '../support/acp-traces.ts';
import { acpOrderFaults } from '../support/judges/acp-order.ts';
import { acpSchemaFaults } from '../support/judges/acp-schema.ts';

const { session } = methods.agent;
const project = mkdtempSync(join(tmpdir(), 'patchbay-acp-'));
let acp: AcpClient;

async function start(user?: User, capabilities?: object): Promise<void> {
  acp = await startAcpClient(user, capabilities);
}

afterEach(async () => {
  await acp.close();
  expect(acpSchemaFaults(acp.rows)).toEqual([]);
  // A client may send a prompt while one runs; the agent queues (docs/protocols/acp.md 4.31).
  expect(acpOrderFaults(acp.rows, { only: 'out' })).toEqual([]);
});

async function open(): Promise<string> {
  return (await acp.agent.request(session.new, { cwd: project, mcpServers: [] })).sessionId;
}

const ask = (sessionId: string, text: string) =>
  acp.agent.request(session.prompt, { sessionId, prompt: [{ type: 'text', text }] });
const said = (sessionId: string, kind = 'agent_message_chunk') =>
  acp
    .updates(sessionId, kind)
    .map((update) => at(update, 'content', 'text'))
    .join('');
const statuses = (sessionId: string) =>
  ['tool_call', 'tool_call_update'].flatMap((kind) =>
    acp.updates(sessionId, kind).flatMap(({ status }) => (status === undefined ? [] : [status])),
  );
const isChunk = (message: unknown) => at(message, 'params', 'update', 'sessionUpdate') === 'agent_message_chunk';
const asksPermission = (message: unknown) => at(message, 'method') === 'session/request_permission';

describe('a turn', () => {
  it('has text, thoughts, a tool and usage, and its answer comes last', async () => {
    await start();
    const id = await open();
    const { stopReason } = await ask(id, 'think and tool');
    expect(stopReason).toBe('end_turn');
    expect(said(id)).toContain('Let me look that up.');
    expect(said(id, 'agent_thought_chunk')).toContain('think');
    expect(statuses(id)).toEqual(['pending', 'in_progress', 'completed']);
    expect(acp.updates(id, 'usage_update').length).toBeGreaterThan(0);
    expect(acp.updates(id, 'user_message_chunk')).toEqual([]);
    expect(acp.updates(id, 'available_commands_update')).toHaveLength(1);
    await ask(id, '/tool');
    expect(statuses(id).filter((status) => status === 'completed')).toHaveLength(2);
  });

  it('has several tools at once, edits with both texts, and images', async () => {
    await start();
    const id = await open();
    await ask(id, 'tools 2');
    expect(statuses(id).filter((status) => status === 'completed')).toHaveLength(2);
    await ask(id, 'edit');
    const diffs = acp.updates(id, 'tool_call_update').flatMap(({ content }) => content ?? []);
    expect(diffs).toContainEqual(expect.objectContaining({ type: 'diff', path: join(project, 'colours.txt') }));
    const { stopReason } = await acp.agent.request(session.prompt, {
      sessionId: id,
      prompt: [
        { type: 'text', text: 'image and contexts' },
        { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' },
        { type: 'resource', resource: { uri: 'file:///p/a.ts', text: 'let a' } },
        { type: 'resource_link', uri: 'file:///tmp', name: 'tmp' },
        { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' },
      ],
    });
    expect(stopReason).toBe('end_turn');
    expect(said(id)).toContain('image/png');
  });

  it('that fails is an error answer, and the next turn works', async () => {
    await start();
    const id = await open();
    await expect(ask(id, 'fail')).rejects.toMatchObject({
      code: -32_603,
      message: expect.stringContaining('overloaded'),
    });
    await expect(ask(id, 'hello')).resolves.toMatchObject({ stopReason: 'end_turn' });
  });

  it('in which the agent dies is an error answer, and a new session works', async () => {
    await start();
    const id = await open();
    await expect(ask(id, 'die')).rejects.toMatchObject({ code: -32_603 });
    await expect(ask(await open(), 'hello')).resolves.toMatchObject({ stopReason: 'end_turn' });
  });
});

describe('permissions', () => {
  it.each([
    ['allow_once', 'completed'],
    ['reject_once', 'failed'],
  ])('%s: the call is %s', async (kind, status) => {
    await start({ permission: () => kind });
    const id = await open();
    await ask(id, 'ask');
    expect(statuses(id).at(-1)).toBe(status);
  });

  it('that are remembered are not asked for again', async () => {
    await start({ permission: () => 'allow_always' });
    const id = await open();
    await ask(id, 'ask');
    await ask(id, 'ask');
    expect(acp.rows.filter(({ json }) => asksPermission(json))).toHaveLength(1);
    expect(statuses(id).filter((status) => status === 'completed')).toHaveLength(2);
  });

  it('of a turn that is cancelled end with it', async () => {
    await start({ permission: () => null });
    const id = await open();
    const turn = ask(id, 'ask');
    await acp.until(asksPermission);
    await acp.cancel(id);
    await expect(turn).resolves.toMatchObject({ stopReason: 'cancelled' });
  });
});

describe('cancelling', () => {
  it('stops a text, drops what waits behind it, and leaves the next turn alone', async () => {
    await start();
    const id = await open();
    const turn = ask(id, 'slow 20 long 1000');
    await acp.until(isChunk);
    const queued = acp.agent.request(session.prompt, { sessionId: id, prompt: [{ type: 'text', text: 'hello' }] });
    await acp.cancel(id);
    await expect(turn).resolves.toMatchObject({ stopReason: 'cancelled' });
    await expect(queued).resolves.toMatchObject({ stopReason: 'cancelled' });
    await acp.cancel(id);
    await expect(ask(id, 'hello')).resolves.toMatchObject({ stopReason: 'end_turn' });
  });

  it('stops a turn before its first word', async () => {
    await start();
    const id = await open();
    const turn = ask(id, 'hang');
    await acp.cancel(id);
    await expect(turn).resolves.toMatchObject({ stopReason: 'cancelled' });
  });

  it('by the request: the others go on', async () => {
    await start();
    const id = await open();
    const stop = new AbortController();
    const turn = acp.agent
      .request(
        session.prompt,
        { sessionId: id, prompt: [{ type: 'text', text: 'hang' }] },
        { cancellationSignal: stop.signal },
      )
      .catch((thrown: unknown) => thrown);
    await acp.until(isChunk);
    stop.abort();
    await turn;
    await expect(ask(id, 'hello')).resolves.toMatchObject({ stopReason: 'end_turn' });
  });
});

describe('settings', () => {
  it('are one consistent list, whichever way they are set', async () => {
    await start();
    const opened = await acp.agent.request(session.new, { cwd: project, mcpServers: [] });
    const { sessionId, modes, configOptions } = opened;
    expect(modes?.currentModeId).toBe('default');
    const ids = configOptions?.map((option) => option.id) ?? [];
    expect(ids.slice(0, 3)).toEqual(['mode', 'model', 'thought_level']);
    for (const option of configOptions ?? []) {
      if (option.type !== 'select') continue;
      const values = option.options.flatMap((one) =>
        'value' in one ? [one.value] : one.options.map(({ value }) => value),
      );
      const value = values.find((one) => one !== option.currentValue) ?? option.currentValue;
      const answer = await acp.agent.request(session.setConfigOption, { sessionId, configId: option.id, value });
      expect(answer.configOptions.map((one) => one.id)).toEqual(ids);
      expect(answer.configOptions.find((one) => one.id === option.id)?.currentValue).toBe(value);
    }
    await acp.agent.request(session.setMode, { sessionId, modeId: 'plan' });
    expect(acp.updates(sessionId, 'current_mode_update').at(-1)).toMatchObject({ currentModeId: 'plan' });
    const told = acp.updates(sessionId, 'config_option_update').at(-1);
    expect(told?.configOptions).toContainEqual(expect.objectContaining({ id: 'mode', currentValue: 'plan' }));
    await expect(acp.agent.request(session.setMode, { sessionId, modeId: 'none' })).rejects.toMatchObject({
      code: -32_602,
    });
    await expect(
      acp.agent.request(session.setConfigOption, { sessionId, configId: 'none', value: 'a' }),
    ).rejects.toMatchObject({ code: -32_602 });
  });
});

describe('questions of the agent', () => {
  it('are forms', async () => {
    await start({
      form: (params) => ({
        answer: at(params, 'requestedSchema', 'properties', 'answer', 'type') === 'boolean' ? true : 'green',
      }),
    });
    const id = await open();
    await ask(id, 'select and confirm and input');
    expect(said(id)).toContain('green');
  });

  it('are questions for permission where there are no forms, and are declined where there is no word for them', async () => {
    await start({ permission: () => '1' }, {});
    const id = await open();
    await ask(id, 'select');
    expect(said(id)).toContain('green');
    await expect(ask(id, 'input')).resolves.toMatchObject({ stopReason: 'end_turn' });
  });
});

describe('sessions', () => {
  it('run at once, are listed, loaded with their past, resumed without, closed and deleted', async () => {
    await start();
    const [one, two] = [await open(), await open()];
    await Promise.all([ask(one, 'tool'), ask(two, 'think')]);
    const { sessions } = await acp.agent.request(session.list, { cwd: project });
    expect(sessions.map(({ sessionId }) => sessionId)).toEqual(expect.arrayContaining([one, two]));
    const before = acp.updates(one).length;
    await acp.agent.request(session.load, { sessionId: one, cwd: project, mcpServers: [] });
    const past = acp.updates(one).slice(before);
    expect(past.map((update) => update.sessionUpdate)).toContain('user_message_chunk');
    expect(past.filter((update) => update.sessionUpdate === 'tool_call')).toHaveLength(1);
    await acp.agent.request(session.close, { sessionId: one });
    await expect(ask(one, 'hello')).rejects.toMatchObject({ code: -32_002 });
    const closed = acp.updates(one).length;
    await acp.agent.request(session.resume, { sessionId: one, cwd: project, mcpServers: [] });
    const told = acp
      .updates(one)
      .slice(closed)
      .map((update) => update.sessionUpdate);
    expect(told).not.toContain('user_message_chunk');
    await expect(ask(one, 'hello')).resolves.toMatchObject({ stopReason: 'end_turn' });
    await acp.agent.request(session.delete, { sessionId: two });
    await acp.agent.request(session.delete, { sessionId: 'nobody' });
    await expect(
      acp.agent.request(session.load, { sessionId: 'nobody', cwd: project, mcpServers: [] }),
    ).rejects.toMatchObject({ code: -32_002 });
  });

  it('outlive their client, and are loaded by the next one', async () => {
    await start();
    const id = await open();
    await ask(id, 'tool');
    await acp.close();
    await start();
    await acp.agent.request(session.load, { sessionId: id, cwd: project, mcpServers: [] });
    expect(said(id, 'user_message_chunk')).toBe('tool');
    expect(said(id)).toContain('Let me look that up.');
    await expect(ask(id, 'hello')).resolves.toMatchObject({ stopReason: 'end_turn' });
  });

  it.each(['hang', 'ask'])('are closed while they run (%s): the prompt is answered first', async (words) => {
    await start({ permission: () => null });
    const id = await open();
    const turn = ask(id, words);
    await acp.until((message) => (words === 'ask' ? asksPermission(message) : isChunk(message)));
    const ends: string[] = [];
    await Promise.all([
      turn.then(({ stopReason }) => ends.push(stopReason)),
      acp.agent.request(session.close, { sessionId: id }).then(() => ends.push('closed')),
    ]);
    expect(ends).toEqual(['cancelled', 'closed']);
  });
});

describe('refusals', () => {
  it('are those of the protocol', async () => {
    await start();
    await expect(acp.agent.request(methods.agent.authenticate, { methodId: 'x' })).rejects.toMatchObject({
      code: -32_602,
    });
    await expect(acp.agent.request(methods.agent.logout, {})).rejects.toMatchObject({ code: -32_601 });
    await expect(acp.agent.request('_vendor/x', {})).rejects.toMatchObject({ code: -32_601 });
    await expect(acp.agent.request(session.new, { cwd: 'tmp', mcpServers: [] })).rejects.toMatchObject({
      code: -32_602,
    });
    await expect(ask('nobody', 'hello')).rejects.toMatchObject({ code: -32_002 });
  });
});
