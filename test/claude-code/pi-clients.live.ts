// pi clients, new and old, in front of the real Claude Code: their own order, what the model said, and a run that ends.
import { afterAll, beforeAll, describe, expect, inject, onTestFailed, test } from 'vitest';
import { z } from 'zod';
import { untilThere } from '../support/claude-code-rig.ts';
import type { Client } from '../support/clients.ts';
import type { Frame } from '../support/inbox.ts';
import { faultsIn, judged } from '../support/judged.ts';
import { expectedFromPi, piMessages } from '../support/judges/pi-messages.ts';
import { isRunEnd, isUpdate } from '../support/legacy-turn.ts';
import { type AgentName, type Stage, startStage } from './stage.ts';
import { hearingDifferences, modelSaid, type Said } from './truth.ts';

const found = inject('claudeCode');
const frontends = ['pi', 'pi-legacy'] as const;
type PiFrontend = (typeof frontends)[number];

const isQuestion = (line: Frame): boolean => line.type === 'extension_ui_request' && line.method !== 'notify';

/** Answers the next question from line `from` on; gives the place behind it. */
async function answer(client: Client, from: number, said: object): Promise<number> {
  const asked = await client.waitFor(isQuestion, 'a question', from);
  await client.send({ type: 'extension_ui_response', id: asked.id, ...said });
  return client.frames.indexOf(asked, from) + 1;
}

/** What a test does while the run goes on, from line `from` on. */
type During = (client: Client, from: number, stage: Stage) => Promise<void>;
const abortAt =
  (update: string): During =>
  async (client, from) => {
    await client.waitFor(isUpdate(update), `a ${update}`, from);
    await client.send({ type: 'abort' });
  };

interface Case {
  readonly agent?: AgentName;
  readonly during?: During;
  readonly says?: readonly string[];
  /** pi's word for the end of the last message of the model. */
  readonly stop: string;
  /** The older client has no words for questions. */
  readonly only?: PiFrontend;
}

const cases: Record<string, Case> = {
  text: { says: ['Hello, world. This is plain text.'], stop: 'stop' },
  think: { says: ['Let me think about it.', 'The answer is 42.'], stop: 'stop' },
  'cc-tools': { says: ['hello', 'alpha', 'Both tools are done.'], stop: 'stop' },
  'cc-slow-after-tool': { says: ['quick', 'Long done.'], stop: 'stop' },
  'cc-write': {
    during: async (client, from) => void (await answer(client, from, { confirmed: true })),
    says: ['That was it.'],
    stop: 'stop',
    only: 'pi',
  },
  'cc-write denied': {
    during: async (client, from) => void (await answer(client, from, { confirmed: false })),
    says: ['"isError":true', 'That was it.'],
    stop: 'stop',
    only: 'pi',
  },
  'cc-write-two': {
    during: async (client, from) => {
      await answer(client, await answer(client, from, { confirmed: true }), { confirmed: false });
    },
    says: ['Both were asked.'],
    stop: 'stop',
    only: 'pi',
  },
  'cc-write interrupted': {
    during: async (client, from) => {
      await client.waitFor(isQuestion, 'a question', from);
      await client.send({ type: 'abort' });
    },
    stop: 'aborted',
    only: 'pi',
  },
  'cc-write unasked': { says: ['"isError":true', 'That was it.'], stop: 'stop', only: 'pi-legacy' },
  'cc-abort-tool': {
    during: async (client, from, stage) => {
      await answer(client, from, { confirmed: true });
      await untilThere(stage.home.project, 'started');
      await client.send({ type: 'abort' });
    },
    stop: 'aborted',
    only: 'pi',
  },
  hold: { during: abortAt('text_delta'), says: ['This never '], stop: 'aborted' },
  'abort-think': { during: abortAt('thinking_delta'), stop: 'aborted' },
  'cc-abort-args': { during: abortAt('toolcall_delta'), stop: 'aborted' },
  'cc-400': { says: ['invalid_request_error'], stop: 'error' },
  'cc-401': { says: ['authentication_error'], stop: 'error' },
  'cc-529': { says: ['overloaded_error'], stop: 'error' },
  'cc-529-once': { says: ['Better late.'], stop: 'stop' },
  'cc-error-midstream': { says: ['Whole again.'], stop: 'stop' },
  'cc-cut-midstream': { says: ['Whole again.'], stop: 'stop' },
  'cc-no-stop': { says: ['Whole again.'], stop: 'stop' },
  'max-tokens': { says: ['Cut off in the mid'], stop: 'stop' },
  refusal: { says: ['I must not.'], stop: 'stop' },
  empty: { stop: 'stop' },
  'cc-blocks': { says: ['Between.', 'After.'], stop: 'stop' },
  long: { stop: 'stop' },
  unicode: { stop: 'stop' },
  'cc-ask': {
    agent: 'full',
    during: async (client, from) => {
      const asked = await client.waitFor(isQuestion, 'a question', from);
      expect(asked).toMatchObject({ method: 'select', title: expect.stringContaining('Which colour?') });
      const options = z.array(z.string()).parse(asked.options);
      expect(options.slice(0, 2).map((option) => option.split(/\W/u)[0])).toEqual(['Red', 'Blue']);
      await client.send({ type: 'extension_ui_response', id: asked.id, value: options[1] });
    },
    says: ['Blue', 'Thank you.'],
    stop: 'stop',
    only: 'pi',
  },
  'cc-agent': { agent: 'full', says: ['Somebody came back.'], stop: 'stop' },
};

