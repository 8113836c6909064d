// The real Claude Agent SDK drives the real pi through `patchbay-claude`. What it hears is judged from three sides: the
// order of the frames, the official client's own reading of the stream, and pi's record of what it said.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Options, type SDKMessage, SYSTEM_PROMPT_DYNAMIC_BOUNDARY } from '@anthropic-ai/claude-agent-sdk';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { type FakeAnthropic, startFakeAnthropic } from '../../src/conformance/model/endpoint.ts';
import { resultsIn, type Talk, type TalkOptions, takeTurns, talk, turnsOf } from '../support/agent-sdk.ts';
import { saidIn } from '../support/claude-judge.ts';
import { shareOf, testInFull } from '../support/full.ts';
import { Frame } from '../support/inbox.ts';
import { faultsIn } from '../support/judged.ts';
import { turnDifferences } from '../support/judges/turn.ts';
import { linesAround, makePiHome, type PiHome, piCommand, pidOf, recordOf } from '../support/pi-rig.ts';

// pi takes seconds to start on a machine that has other work.
vi.setConfig({ testTimeout: 120_000 });

let fake: FakeAnthropic;
let home: PiHome;
beforeAll(async () => {
  fake = await startFakeAnthropic();
  home = makePiHome({ baseUrl: fake.url });
  const { argv, env } = piCommand(home);
  const stored = argv.filter((word) => word !== '--no-session');
  const agents = {
    pi: { protocol: 'pi', command: argv, env },
    // One that keeps its conversations.
    keeper: { protocol: 'pi', command: stored, env },
  };
  writeFileSync(configFile(), JSON.stringify({ agents, defaultAgent: 'pi' }));
});
afterAll(async () => {
  await fake.close();
  home.remove();
});

const configFile = () => join(home.dir, 'patchbay.json');
const plainText = 'Hello, world. This is plain text.';
let prompts = 0;
/** A prompt for the fake model that no other test says. */
const promptFor = (scenario: string) => `[[${scenario}]] sdk ${++prompts}`;

async function talkToPi(settings: TalkOptions): Promise<Talk> {
  const went = await talk({ cwd: home.project, config: configFile(), ...settings });
  expect(faultsIn('claude', went.messages, went.thrown === null)).toEqual([]);
  return went;
}

/** What pi said after that prompt, against the turn that the SDK heard. */
async function differences(messages: readonly SDKMessage[], prompt: string): Promise<string[]> {
  const frames = messages.map((message) => Frame.parse(message));
  return turnDifferences({ frames, ...linesAround(await recordOf(home, prompt), prompt) });
}

const isDelta = (message: SDKMessage) =>
  message.type === 'stream_event' && message.event.type === 'content_block_delta';
const good = { thrown: null, code: 0, stderr: '' };

describe('prompts', () => {
  const said = {
    text: plainText,
    think: 'The answer is 42.',
    tools: 'Both tools are done.',
    toolerr: 'All of them failed.',
    overloaded: 'Better late.',
    text2: plainText,
  };

  testInFull('a string, with partial messages', async () => {
    const prompt = promptFor('tools');
    const went = await talkToPi({ prompt, options: { includePartialMessages: true } });
    expect(went).toMatchObject(good);
    expect(resultsIn(went.messages)).toEqual([expect.stringContaining('Both tools are done.')]);
    expect(await differences(went.messages, prompt)).toEqual([]);
  });

  test(`turns of streaming input, with partial messages: ${Object.keys(said).join(', ')}`, async () => {
    const asked = Object.keys(said).map((name) => promptFor(name.replace(/\d/u, '')));
    const turns = takeTurns(asked);
    const options = { includePartialMessages: true };
    const went = await talkToPi({ prompt: turns.prompts, during: turns.heard, options });
    expect(went).toMatchObject(good);
    expect(resultsIn(went.messages)).toEqual(Object.values(said).map((text) => expect.stringContaining(text)));
    for (const [at, turn] of turnsOf(went.messages).entries()) {
      expect(await saidIn(turn.map((message) => Frame.parse(message)))).toContain(Object.values(said)[at]);
      expect(await differences(turn, asked[at] ?? '')).toEqual([]);
    }
  });

  testInFull('three turns of streaming input, whole messages only', async () => {
    const texts = ['text', 'tools', 'text'].map(promptFor);
    const turns = takeTurns(texts);
    const went = await talkToPi({ prompt: turns.prompts, during: turns.heard });
    expect(went).toMatchObject(good);
    expect(resultsIn(went.messages)).toEqual([plainText, expect.stringContaining('Both tools are done.'), plainText]);
    expect(went.messages.some(({ type }) => type === 'stream_event')).toBe(false);
    const last = fake.requests.at(-1);
    for (const text of texts) expect(JSON.stringify(last?.body.messages)).toContain(text);
  });

  testInFull('a request that the provider refuses is thrown', async () => {
    const went = await talkToPi({ prompt: promptFor('bad-request') });
    expect(went).toMatchObject({ thrown: expect.stringMatching(/returned an error result: .+/u), code: 1 });
  });
});

