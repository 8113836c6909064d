// What is tried of an ECA editor of today, row by row, in one chat that later rows go on with.
import { expect } from 'vitest';
import { z } from 'zod';
import { type Chat, type Editor, type Heard, outline, wordsIn } from '../support/eca-client.ts';
import type { Said } from '../support/judged-eca.ts';
import type { Agent } from './agents.ts';

/** An editor in front of one agent. */
export interface EcaScene {
  readonly editor: Editor;
  readonly chat: Chat;
  readonly agent: Agent;
  readonly project: string;
}

type During = (scene: EcaScene) => Promise<unknown>;
async function run(scene: EcaScene, prompt: string, during: During = async () => {}): Promise<readonly Heard[]> {
  const answered = scene.chat.prompt(prompt);
  await during(scene);
  const said = await scene.chat.over();
  await answered;
  return said;
}
const question = ({ chat }: EcaScene) =>
  chat.until('a question', ({ type, manualApproval }) => type === 'toolCallRun' && manualApproval === true);
const isText = ({ type }: { type: string }, role: string) => type === 'text' && role === 'assistant';

const finished = 'the run is over';
/** The user's own words, as the server puts them into the chat; or that the run is over. */
function toldIn({ by, message }: Said): string | undefined {
  const { role, content } = Object(Object(message).params);
  if (by === 'client') return undefined;
  if (Object(content).state === 'finished') return finished;
  return role === 'user' ? String(Object(content).text) : undefined;
}

async function answers(scene: EcaScene): Promise<void> {
  expect(wordsIn(await run(scene, scene.agent.words.text))).toBe(scene.agent.words.answer);
}

const Commands = z.looseObject({ commands: z.array(z.looseObject({ name: z.string() })) });
const Chats = z.looseObject({ chats: z.array(z.looseObject({})) });

/** The rows, in the order in which they are walked. */
export const ecaRows: Readonly<Record<string, (scene: EcaScene) => Promise<void>>> = {
  async initialize({ editor, project }) {
    await editor.greet(project);
    const isModels = ({ message }: Said) => JSON.stringify(message).includes('"config/updated"');
    await editor.until('the models', (talk) => talk.find(isModels));
  },
  'chat/prompt': answers,
  async thinking(scene) {
    expect(outline(await run(scene, scene.agent.words.think))).toContain('A reasonText');
  },
  async tools(scene) {
    const heard = outline(await run(scene, scene.agent.words.tools));
    expect(heard.filter((word) => word === 'called').length).toBeGreaterThanOrEqual(2);
  },
  async 'approval: allow'(scene) {
    const said = await run(scene, scene.agent.words.ask, async (at) => at.chat.approve((await question(at)).id));
    expect(outline(said)).toContain('called');
  },
  async 'approval: deny'(scene) {
    const said = await run(scene, scene.agent.words.ask, async (at) => at.chat.reject((await question(at)).id));
    expect(outline(said)).toContain('rejected: user');
  },
  async 'abort: chat/promptStop'(scene) {
    const said = await run(scene, scene.agent.words.endless, async ({ chat }) => {
      await chat.until('its words', isText);
      chat.stop();
    });
    expect(outline(said).at(-1)).toBe('finished');
    await answers(scene);
  },
  async 'steer: chat/promptSteer'(scene) {
    const { agent } = scene;
    const said = await run(scene, agent.words.busy, async ({ chat, editor }) => {
      await chat.until('its words', isText);
      const from = editor.talk.length;
      editor.notify('chat/promptSteer', { chatId: chat.id, message: agent.words.text });
      const told = await editor.until('the words in the chat, or the end of the run', (talk) =>
        talk
          .slice(from)
          .map(toldIn)
          .find((words) => words === finished || words?.includes(agent.words.text)),
      );
      if (told === finished) throw new Error('not heard in the run');
    });
    expect(outline(said).at(-1)).toBe('finished');
  },
  async 'compaction: /compact'(scene) {
    const { commands } = Commands.parse(
      await scene.editor.request('chat/queryCommands', { chatId: scene.chat.id, query: '' }),
    );
    expect(commands.map(({ name }) => name)).toContain('compact');
    const asked = await run(scene, '/compact');
    expect(outline(asked).at(-1)).toBe('finished');
    expect(JSON.stringify(asked)).toMatch(/compact/iu);
    await answers(scene);
  },
  async 'models: chat/selectedModelChanged'(scene) {
    const { editor, chat } = scene;
    const models = await editor.until('the models', (talk) =>
      talk
        .map(({ message }) => Object(Object(Object(message).params).chat).models)
        .findLast((names) => Array.isArray(names) && names.length > 0),
    );
    editor.notify('chat/selectedModelChanged', { chatId: chat.id, model: z.array(z.string()).parse(models)[0] });
    await answers(scene);
  },
  async 'resume: chat/list, chat/open'(scene) {
    const { editor, chat } = scene;
    const { chats } = Chats.parse(await editor.request('chat/list', {}));
    expect(chats.map((one) => one.id ?? one.chatId)).toContain(chat.id);
    await editor.request('chat/open', { chatId: chat.id });
    await answers(scene);
  },
  'the order of all that was said': async ({ editor }) => expect(editor.judge()).toEqual([]),
};
