// The real Claude Agent SDK drives the demo agent through `patchbay-claude`: prompts, streams, questions, interrupts,
// settings. What the SDK was made for and Patchbay has no word for must not hang.
import { createSdkMcpServer, type Options, type SDKMessage, tool } from '@anthropic-ai/claude-agent-sdk';
import { describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { resultsIn, type Talk, type TalkOptions, takeTurns, talk } from '../support/agent-sdk.ts';
import { faultsIn } from '../support/judged.ts';
import { assistantBlocks, finalMessages } from '../support/judges/message-stream.ts';

// A talk gives up by itself, and says where it was.
vi.setConfig({ testTimeout: 60_000 });

const demo = { PATCHBAY_AGENT: 'demo' };

/** With the demo agent; what it says must be in order. */
async function talkToDemo(settings: TalkOptions): Promise<Talk> {
  const went = await talk({ env: demo, ...settings });
  expect(faultsIn('claude', went.messages, went.thrown === null)).toEqual([]);
  return went;
}

const isDelta = (message: SDKMessage) =>
  message.type === 'stream_event' && message.event.type === 'content_block_delta';
const good = { thrown: null, code: 0, stderr: '' };

describe('prompts', () => {
  test('a string', async () => {
    const went = await talkToDemo({ prompt: 'hello' });
    expect(went).toMatchObject(good);
    expect(went.messages.map(({ type }) => type)).toEqual(['system', 'assistant', 'result']);
    expect(resultsIn(went.messages)).toEqual(['Hello! You said: hello']);
  });

  test('three turns of streaming input, one process and one session', async () => {
    const turns = takeTurns(['one', 'think tool', 'three']);
    const went = await talkToDemo({ prompt: turns.prompts, during: turns.heard });
    expect(went).toMatchObject(good);
    expect(resultsIn(went.messages)).toEqual([
      'Hello! You said: one',
      'The lookup found 3 entries.',
      'Hello! You said: three',
    ]);
    expect(new Set(went.messages.map((message) => message.session_id)).size).toBe(1);
  });

  test('partial messages: what streams is what the whole messages say', async () => {
    const went = await talkToDemo({ prompt: 'think tools 2', options: { includePartialMessages: true } });
    expect(went).toMatchObject(good);
    expect(went.messages.filter(isDelta).length).toBeGreaterThan(10);
    const streamed = (await finalMessages(went.messages)).map(({ content }) => content);
    expect(streamed).toEqual(assistantBlocks(went.messages));
    expect(streamed.flat().length).toBeGreaterThan(3);
  });

  test('options that say nothing to this agent stop nothing; those that a user would miss are told', async () => {
    const went = await talkToDemo({
      prompt: 'hello',
      options: { systemPrompt: 'Be brief.', allowedTools: ['Bash'], maxTurns: 3, settingSources: [] },
    });
    expect(resultsIn(went.messages)).toEqual(['Hello! You said: hello']);
    expect(went.stderr).toBe('patchbay-claude: the agent demo does not take --max-turns, --allowedTools\n');
  });
});

describe('permissions', () => {
  const asked: unknown[] = [];
  const answer =
    (result: Awaited<ReturnType<NonNullable<Options['canUseTool']>>>): Options['canUseTool'] =>
    async (name, input, { toolUseID }) => {
      asked.push({ name, input, isNamed: toolUseID !== '' });
      return result;
    };
  const question = {
    name: 'write_note',
    input: { path: 'note.txt', text: 'Patchbay was here.' },
    isNamed: true,
  };

  const toolResults = ({ messages }: Talk) =>
    messages.flatMap((message) => (message.type === 'user' ? JSON.stringify(message.message.content) : []));

  test.each([
    ['allow', answer({ behavior: 'allow' }), 'I wrote the note.', /note\.txt/u],
    [
      'allow with other arguments',
      answer({ behavior: 'allow', updatedInput: { path: 'other.txt', text: 'x' } }),
      'I wrote the note.',
      /other\.txt/u,
    ],
    [
      'deny',
      answer({ behavior: 'deny', message: 'not on my disk' }),
      'You denied it (not on my disk), so I did not write the note.',
      /not on my disk/u,
    ],
  ])('%s', async (_name, canUseTool, text, result) => {
    asked.length = 0;
    const went = await talkToDemo({ prompt: 'ask', options: { canUseTool } });
    expect(went).toMatchObject(good);
    expect(asked).toEqual([question]);
    expect(resultsIn(went.messages)).toEqual([text]);
    expect(toolResults(went)).toEqual([expect.stringMatching(result)]);
  });

  test('a denial that interrupts ends the turn, and the denial is told', async () => {
    const turns = takeTurns(['ask', 'hello']);
    const went = await talkToDemo({
      prompt: turns.prompts,
      during: turns.heard,
      options: { canUseTool: answer({ behavior: 'deny', message: 'stop it', interrupt: true }) },
    });
    const [first, second] = went.messages.filter((message) => message.type === 'result');
    expect(first).toMatchObject({ is_error: true, permission_denials: [{ tool_name: 'write_note' }] });
    expect(second).toMatchObject({ is_error: false });
    expect(went).toMatchObject(good);
  });

  test('without canUseTool nobody can be asked: denied at once', async () => {
    const went = await talkToDemo({ prompt: 'ask' });
    expect(went).toMatchObject(good);
    expect(resultsIn(went.messages)).toEqual([expect.stringMatching(/^You denied it/u)]);
  });

  test('bypassPermissions is heard: nobody is asked', async () => {
    const options: Options = { permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true };
    const went = await talkToDemo({ prompt: 'ask', options });
    expect(resultsIn(went.messages)).toEqual(['I wrote the note.']);
  });

  test('a dialog of the agent is a question of AskUserQuestion', async () => {
    const canUseTool: Options['canUseTool'] = async (name, input) => {
      const { questions } = z.object({ questions: z.array(z.object({ question: z.string() })) }).parse(input);
      expect(name).toBe('AskUserQuestion');
      return { behavior: 'allow', updatedInput: { ...input, answers: { [questions[0]?.question ?? '']: 'Yes' } } };
    };
    const went = await talkToDemo({ prompt: 'confirm', options: { canUseTool } });
    expect(went).toMatchObject(good);
    expect(resultsIn(went.messages)).toEqual([expect.stringMatching(/yes/iu)]);
  });
});

describe('interrupts', () => {
  test('in the middle of a turn, and then another one', async () => {
    const turns = takeTurns(['slow 50 long 500', 'hello']);
    let interrupted: Promise<unknown> | null = null;
    const went = await talkToDemo({
      prompt: turns.prompts,
      options: { includePartialMessages: true },
      during(message, query) {
        turns.heard(message);
        if (isDelta(message)) interrupted ??= query.interrupt();
      },
    });
    await expect(interrupted).resolves.toEqual({ still_queued: [] });
    expect(went).toMatchObject(good);
    expect(resultsIn(went.messages)).toEqual([expect.stringMatching(/^failed: .*abort/u), 'Hello! You said: hello']);
  });

  test('an abort ends the program as well', async () => {
    const abortController = new AbortController();
    const went = await talkToDemo({
      prompt: 'slow 50 long 500',
      options: { includePartialMessages: true, abortController },
      during: (message) => (isDelta(message) ? abortController.abort() : undefined),
    });
    expect(went).toMatchObject({ thrown: expect.stringMatching(/abort/u), code: 143, signal: null });
  });
});

describe('settings and questions between turns', () => {
  test('model, permission mode, thinking, and what there is', async () => {
    const turns = takeTurns(['one', 'ask']);
    const told: unknown[] = [];
    const went = await talkToDemo({
      prompt: turns.prompts,
      options: { canUseTool: async () => ({ behavior: 'deny', message: 'asked all the same' }) },
      async during(message, query) {
        if (message.type === 'result' && told.length === 0) {
          await query.setModel('demo-large');
          await query.setPermissionMode('bypassPermissions');
          await query.setMaxThinkingTokens(4096);
          told.push((await query.supportedModels()).map(({ value }) => value));
          told.push((await query.supportedCommands()).map(({ name }) => name).includes('think'));
          told.push(await query.mcpServerStatus());
        }
        turns.heard(message);
      },
    });
    expect(went).toMatchObject(good);
    expect(told).toEqual([expect.arrayContaining(['demo-small', 'demo-large']), true, []]);
    expect(resultsIn(went.messages)).toEqual(['Hello! You said: one', 'I wrote the note.']);
    const inits = went.messages.filter((message) => message.type === 'system' && message.subtype === 'init');
    expect(inits).toMatchObject([
      { model: 'demo-small', permissionMode: 'default' },
      { model: 'demo-large', permissionMode: 'bypassPermissions' },
    ]);
  });

  test('what the agent refuses is an error of that call alone', async () => {
    const turns = takeTurns(['one', 'two']);
    const refusals: string[] = [];
    const went = await talkToDemo({
      prompt: turns.prompts,
      async during(message, query) {
        if (message.type === 'result' && refusals.length === 0) {
          await query.setModel('gpt-9').catch((error: Error) => refusals.push(error.message));
        }
        turns.heard(message);
      },
    });
    expect(refusals).toEqual(['there is no model gpt-9']);
    expect(went).toMatchObject(good);
    expect(resultsIn(went.messages)).toHaveLength(2);
  });

  test('what the options ask for is there with the first turn', async () => {
    const sessionId = '0f3a2b1c-0000-4000-8000-000000000001';
    const went = await talkToDemo({
      prompt: 'hello',
      options: { model: 'demo-large', permissionMode: 'plan', thinking: { type: 'disabled' }, sessionId },
    });
    expect(went.messages[0]).toMatchObject({ model: 'demo-large', permissionMode: 'plan', session_id: sessionId });
    expect(new Set(went.messages.map((message) => message.session_id))).toEqual(new Set([sessionId]));
    expect(went).toMatchObject(good);
  });
});

describe('what the agent cannot use', () => {
  const calc = createSdkMcpServer({
    name: 'calc',
    tools: [tool('add', 'Adds', { a: z.number() }, async () => ({ content: [{ type: 'text', text: '3' }] }))],
  });
  test.each<[string, Options, RegExp]>([
    ['hooks', { hooks: { PreToolUse: [{ hooks: [async () => ({ continue: true })] }] } }, /cannot use[^"]* hooks/u],
    ['an MCP server of the client’s own', { mcpServers: { calc } }, /cannot use[^"]* tools of its own/u],
  ])('%s: a notice, and the turn goes on', async (_name, options, words) => {
    const went = await talkToDemo({ prompt: 'tool', options });
    expect(resultsIn(went.messages)).toEqual(['The lookup found 3 entries.']);
    expect(JSON.stringify(went.messages.filter((message) => message.type === 'system'))).toMatch(words);
    expect(went).toMatchObject({ thrown: null, code: 0 });
  });
});