describe('in the middle of a turn', () => {
  test('an interrupt reaches the model, and the next turn is a good one', async () => {
    const endless = promptFor('abort-text');
    const turns = takeTurns([endless, promptFor('text')]);
    let interrupted: Promise<unknown> | null = null;
    const went = await talkToPi({
      prompt: turns.prompts,
      options: { includePartialMessages: true },
      during(message, query) {
        turns.heard(message);
        if (isDelta(message)) interrupted ??= query.interrupt();
      },
    });
    await expect(interrupted).resolves.toEqual({ still_queued: [] });
    expect(went).toMatchObject(good);
    expect(resultsIn(went.messages)).toEqual([expect.stringMatching(/^failed: /u), plainText]);
    const request = fake.requests.find(({ prompt }) => prompt.text.includes(endless));
    expect(request?.outcome).toBe('gone');
  });

  test('a pi that is killed ends the talk: a result, then the error', async () => {
    const prompt = promptFor('abort-text');
    let killed = false;
    const went = await talkToPi({
      prompt,
      options: { includePartialMessages: true },
      async during(message) {
        if (killed || !isDelta(message)) return;
        killed = true;
        process.kill(pidOf(await recordOf(home, prompt)), 'SIGKILL');
      },
    });
    expect(resultsIn(went.messages)).toEqual([expect.stringMatching(/^failed: agent exited/u)]);
    expect(went).toMatchObject({ thrown: expect.stringMatching(/error result: agent exited/u), code: 1, signal: null });
  });

  testInFull('one that is killed between two turns ends it as well', async () => {
    const prompt = promptFor('text');
    const turns = takeTurns([prompt, promptFor('text')]);
    const went = await talkToPi({
      prompt: turns.prompts,
      async during(message) {
        // The next prompt waits for this: it must not start another pi, which would remember nothing.
        if (message.type === 'result') process.kill(pidOf(await recordOf(home, prompt)), 'SIGKILL');
      },
    });
    expect(resultsIn(went.messages)).toEqual([plainText]);
    expect(went).toMatchObject({ thrown: expect.stringMatching(/exited with code 1/u), code: 1 });
    expect(went.stderr).toMatch(/^patchbay-claude: agent exited/u);
  });
});

