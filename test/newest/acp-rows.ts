// What is tried of pi-acp, row by row, in one session that later rows go on with. No dialect is named: a user names none.
import { expect } from 'vitest';
import type { AcpEditor, Update } from './acp-client.ts';
import type { Agent } from './agents.ts';

/** pi-acp in front of one agent. */
export interface AcpScene {
  editor: AcpEditor;
  readonly agent: Agent;
  readonly project: string;
  /** Starts pi-acp again, as an editor does the next day. */
  restart(): Promise<AcpEditor>;
  session: string;
}

const kind = (name: string) => (update: Update) => update.sessionUpdate === name;
const textIn = (updates: readonly Update[], name = 'agent_message_chunk'): string =>
  updates
    .filter(kind(name))
    .map(({ content }) => Object(content).text)
    .join('');

interface Said {
  readonly stop: unknown;
  readonly updates: readonly Update[];
}
async function prompt(scene: AcpScene, text: string, during: (from: number) => Promise<void> = async () => {}) {
  const { editor, session } = scene;
  const from = editor.updates.length;
  const answer = editor.ask('session/prompt', { sessionId: session, prompt: [{ type: 'text', text }] });
  await Promise.all([answer, during(from)]);
  const said: Said = { stop: (await answer).stopReason, updates: editor.updates.slice(from) };
  return said;
}

async function open({ editor, project }: AcpScene): Promise<Record<string, unknown>> {
  await editor.ask('initialize', { protocolVersion: 1, clientCapabilities: {} });
  return editor.ask('session/new', { cwd: project, mcpServers: [] });
}

async function says(scene: AcpScene, text: string, answer: string): Promise<void> {
  const { stop, updates } = await prompt(scene, text);
  expect(stop).toBe('end_turn');
  expect(textIn(updates)).toContain(answer);
}

/** The rows, in the order in which they are walked. */
export const acpRows: Readonly<Record<string, (scene: AcpScene) => Promise<void>>> = {
  async 'initialize, session/new'(scene) {
    const opened = await open(scene);
    scene.session = String(opened.sessionId);
    expect(opened.configOptions).toContainEqual(expect.objectContaining({ id: 'model' }));
  },
  'session/prompt': (scene) => says(scene, scene.agent.words.text, scene.agent.words.answer),
  async thinking(scene) {
    const { stop, updates } = await prompt(scene, scene.agent.words.think);
    expect(stop).toBe('end_turn');
    expect(textIn(updates, 'agent_thought_chunk')).not.toBe('');
  },
  async tools(scene) {
    const { stop, updates } = await prompt(scene, scene.agent.words.tools);
    expect(stop).toBe('end_turn');
    const done = updates.filter(
      ({ sessionUpdate, status }) => /^tool_call/u.test(sessionUpdate) && status === 'completed',
    );
    expect(new Set(done.map(({ toolCallId }) => toolCallId)).size).toBeGreaterThanOrEqual(2);
  },
  async 'approval: allow'(scene) {
    scene.editor.choose = () => 0;
    expect((await prompt(scene, scene.agent.words.ask)).stop).toBe('end_turn');
    expect(scene.editor.asked.splice(0)).toHaveLength(1);
  },
  async 'approval: deny'(scene) {
    scene.editor.choose = (names) => names.findIndex((name) => /^(?:no|deny)\b/iu.test(name));
    expect((await prompt(scene, scene.agent.words.ask)).stop).toBe('end_turn');
    expect(scene.editor.asked.splice(0)).toHaveLength(1);
  },
  async 'abort: session/cancel'(scene) {
    const { editor, agent, session } = scene;
    const { stop } = await prompt(scene, agent.words.endless, async (from) => {
      await editor.hear('its words', kind('agent_message_chunk'), from);
      editor.notify('session/cancel', { sessionId: session });
    });
    expect(stop).toBe('cancelled');
    await says(scene, agent.words.text, agent.words.answer);
  },
  async 'follow-up: a prompt during a turn'(scene) {
    const { editor, agent } = scene;
    await prompt(scene, agent.words.busy, async (from) => {
      await editor.hear('its words', kind('agent_message_chunk'), from);
      await says(scene, agent.words.text, agent.words.answer);
    });
  },
  async 'compaction: /compact'(scene) {
    const { stop, updates } = await prompt(scene, '/compact');
    expect(stop).toBe('end_turn');
    expect(textIn(updates)).toMatch(/compact/iu);
    await says(scene, scene.agent.words.text, scene.agent.words.answer);
  },
  '/session': (scene) => says(scene, '/session', 'Messages'),
  '/name': (scene) => says(scene, '/name A talk', 'A talk'),
  '/autocompact': (scene) => says(scene, '/autocompact off', 'disabled'),
  '/steering, /follow-up': async (scene) => {
    await says(scene, '/steering all', 'all');
    await says(scene, '/follow-up all', 'all');
  },
  '/export': (scene) => says(scene, '/export', 'exported'),
  async 'session/set_mode, session/set_config_option'(scene) {
    const { editor, session } = scene;
    await editor.ask('session/set_config_option', { sessionId: session, configId: 'thought_level', value: 'high' });
  },
  async 'resume: session/load after a restart'(scene) {
    const { project, agent } = scene;
    scene.editor = await scene.restart();
    await scene.editor.ask('initialize', { protocolVersion: 1, clientCapabilities: {} });
    const from = scene.editor.updates.length;
    await scene.editor.ask('session/load', { sessionId: scene.session, cwd: project, mcpServers: [] });
    await scene.editor.hear('what was said', kind('user_message_chunk'), from);
    await says(scene, agent.words.text, agent.words.answer);
  },
};
