// An editor before agents of every other protocol, each as a program that speaks it, and before ECA servers of both eras:
// a turn with a thought, a tool and text, leave for a tool, a stop, a failure.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { agentRoles } from '../support/agent-roles.ts';
import {
  type Chat,
  type Editor,
  type Era,
  eras,
  type Heard,
  openEditor,
  outline,
  wordsIn,
} from '../support/eca-client.ts';

const folder = mkdtempSync(join(tmpdir(), 'patchbay-agents-'));
const config = join(folder, 'patchbay.json');
const programs = [...agentRoles].filter(([, { config: agent }]) => agent.command !== undefined);
const newer = agentRoles.get('eca')?.config.command ?? [];
const agents = Object.fromEntries(programs.map(([name, { config: agent }]) => [name, agent]));
writeFileSync(
  config,
  JSON.stringify({ agents: { ...agents, 'eca-first': { protocol: 'eca', command: [...newer, 'first'] } } }),
);
afterAll(() => rmSync(folder, { recursive: true }));

let editor: Editor;
afterEach(() => editor?.close());

async function open(era: Era, agent: string): Promise<Chat> {
  editor = openEditor(era, { config, agent });
  await editor.greet(folder);
  return editor.chat();
}

async function run(
  chat: Chat,
  prompt: string,
  act: (chat: Chat) => Promise<unknown> = async () => {},
): Promise<Heard[]> {
  const answered = chat.prompt(prompt);
  await act(chat);
  const said = await chat.over();
  await answered;
  return said;
}

const question = (chat: Chat) =>
  chat.until('a question', ({ type, manualApproval }) => type === 'toolCallRun' && manualApproval === true);
/** What matters of a run to any editor, whoever the agent is. */
const essence = (said: readonly Heard[]): string[] =>
  outline(said).filter(
    (word) => /^(?:U|A|prepare$|run|called|rejected|finished)/u.test(word) && !word.startsWith('running'),
  );
const outputsIn = (said: readonly Heard[]): string =>
  said.map(({ content }) => (content.type === 'toolCalled' ? JSON.stringify(content.outputs) : '')).join('');

const thought = ['A reasonStarted', 'A reasonText', 'A reasonFinished'];

describe.each(eras)('an editor of the $name', (era) => {
  test.each([...Object.keys(agents), 'eca-first'])(
    'before %s: a whole turn, and one that is stopped',
    async (agent) => {
      const chat = await open(era, agent);
      const said = await run(chat, 'look');
      // Some say a word before the call as well.
      const calls = essence(said).filter((word) => word !== 'A text' && word !== 'A toolCallRunning');
      expect(calls).toEqual(['U text', ...thought, 'prepare', 'run', 'called', 'finished']);
      expect(wordsIn(said)).toContain('There are three cables.');
      expect(outputsIn(said)).toContain('three cables lie in it');
      const stopped = await run(chat, 'hang', async () => {
        await chat.until('its words', ({ type }, role) => type === 'text' && role === 'assistant');
        chat.stop();
      });
      expect(wordsIn(stopped)).toContain('I was about to');
      expect(essence(stopped).at(-1)).toBe('finished');
      expect(editor.judge()).toEqual([]);
    },
  );

  test.each(['claude', 'eca', 'eca-first'])('before %s: leave for a tool', async (agent) => {
    const chat = await open(era, agent);
    const given = await run(chat, 'ask', async () => chat.approve((await question(chat)).id));
    expect(essence(given).filter((word) => /^(?:run|called|rejected)/u.test(word))).toEqual(['run?', 'called']);
    expect(wordsIn(given)).toContain('There are three cables.');
    const denied = await run(chat, 'ask', async () => chat.reject((await question(chat)).id));
    expect(essence(denied).filter((word) => /^(?:run|called|rejected)/u.test(word))).toEqual([
      'run?',
      'rejected: user',
    ]);
    expect(wordsIn(denied)).not.toContain('There are three cables.');
    const stopped = await run(chat, 'ask', async () => {
      await question(chat);
      chat.stop();
    });
    expect(essence(stopped).filter((word) => /^(?:run|called|rejected)/u.test(word))).toEqual([
      'run?',
      'rejected: user',
    ]);
    expect((await run(chat, 'look')).length).toBeGreaterThan(0);
    expect(editor.judge()).toEqual([]);
  });

  test.each(['eca', 'eca-first'])(
    'before %s: a failure, a command, two tools, contexts, and the end of the server',
    async (agent) => {
      const chat = await open(era, agent);
      const failed = await run(chat, 'fail');
      expect(outline(failed).slice(-3)).toEqual(['S text', 'status idle', 'finished']);
      expect(JSON.stringify(failed)).toContain('overloaded');
      expect(JSON.stringify(await run(chat, '/costs'))).toContain('Total cost');
      const twice = await run(chat, 'two', async () => {
        const { id } = await question(chat);
        chat.approve(id);
        const next = await chat.until('the next', (content) => content.type === 'toolCallRun' && content.id !== id);
        chat.reject(next.id);
      });
      expect(essence(twice).filter((word) => /^(?:called|rejected)/u.test(word))).toEqual(['called', 'rejected: user']);
      await chat.prompt('contexts', { contexts: [{ type: 'file', path: '/w/a', linesRange: { start: 1, end: 2 } }] });
      // A server of the same protocol reads them itself.
      expect(wordsIn(await chat.over())).toContain('{"type":"file","path":"/w/a","linesRange":{"start":1,"end":2}}');
      const died = await run(chat, 'die');
      expect(outline(died).slice(-3)).toEqual(['S text', 'status idle', 'finished']);
      expect(editor.judge()).toEqual([]);
    },
  );
});