describe('settings', () => {
  test('reach pi, and what it refuses is an error of that call', async () => {
    const prompt = promptFor('text');
    const turns = takeTurns([prompt, promptFor('text')]);
    const told: unknown[] = [];
    const went = await talkToPi({
      prompt: turns.prompts,
      async during(message, query) {
        if (message.type === 'result' && told.length === 0) {
          told.push((await query.supportedModels()).map(({ value }) => value));
          await query.setModel('fake-1');
          await query.setModel('default');
          await query.setModel();
          await query.setMaxThinkingTokens(4096);
          told.push(await query.setModel('gpt-9').catch((error: Error) => error.message));
          told.push(await query.setPermissionMode('plan').catch((error: Error) => error.message));
        }
        turns.heard(message);
      },
    });
    expect(went).toMatchObject(good);
    expect(told).toEqual([['fake-1'], expect.stringMatching(/gpt-9|not found/iu), 'pi has no modes']);
    const rows = await recordOf(home, prompt);
    const levels = rows.filter(({ dir, line }) => dir === 'in' && line.includes('set_thinking_level'));
    expect(levels).toEqual([{ dir: 'in', line: expect.stringMatching(/"level":"(low|medium)"/u) }]);
  });

  test('of the options come before the first prompt', async () => {
    const prompt = promptFor('text');
    const went = await talkToPi({ prompt, options: { model: 'fake-1', effort: 'high', maxTurns: 7 } });
    expect(resultsIn(went.messages)).toEqual([plainText]);
    const rows = await recordOf(home, prompt);
    const asked = rows.flatMap(({ dir, line }) =>
      dir === 'in' ? [z.object({ type: z.string() }).parse(JSON.parse(line)).type] : [],
    );
    expect(asked.indexOf('set_model')).toBeGreaterThan(-1);
    expect(asked.indexOf('set_thinking_level')).toBeGreaterThan(-1);
    expect(asked.indexOf('prompt')).toBeGreaterThan(
      Math.max(asked.indexOf('set_model'), asked.indexOf('set_thinking_level')),
    );
    expect(went.stderr).toBe('patchbay-claude: the agent pi does not take --max-turns\n');
  });

  const preset = { type: 'preset', preset: 'claude_code' } as const;
  const [own, given, more] = ['You are a test agent.', 'You speak of boats alone.', 'You rhyme.'];
  const systems: [string, Options, string[], string[]][] = [
    ['a system prompt', { systemPrompt: given }, [given], [own, more]],
    [
      'a system prompt in parts',
      { systemPrompt: [given, SYSTEM_PROMPT_DYNAMIC_BOUNDARY, more] },
      [`${given}\n\n${more}`],
      [own, SYSTEM_PROMPT_DYNAMIC_BOUNDARY],
    ],
    ['an addition', { systemPrompt: { ...preset, append: more } }, [own, more], [given]],
    ['neither', {}, [own], [given, more]],
    // As the SDK 0.1.30 says it.
    [
      'both on the command line',
      { extraArgs: { 'system-prompt': given, 'append-system-prompt': more } },
      [given, more],
      [own],
    ],
    ['nothing on the command line', { extraArgs: { 'system-prompt': '', 'append-system-prompt': '' } }, [own], []],
    // A file of that name would be read by pi.
    ['what is the name of a file', { systemPrompt: 'notes.txt' }, ['notes.txt'], ['alpha']],
  ];
  test.each(shareOf(systems, 0, 7))('%s reaches the model', async (_, options, there, missing) => {
    const went = await talkToPi({ prompt: promptFor('text'), options });
    expect(went).toMatchObject(good);
    const system = JSON.stringify(fake.requests.at(-1)?.body.system);
    const found = (texts: readonly string[]) =>
      texts.filter((text) => system.includes(JSON.stringify(text).slice(1, -1)));
    expect([found(there), found(missing)]).toEqual([there, []]);
    expect(went.messages.filter((message) => message.type === 'system' && message.subtype !== 'init')).toEqual([]);
  });

  testInFull('instructions that are too long are told', async () => {
    const went = await talkToPi({ prompt: promptFor('text'), options: { systemPrompt: 'é'.repeat(70_000) } });
    expect(went).toMatchObject({
      ...good,
      stderr: expect.stringContaining('instructions of 140000 bytes: 128000 is the most'),
    });
    expect(JSON.stringify(fake.requests.at(-1)?.body.system)).toContain(own);
    expect(went.messages).toContainEqual(
      expect.objectContaining({ subtype: 'notice', text: expect.stringContaining('a system prompt') }),
    );
  });

  testInFull('what pi cannot do is told in one notice', async () => {
    const options: Options = {
      agents: { helper: { description: 'Helps.', prompt: 'Help.' } },
      skills: ['sail'],
      mcpServers: { files: { command: 'files' } },
      mcpServersDelivery: 'initialize',
      promptSuggestions: true,
    };
    const went = await talkToPi({ prompt: promptFor('text'), options });
    expect(went).toMatchObject({ thrown: null, code: 0 });
    expect(resultsIn(went.messages)).toEqual([plainText]);
    const notices = went.messages.filter((message) => message.type === 'system' && message.subtype !== 'init');
    const words = 'MCP servers, sub-agents, a choice of skills, suggestions of prompts';
    expect(notices).toEqual([
      expect.objectContaining({ text: `The agent behind this gateway cannot use what this client offers: ${words}.` }),
    ]);
  });
});

