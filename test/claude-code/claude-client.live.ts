// A Claude client in front of the real Claude Code: what it sees is in the strict order, says what the model said, and
// ends in the result that Claude Code gave.
import { afterAll, beforeAll, describe, expect, inject, onTestFailed, test } from 'vitest';
import { longText, unicodeText } from '../../src/conformance/model/answers.ts';
import { untilThere } from '../support/claude-code-rig.ts';
import { interruptFrame, isEvent, isResult, turn } from '../support/claude-turn.ts';
import type { Client } from '../support/clients.ts';
import type { Frame } from '../support/inbox.ts';
import { faultsIn } from '../support/judged.ts';
import { resultDifferences } from '../support/judges/result.ts';
import { isOwnNews } from './retell.ts';
import { questions } from './scenarios.ts';
import { type AgentName, type Stage, startStage } from './stage.ts';
import { countsOf, heardMessages, hearingDifferences, modelSaid, ownResult } from './truth.ts';

const found = inject('claudeCode');

/** What a test does while the turn runs, from frame `from` on. */
type During = (client: Client, from: number, stage: Stage) => Promise<void>;

const isRequest = (frame: Frame): boolean => frame.type === 'control_request';

/** Answers the next question from frame `from` on; gives the place behind it. */
async function answer(client: Client, from: number, response: (input: object) => object): Promise<number> {
  const asked = await client.waitFor(isRequest, 'a question', from);
  const said = response(Object(asked.request).input);
  const answers = { subtype: 'success', request_id: asked.request_id, response: said };
  await client.send({ type: 'control_response', response: answers });
  return client.frames.indexOf(asked, from) + 1;
}
const allow = (input: object) => ({ behavior: 'allow', updatedInput: input });
const deny = () => ({ behavior: 'deny', message: 'Not today.' });

async function interrupt(client: Client, from: number): Promise<void> {
  const id = `interrupt-${from}`;
  await client.send(interruptFrame(id));
  const answers = (frame: Frame) => frame.type === 'control_response' && Object(frame.response).request_id === id;
  await client.waitFor(answers, 'the answer to the interrupt', from);
}
const interruptAt =
  (delta: string): During =>
  async (client, from) => {
    await client.waitFor(isEvent('content_block_delta', delta), `a ${delta}`, from);
    await interrupt(client, from);
  };

interface Case {
  readonly agent?: AgentName;
  readonly during?: During;
  /** Words that must be in the frames of the turn. */
  readonly says?: readonly string[];
  /** What the result must be beside its figures. */
  readonly result?: object;
  /** Also over stdio. */
  readonly everywhere?: boolean;
}

const failed = { is_error: true };
const aborted = { is_error: true, subtype: 'error_during_execution' };

