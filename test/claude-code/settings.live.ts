// What clients ask of the real Claude Code beside prompts: models, modes, a compaction, who is at work; and turns that
// overlap, or that nobody asked for.
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { isResult, promptFrame, turn } from '../support/claude-turn.ts';
import type { Client } from '../support/clients.ts';
import type { Frame } from '../support/inbox.ts';
import { faultsIn, judged } from '../support/judged.ts';
import { legacyTurn } from '../support/legacy-turn.ts';
import { isOfBackground, isOwnNews } from './retell.ts';
import { type Stage, startStage } from './stage.ts';

const found = inject('claudeCode');
const hello = 'Hello, world. This is plain text.';
/** Claude Code asks for it with all its tools, in words of its own. */
const summary = 'No scenario was named.';

describe.skipIf('reason' in found)('beside prompts', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await startStage('binary' in found ? found.binary : '');
  });
  afterAll(() => stage?.close());

  const lastModel = () => stage.fake.requests.at(-1)?.body.model;

  describe('a Claude client', () => {
    /** Sends a control request and gives what its response holds. */
    async function ask(client: Client, id: string, request: object): Promise<unknown> {
      const from = client.frames.length;
      await client.send({ type: 'control_request', request_id: id, request });
      const isAnswer = (frame: Frame) => frame.type === 'control_response' && Object(frame.response).request_id === id;
      return (await client.waitFor(isAnswer, `the answer to ${id}`, from)).response;
    }
    const success = (response: unknown) => expect.objectContaining({ subtype: 'success', response });

    function isInOrder(client: Client, isExcused = isOwnNews): void {
      const faults = faultsIn('claude', client.frames);
      expect(faults.filter((fault) => !isExcused(fault))).toEqual([]);
    }

    test('learns who is there, chooses a model and a mode, and asks for the servers', async () => {
      const client = await stage.connect('claude');
      expect(await ask(client, 'hello', { subtype: 'initialize' })).toEqual(
        success(
          expect.objectContaining({
            commands: expect.arrayContaining([expect.objectContaining({ name: 'compact' })]),
            models: expect.arrayContaining([expect.objectContaining({ value: expect.any(String) })]),
          }),
        ),
      );
      expect(await ask(client, 'm', { subtype: 'set_model', model: 'fake-2' })).toMatchObject({ subtype: 'success' });
      const [result] = (await turn(client, '[[text]] with another model')).filter(isResult);
      expect([result?.result, lastModel()]).toEqual([hello, 'fake-2']);
      expect(await ask(client, 'p', { subtype: 'set_permission_mode', mode: 'acceptEdits' })).toMatchObject({
        subtype: 'success',
      });
      // Nobody is asked any more.
      const edited = await turn(client, '[[cc-edit]] without leave');
      expect(edited.at(-1)).toMatchObject({ is_error: false, result: 'Edited.', permission_denials: [] });
      expect(await ask(client, 'bad', { subtype: 'set_permission_mode', mode: 'nonsense' })).toMatchObject({
        subtype: 'error',
      });
      expect(await ask(client, 's', { subtype: 'mcp_status' })).toEqual(success({ mcpServers: [] }));
      await client.close();
    });

    test('compacts, and goes on', async () => {
      const client = await stage.connect('claude');
      await turn(client, '[[text]] one');
      await turn(client, '[[think]] two');
      const from = client.frames.length;
      await client.send(promptFrame('/compact'));
      await client.waitFor(isResult, 'the result of the compaction', from);
      expect(client.frames.slice(from)).toContainEqual(
        expect.objectContaining({ type: 'system', subtype: 'compact_boundary' }),
      );
      expect((await turn(client, '[[text]] three')).at(-1)).toMatchObject({ is_error: false, result: hello });
      isInOrder(client);
      await client.close();
    });

    test('two prompts at once are two turns', async () => {
      const client = await stage.connect('claude');
      await client.send(promptFrame('[[think]] one'));
      await client.send(promptFrame('[[text]] two'));
      const first = await client.waitFor(isResult, 'the first result');
      const second = await client.waitFor(isResult, 'the second result', client.frames.indexOf(first) + 1);
      expect([first.result, second.result]).toEqual(['The answer is 42.', hello]);
      isInOrder(client);
      await client.close();
    });

    test('an image reaches the model', async () => {
      const client = await stage.connect('claude');
      const data = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
      const source = { type: 'base64', media_type: 'image/png', data };
      await client.send(promptFrame('[[image]] what is it', [{ type: 'image', source }]));
      expect(await client.waitFor(isResult, 'the result')).toMatchObject({
        result: expect.stringMatching(/^I see image/u),
      });
      await client.close();
    });

    test('a sub-agent in the background comes back in a turn that nobody asked for', async () => {
      const client = await stage.connect('claude', { agent: 'full' });
      const first = await turn(client, '[[cc-agent-background]] send somebody off');
      expect(first.at(-1)).toMatchObject({ is_error: false, result: 'Somebody is on the way.' });
      const second = await client.waitFor(
        isResult,
        'the other turn',
        client.frames.lastIndexOf(first.at(-1) as Frame) + 1,
      );
      expect(second).toMatchObject({ is_error: false });
      expect((await turn(client, '[[text]] and on')).at(-1)).toMatchObject({ is_error: false, result: hello });
      isInOrder(client, (fault) => isOwnNews(fault) || isOfBackground(fault));
      await client.close();
    });
  });

  describe('a pi client', () => {
    let asked = 0;
    async function ask(client: Client, command: object): Promise<Frame> {
      const id = `ask-${++asked}`;
      await client.send({ ...command, id });
      return client.waitFor((frame) => frame.type === 'response' && frame.id === id, `the answer to ${id}`);
    }
    /** The inbox puts the type of each frame first, so the order of keys cannot be judged here. */
    const faults = (client: Client) =>
      judged('pi', client.frames).filter(({ rule }) => rule !== 'pi/own/response-keys');

    test('learns and sets what pi clients show', async () => {
      const client = await stage.connect('pi');
      expect(await ask(client, { type: 'get_state' })).toMatchObject({ success: true, data: { isStreaming: false } });
      expect(await ask(client, { type: 'get_available_models' })).toMatchObject({
        success: true,
        data: { models: expect.arrayContaining([expect.objectContaining({ id: expect.any(String) })]) },
      });
      expect(await ask(client, { type: 'set_model', provider: 'anthropic', modelId: 'fake-2' })).toMatchObject({
        success: true,
      });
      await legacyTurn(client, '[[text]] with another model');
      expect(lastModel()).toBe('fake-2');
      expect(await ask(client, { type: 'get_last_assistant_text' })).toMatchObject({ data: { text: hello } });
      expect(await ask(client, { type: 'get_messages' })).toMatchObject({
        data: { messages: [expect.objectContaining({ role: 'user' }), expect.objectContaining({ role: 'assistant' })] },
      });
      expect(await ask(client, { type: 'get_session_stats' })).toMatchObject({
        data: { tokens: { input: 100, output: 5 }, cost: expect.any(Number) },
      });
      expect(await ask(client, { type: 'bash', command: 'ls' })).toMatchObject({ success: false });
      expect(faults(client)).toEqual([]);
      await client.close();
    });

    test('compacts, and goes on', async () => {
      const client = await stage.connect('pi');
      await legacyTurn(client, '[[text]] one');
      await legacyTurn(client, '[[think]] two');
      expect(await ask(client, { type: 'compact' })).toMatchObject({
        success: true,
        data: { summary: expect.stringContaining(summary) },
      });
      await legacyTurn(client, '[[text]] three');
      expect(await ask(client, { type: 'get_last_assistant_text' })).toMatchObject({ data: { text: hello } });
      expect(faults(client)).toEqual([]);
      await client.close();
    });
  });

  test('a client of pi 0.13.2 compacts', async () => {
    const client = await stage.connect('pi-legacy');
    await legacyTurn(client, '[[text]] one');
    await legacyTurn(client, '[[think]] two');
    await client.send({ type: 'compact' });
    const line = await client.waitFor(({ type }) => type === 'compaction' || type === 'error', 'the compaction');
    expect(line).toMatchObject({ type: 'compaction', summary: expect.stringContaining(summary) });
    await legacyTurn(client, '[[text]] three');
    expect(faultsIn('pi-legacy', client.frames)).toEqual([]);
    await client.close();
  });
});