test('/compact is the command of pi, and the next prompt goes on from the summary', async () => {
  const turns = takeTurns([promptFor('text'), '/compact name the ships', promptFor('text')]);
  const listed: string[] = [];
  const went = await talkToPi({
    prompt: turns.prompts,
    async during(message, query) {
      if (message.type === 'result' && listed.length === 0) {
        listed.push(...(await query.supportedCommands()).map(({ name }) => name));
      }
      turns.heard(message);
    },
  });
  expect(went).toMatchObject(good);
  expect(resultsIn(went.messages)).toEqual([plainText, '', plainText]);
  const [, compaction] = turnsOf(went.messages);
  expect(compaction).toMatchObject([
    { subtype: 'init', slash_commands: expect.arrayContaining(['compact']) },
    { subtype: 'status', status: 'compacting' },
    { subtype: 'status', status: null, compact_result: 'success' },
    { subtype: 'compact_boundary', compact_metadata: { trigger: 'manual', pre_tokens: expect.any(Number) } },
    { type: 'user', isSynthetic: true },
    { type: 'user', message: { content: '<local-command-stdout>Compacted </local-command-stdout>' } },
    { type: 'result', subtype: 'success', num_turns: 0 },
  ]);
  expect(listed).toContain('compact');
  expect(fake.requests.filter(({ body }) => JSON.stringify(body).includes('name the ships'))).toHaveLength(1);
});

describe('sessions that pi keeps', () => {
  const keeper = { PATCHBAY_AGENT: 'keeper' };

  test('resume by the id that the frames carry, continue, and a fork that there is not', async () => {
    const env = { ...keeper, XDG_STATE_HOME: join(home.dir, 'state') };
    const prompt = promptFor('text');
    const first = await talkToPi({ prompt, env });
    expect(first).toMatchObject(good);
    const id = first.messages[0]?.session_id ?? '';

    const second = promptFor('text');
    const resumed = await talkToPi({ prompt: second, env, options: { resume: id } });
    expect(resumed).toMatchObject(good);
    expect(new Set(resumed.messages.map(({ session_id }) => session_id))).toEqual(new Set([id]));
    expect(JSON.stringify(fake.requests.at(-1)?.body.messages)).toContain(prompt);

    const continued = await talkToPi({ prompt: promptFor('text'), env, options: { continue: true } });
    expect(continued).toMatchObject(good);
    expect(new Set(continued.messages.map(({ session_id }) => session_id))).toEqual(new Set([id]));
    expect(JSON.stringify(fake.requests.at(-1)?.body.messages)).toContain(second);

    const forked = await talk({
      cwd: home.project,
      config: configFile(),
      prompt: promptFor('text'),
      env,
      options: { resume: id, forkSession: true },
    });
    expect(forked).toMatchObject({ thrown: expect.stringMatching(/the agent keeper cannot fork/u), code: 1 });
  });

  testInFull('nothing is kept of one that shall not be', async () => {
    const env = { ...keeper, XDG_STATE_HOME: join(home.dir, 'no-state') };
    const first = await talkToPi({ prompt: promptFor('text'), env, options: { persistSession: false } });
    const resumed = await talk({
      cwd: home.project,
      config: configFile(),
      prompt: 'x',
      env,
      options: { resume: first.messages[0]?.session_id },
    });
    expect(resumed).toMatchObject({ thrown: expect.stringMatching(/No conversation found/u), code: 1 });
  });
});