const cases: Record<string, Case> = {
  text: { says: ['Hello, '], result: { result: 'Hello, world. This is plain text.' }, everywhere: true },
  think: { says: ['think ', 'c2lnbmVkIQ=='] },
  'cc-tools': { says: ['hello', 'alpha'], everywhere: true },
  'cc-errors': {
    during: async (client, from) => void (await answer(client, from, allow)),
    says: ['Exit code 3', 'No such tool'],
  },
  'cc-slow-after-tool': { says: ['quick'] },
  'cc-write': { during: async (client, from) => void (await answer(client, from, allow)), everywhere: true },
  'cc-write denied': {
    during: async (client, from) => void (await answer(client, from, deny)),
    says: ['Not today.'],
    result: { permission_denials: [expect.objectContaining({ tool_name: 'Bash' })] },
  },
  'cc-write changed': {
    during: async (client, from) => {
      await answer(client, from, (input) => allow({ ...input, command: 'echo changed' }));
    },
    says: ['"content":"changed"'],
  },
  'cc-write denied for good': {
    during: async (client, from) => {
      await answer(client, from, () => ({ behavior: 'deny', message: 'Stop.', interrupt: true }));
    },
    result: aborted,
  },
  'cc-write-two': {
    during: async (client, from) => void (await answer(client, await answer(client, from, allow), deny)),
    says: ['Not today.'],
  },
  hold: { during: interruptAt('text_delta'), says: ['This never '], result: aborted, everywhere: true },
  'abort-think': { during: interruptAt('thinking_delta'), result: aborted },
  'cc-abort-args': { during: interruptAt('input_json_delta'), result: aborted },
  'cc-abort-tool': {
    during: async (client, from, stage) => {
      await answer(client, from, allow);
      await untilThere(stage.home.project, 'started');
      await interrupt(client, from);
    },
    result: aborted,
  },
  'cc-write interrupted': {
    during: async (client, from) => {
      await client.waitFor(isRequest, 'a question', from);
      await interrupt(client, from);
    },
    result: aborted,
  },
  'cc-400': { says: ['invalid_request_error'], result: failed },
  'cc-401': { says: ['authentication_error'], result: failed },
  'cc-529': { says: ['api_retry', 'overloaded_error'], result: failed, everywhere: true },
  'cc-529-once': { says: ['api_retry', 'Better '] },
  'cc-error-midstream': { says: ['Whole again.'] },
  'cc-cut-midstream': { says: ['Whole '] },
  'cc-no-stop': { says: ['Whole '] },
  'max-tokens': { says: ['Cut off in the mid'] },
  refusal: { says: ['I must not.'] },
  empty: {},
  'cc-blocks': { says: ['aGlkZGVu', 'web_search_tool_result'] },
  'cc-future': { says: ['hologram'] },
  long: { result: { result: longText } },
  unicode: { result: { result: unicodeText } },
  'cc-ask': {
    agent: 'full',
    during: async (client, from) => {
      const answers = { [questions[0]?.question ?? '']: 'Blue' };
      await answer(client, from, (input) => allow({ ...input, answers }));
    },
    says: ['Blue'],
  },
  'cc-agent': { agent: 'full', says: ['There is ', '"parent_tool_use_id":"toolu'] },
};

describe.skipIf('reason' in found).each(['websocket', 'stdio'] as const)('%s', (transport) => {
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
    const client = clients.get(agent) ?? (await stage.connect('claude', { agent, transport }));
    clients.set(agent, client);
    return client;
  }

  /** A turn, judged; the model must have been asked on the main thread by requests of that scenario alone. */
  async function judged(client: Client, prompt: string, during?: During): Promise<Frame[]> {
    const asked = stage.fake.requests.length;
    const frames = await turn(client, prompt, (from) => during?.(client, from, stage) ?? Promise.resolve());
    const requests = stage.fake.requests.slice(asked);
    const faults = faultsIn('claude', client.frames, false);
    expect(faults.filter((fault) => !isOwnNews(fault))).toEqual([]);
    // An API error is told as a message that no model has said.
    const heard = (await heardMessages(frames)).filter(({ model }) => model !== '<synthetic>');
    expect(hearingDifferences(heard, await modelSaid(requests))).toEqual([]);
    const own = ownResult(stage.home, prompt);
    expect(resultDifferences(frames.at(-1), { ...own, usage: countsOf(own) })).toEqual([]);
    return frames;
  }

  const chosen = Object.entries(cases).filter(([, { everywhere = false }]) => everywhere || transport === 'websocket');
  test.each(chosen)('%s', async (name, { agent = 'bare', during, says = [], result = { is_error: false } }) => {
    const client = await clientOf(agent);
    const prompt = `[[${name.split(' ')[0]}]] ${transport} ${++prompts} ${name}`;
    const frames = await judged(client, prompt, during);
    for (const words of says) expect(JSON.stringify(frames)).toContain(words);
    expect(frames.filter(isResult)).toEqual([expect.objectContaining(result)]);
    const after = await judged(client, `[[text]] ${transport} after ${prompts}`);
    expect(after.filter(isResult)).toEqual([
      expect.objectContaining({ is_error: false, result: 'Hello, world. This is plain text.' }),
    ]);
  });
});
