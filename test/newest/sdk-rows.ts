// What is tried of an Agent SDK, row by row, in one conversation that later rows go on with.
import type { CanUseTool, Options } from '@anthropic-ai/claude-agent-sdk';
import { expect } from 'vitest';
import type { Frame } from '../support/inbox.ts';
import { type Agent, type Agents, idOf } from './agents.ts';
import { type Sdk, type SdkTalk, startTalk } from './sdk-talk.ts';

/** One SDK in front of one agent. */
export interface Scene {
  readonly sdk: Sdk;
  readonly agent: Agent;
  readonly agents: Agents;
  /** What the user answers when a tool asks. */
  answer: CanUseTool;
  readonly asked: string[];
  /** What came of the conversation that had instructions of its own. */
  instructed: { readonly told: string; readonly remarks: string };
  /** The conversation, which is made when it is first wanted. */
  talk(): SdkTalk;
  open(options?: Options): SdkTalk;
  close(): Promise<void>;
}

/** A scene of that SDK and agent. */
export function createScene(sdk: Sdk, agent: Agent, agents: Agents): Scene {
  const allow: CanUseTool = async (_tool, input) => ({ behavior: 'allow', updatedInput: input });
  let talk: SdkTalk | undefined;
  const scene: Scene = {
    sdk,
    agent,
    agents,
    answer: allow,
    asked: [],
    instructed: { told: '', remarks: '' },
    talk() {
      talk ??= scene.open();
      return talk;
    },
    open: (options = {}) =>
      startTalk(sdk, {
        cwd: agents.project,
        env: { PATCHBAY_CONFIG: agents.config, PATCHBAY_AGENT: idOf(agent.name) },
        options: {
          canUseTool: (tool, input, about) => {
            scene.asked.push(tool);
            return scene.answer(tool, input, about);
          },
          ...options,
        },
      }),
    async close() {
      await talk?.close();
      talk = undefined;
    },
  };
  return scene;
}

const instructions = 'You count to seven.';
const resultOf = (frames: readonly Frame[]) => Object(frames.at(-1));
const isDelta = ({ type, event }: Frame) => type === 'stream_event' && Object(event).type === 'content_block_delta';
const isResult = ({ type }: Frame) => type === 'result';

async function answers(talk: SdkTalk, agent: Agent, text = agent.words.text): Promise<void> {
  const { is_error, errors, result } = resultOf(await talk.turn(text));
  if (is_error !== false) throw new Error(`failed: ${String(errors)}`);
  expect(result).toBe(agent.words.answer);
}

/** A prompt to another conversation, which is over with it: its session id, and what the model was told. */
async function once(scene: Scene, options: Options): Promise<{ id: unknown; told: string; remarks: string }> {
  const talk = scene.open(options);
  try {
    await answers(talk, scene.agent);
    const told = JSON.stringify(scene.agents.fake.requests.at(-1)?.body ?? {});
    const remarks = talk.frames.flatMap(({ subtype, text }) => (subtype === 'notice' ? [String(text)] : []));
    return { id: resultOf(talk.frames.filter(isResult)).session_id, told, remarks: remarks.join('; ') };
  } finally {
    await talk.close();
  }
}

/** The rows, in the order in which they are walked. */
export const rows: Readonly<Record<string, (scene: Scene) => Promise<void>>> = {
  prompt: ({ talk, agent }) => answers(talk(), agent),
  async thinking({ talk, agent }) {
    const frames = await talk().turn(agent.words.think);
    expect(resultOf(frames)).toMatchObject({ is_error: false });
    expect(JSON.stringify(frames)).toContain('thinking_delta');
  },
  async tools({ talk, agent }) {
    const frames = await talk().turn(agent.words.tools);
    expect(resultOf(frames)).toMatchObject({ is_error: false });
    expect(JSON.stringify(frames).match(/"type":"tool_result"/gu)?.length).toBeGreaterThanOrEqual(2);
  },
  async 'approval: allow'(scene) {
    const frames = await scene.talk().turn(scene.agent.words.ask);
    expect(scene.asked.splice(0)).toHaveLength(1);
    expect(resultOf(frames)).toMatchObject({ is_error: false, permission_denials: [] });
  },
  async 'approval: deny'(scene) {
    const { answer } = scene;
    scene.answer = async () => ({ behavior: 'deny', message: 'Not on my disk.' });
    const frames = await scene.talk().turn(scene.agent.words.ask);
    scene.answer = answer;
    expect(scene.asked.splice(0)).toHaveLength(1);
    expect(resultOf(frames)).toMatchObject({ permission_denials: [expect.anything()] });
  },
  async 'abort: interrupt'({ talk, agent }) {
    const conversation = talk();
    const frames = await conversation.turn(agent.words.endless, async (from) => {
      await conversation.hear('a delta', isDelta, from);
      await conversation.query.interrupt();
    });
    expect(resultOf(frames)).toMatchObject({ is_error: true });
    await answers(conversation, agent);
  },
  async 'steer, follow-up: prompts during a turn'({ talk, agent }) {
    const conversation = talk();
    const from = conversation.frames.length;
    await conversation.turn(agent.words.busy, async () => {
      await conversation.hear('a delta', isDelta, from);
      conversation.say(agent.words.text);
    });
    await conversation.hear('its answer', (frame) => isResult(frame) && frame.result === agent.words.answer, from);
  },
  async 'compaction: /compact'({ talk, agent }) {
    const frames = await talk().turn('/compact');
    expect(resultOf(frames)).toMatchObject({ is_error: false });
    expect(frames).toContainEqual(expect.objectContaining({ type: 'system', subtype: 'compact_boundary' }));
    await answers(talk(), agent);
  },
  async supportedCommands({ talk }) {
    const commands = await talk().query.supportedCommands();
    expect(commands).toContainEqual(expect.objectContaining({ name: 'compact' }));
  },
  async 'supportedModels, setModel'({ talk, agent }) {
    const { query } = talk();
    const models = await query.supportedModels();
    expect(models.length).toBeGreaterThan(0);
    await query.setModel(models.at(-1)?.value);
    await answers(talk(), agent);
    await query.setModel();
    await answers(talk(), agent);
  },
  async setPermissionMode({ talk }) {
    await talk().query.setPermissionMode('acceptEdits');
    await talk().query.setPermissionMode('default');
  },
  async setMaxThinkingTokens({ talk }) {
    await talk().query.setMaxThinkingTokens(4096);
  },
  async 'resume, continue, resume of what was continued'(scene) {
    await scene.close();
    // The first one has instructions of its own, for the next row to look at.
    const first = await once(scene, { systemPrompt: instructions });
    scene.instructed = first;
    const resumed = await once(scene, { resume: String(first.id) });
    expect(resumed.id).toBe(first.id);
    const continued = await once(scene, { continue: true });
    const again = await once(scene, { resume: String(continued.id) });
    expect(again.told.split(scene.agent.words.text).length - 1, 'prompts that the model is told').toBeGreaterThan(3);
  },
  async systemPrompt({ instructed: { told, remarks } }) {
    if (!told.includes(instructions)) throw new Error(remarks || 'told to nobody');
  },
  async 'mcpServersDelivery: initialize'(scene) {
    await once(scene, {
      mcpServers: { none: { command: 'true' } },
      mcpServersDelivery: 'initialize',
    });
  },
};