describe.skipIf('reason' in found).each(frontends)('%s', (frontend) => {
  let stage: Stage;
  const clients = new Map<AgentName, Client>();
  beforeAll(async () => {
    stage = await startStage('binary' in found ? found.binary : '');
  });
  afterAll(async () => {
    for (const client of clients.values()) await client.close();
    await stage?.close();
  });
  let prompts = 0;

  /** One session for all cases, as a user would have it; after a failure the next case starts with a fresh one. */
  async function clientOf(agent: AgentName): Promise<Client> {
    onTestFailed(async () => {
      const broken = clients.get(agent);
      clients.delete(agent);
      await broken?.close();
    });
    const client = clients.get(agent) ?? (await stage.connect(frontend, { agent }));
    clients.set(agent, client);
    return client;
  }

  function faults(client: Client): string[] {
    if (frontend === 'pi-legacy') return faultsIn('pi-legacy', client.frames);
    // The inbox puts the type of each frame first, so the order of keys cannot be judged here.
    const found = judged('pi', client.frames).filter(({ rule }) => rule !== 'pi/own/response-keys');
    return found.map(({ rule, at, says }) => `${rule} at ${at}: ${says}`);
  }

  /** pi has no word for a refusal, and others for the blocks that only Claude has. */
  function asPiSaysIt({ message, isCut }: Said): Said {
    const content = message.content.flatMap((block) => {
      const { type, data, id, name, input } = Object(block);
      if (type === 'redacted_thinking') return [{ type: 'thinking', thinking: '', signature: data }];
      if (type === 'server_tool_use') return [{ type: 'tool_use', id, name, input }];
      return ['text', 'thinking', 'tool_use'].includes(type) ? [block] : [];
    });
    const stop_reason = message.stop_reason === 'refusal' ? null : message.stop_reason;
    return { message: { ...message, content, stop_reason }, isCut };
  }

  /** The place behind the run. pi ends its agent before a retry and starts it again, and says so in the line behind. */
  async function endOf(client: Client, from: number, prompt: string): Promise<number> {
    const end = client.frames.indexOf(await client.waitFor(isRunEnd, `the end of ${prompt}`, from), from) + 1;
    if (frontend === 'pi-legacy') return end;
    const id = `state-${++prompts}`;
    await client.send({ type: 'get_state', id });
    const isAnswer = (line: Frame) => line.type === 'response' && line.id === id;
    const answer = await client.waitFor(isAnswer, 'the state', end);
    const between = client.frames.slice(end, client.frames.indexOf(answer, end));
    return between.some(({ type }) => type === 'auto_retry_start') ? endOf(client, end, prompt) : end;
  }

  async function run(client: Client, prompt: string, during?: During): Promise<Frame[]> {
    const asked = stage.fake.requests.length;
    const from = client.frames.length;
    await client.send({ type: 'prompt', message: prompt });
    await during?.(client, from, stage);
    const lines = client.frames.slice(from, await endOf(client, from, prompt));
    expect(faults(client)).toEqual([]);
    const requests = stage.fake.requests.slice(asked);
    const messages = piMessages(lines.map((line) => JSON.stringify(line)));
    // What no model has said costs nothing: an error that is told as a message, and pi's sign of an abort.
    const heard = messages.filter(({ usage }) => usage.input > 0);
    expect(hearingDifferences(heard.map(expectedFromPi), (await modelSaid(requests)).map(asPiSaysIt))).toEqual([]);
    return lines;
  }

  const lastStop = (lines: readonly Frame[]) =>
    piMessages(lines.map((line) => JSON.stringify(line))).at(-1)?.stopReason;

  const chosen = Object.entries(cases).filter(([, { only }]) => only === undefined || only === frontend);
  test.each(chosen)('%s', async (name, { agent = 'bare', during, says = [], stop }) => {
    const client = await clientOf(agent);
    const lines = await run(client, `[[${name.split(' ')[0]}]] ${frontend} ${++prompts} ${name}`, during);
    for (const words of says) expect(JSON.stringify(lines)).toContain(words);
    expect(lastStop(lines)).toBe(stop);
    const after = await run(client, `[[text]] ${frontend} after ${prompts}`);
    expect(lastStop(after)).toBe('stop');
    expect(after.filter(isRunEnd)).toHaveLength(1);
  });
});
