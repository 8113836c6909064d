// The real Claude Agent SDK in front of `patchbay-claude` in front of the real Claude Code: as if nothing were between.
import { createSdkMcpServer, type Options, type SDKMessage, tool } from '@anthropic-ai/claude-agent-sdk';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { z } from 'zod';
import { resultsIn, type Talk, type TalkOptions, takeTurns, talk } from '../support/agent-sdk.ts';
import { faultsIn } from '../support/judged.ts';
import { finalMessages } from '../support/judges/message-stream.ts';
import { isOwnNews } from './retell.ts';
import { questions } from './scenarios.ts';
import { type Stage, startStage } from './stage.ts';
import { hearingDifferences, modelSaid } from './truth.ts';

const found = inject('claudeCode');
const hello = 'Hello, world. This is plain text.';

describe.skipIf('reason' in found)('the SDK', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await startStage('binary' in found ? found.binary : '');
  });
  afterAll(() => stage?.close());

  /** A talk that is in order, and says what the model said. */
  async function judged(settings: TalkOptions, isOver = true): Promise<Talk> {
    const asked = stage.fake.requests.length;
    const went = await talk({
      env: { PATCHBAY_CONFIG: stage.config, PATCHBAY_AGENT: 'full' },
      cwd: stage.home.project,
      ...settings,
      options: { includePartialMessages: true, ...settings.options },
    });
    const faults = faultsIn('claude', went.messages, isOver).filter((fault) => !isOwnNews(fault));
    expect(faults).toEqual([]);
    const requests = stage.fake.requests.slice(asked);
    const heard = (await finalMessages(went.messages)).filter(({ model }) => model !== '<synthetic>');
    expect(hearingDifferences(heard, await modelSaid(requests))).toEqual([]);
    return went;
  }

  const good = { thrown: null, code: 0 };
  const all = (went: Talk) => JSON.stringify(went.messages);
  const isDelta = (message: SDKMessage) =>
    message.type === 'stream_event' && message.event.type === 'content_block_delta';

  test('a string prompt', async () => {
    const went = await judged({ prompt: '[[text]] a string' });
    expect(went).toMatchObject(good);
    expect(resultsIn(went.messages)).toEqual([hello]);
    expect(went.messages.find(({ type }) => type === 'system')).toBeDefined();
  });

  test('three turns of streaming input in one process', async () => {
    const turns = takeTurns(['[[text]] one', '[[cc-tools]] two', '[[think]] three']);
    const went = await judged({ prompt: turns.prompts, during: turns.heard });
    expect(went).toMatchObject(good);
    expect(resultsIn(went.messages)).toEqual([hello, 'Both tools are done.', 'The answer is 42.']);
    expect(new Set(went.messages.map(({ session_id }) => session_id)).size).toBe(1);
  });

  const allow: Options['canUseTool'] = async (_name, input) => ({ behavior: 'allow', updatedInput: input });
  const deny: Options['canUseTool'] = async () => ({ behavior: 'deny', message: 'Not on my disk.' });
  const change: Options['canUseTool'] = async (_name, input) => ({
    behavior: 'allow',
    updatedInput: { ...input, command: 'echo changed by the user' },
  });
  test.each([
    ['allows', allow, 'completed with no output'],
    ['denies', deny, 'Not on my disk.'],
    ['changes the input', change, '"content":"changed by the user"'],
  ])('canUseTool %s', async (_name, canUseTool, words) => {
    const asked: string[] = [];
    const went = await judged({
      prompt: '[[cc-write]] may I',
      options: {
        canUseTool: (name, input, about) => {
          asked.push(name);
          return canUseTool(name, input, about);
        },
      },
    });
    expect(went).toMatchObject(good);
    expect(asked).toEqual(['Bash']);
    expect(all(went)).toContain(words);
    expect(resultsIn(went.messages)).toEqual(['That was it.']);
  });

  test('a question to the user', async () => {
    const canUseTool: Options['canUseTool'] = async (_name, input) => ({
      behavior: 'allow',
      updatedInput: { ...input, answers: { [questions[0]?.question ?? '']: 'Red' } },
    });
    const went = await judged({ prompt: '[[cc-ask]] ask me', options: { canUseTool } });
    expect(went).toMatchObject(good);
    expect(all(went)).toContain('Red');
    expect(resultsIn(went.messages)).toEqual(['Thank you.']);
  });

  test('interrupt in the middle, another model, then another turn', async () => {
    const turns = takeTurns(['[[hold]] for ever', '[[text]] after it']);
    let isInterrupted = false;
    const went = await judged({
      prompt: turns.prompts,
      async during(message, query) {
        if (isDelta(message) && !isInterrupted) {
          isInterrupted = true;
          await query.interrupt();
          await query.setModel('fake-2');
        }
        turns.heard(message);
      },
    });
    expect(went).toMatchObject(good);
    const results = went.messages.filter((message) => message.type === 'result');
    expect(results.map(({ is_error }) => is_error)).toEqual([true, false]);
    expect(stage.fake.requests.at(-1)?.body.model).toBe('fake-2');
  });

  test('an API error is an error of the SDK', async () => {
    const went = await judged({ prompt: '[[cc-400]] bad' });
    expect(went.thrown).toContain('invalid_request_error');
    expect(went.code).toBe(1);
  });

  test('a sub-agent', async () => {
    const went = await judged({ prompt: '[[cc-agent]] send somebody' });
    expect(went).toMatchObject(good);
    expect(
      went.messages.some((message) => 'parent_tool_use_id' in message && message.parent_tool_use_id !== null),
    ).toBe(true);
    expect(resultsIn(went.messages)).toEqual(['Somebody came back.']);
  });

  test('hooks', async () => {
    const heard: string[] = [];
    const hooks: Options['hooks'] = {
      PreToolUse: [
        {
          matcher: 'Bash',
          hooks: [
            async (input) => {
              heard.push(input.hook_event_name);
              return {
                hookSpecificOutput: {
                  hookEventName: 'PreToolUse',
                  permissionDecision: 'deny',
                  permissionDecisionReason: 'The hook says no.',
                },
              };
            },
          ],
        },
      ],
    };
    const went = await judged({ prompt: '[[cc-write]] hooked', options: { hooks } });
    expect(went).toMatchObject(good);
    expect(heard).toEqual(['PreToolUse']);
    expect(all(went)).toContain('The hook says no.');
  });

  test('a tool that lives in the process of the SDK', async () => {
    const sums: number[] = [];
    const calc = createSdkMcpServer({
      name: 'calc',
      version: '1.0.0',
      tools: [
        tool('add', 'Adds two numbers', { a: z.number(), b: z.number() }, async ({ a, b }) => {
          sums.push(a + b);
          return { content: [{ type: 'text', text: `the sum is ${a + b}` }] };
        }),
      ],
    });
    const went = await judged({
      prompt: '[[cc-mcp]] add',
      options: { mcpServers: { calc }, allowedTools: ['mcp__calc__add'] },
    });
    expect(went).toMatchObject(good);
    expect(sums).toEqual([5]);
    expect(all(went)).toContain('the sum is 5');
    expect(resultsIn(went.messages)).toEqual(['Added.']);
  });

  test('a session goes on in another process', async () => {
    const first = await judged({ prompt: '[[text]] remember' });
    const [{ session_id: id } = { session_id: '' }] = first.messages;
    const again = await judged({ prompt: '[[text]] go on', options: { resume: id } });
    expect(again).toMatchObject(good);
    expect(again.messages[0]?.session_id).toBe(id);
    const continued = await judged({ prompt: '[[text]] and on', options: { continue: true } });
    expect(continued).toMatchObject(good);
    expect([...new Set(continued.messages.map(({ session_id }) => session_id))]).toEqual([id]);
    const last = await judged({ prompt: '[[text]] to the end', options: { resume: id } });
    expect(last).toMatchObject(good);
    expect(JSON.stringify(stage.fake.requests.at(-1)?.body.messages)).toContain('remember');
  });
});
