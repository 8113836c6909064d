// Editors of both eras, played with vscode-jsonrpc, in front of the real pi and a fake model: each turn as docs/protocols/eca.md 4
// has it, with leave for tools asked by the extension that we ship.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type FakeAnthropic, startFakeAnthropic } from '../../src/conformance/model/endpoint.ts';
import { type ApprovalRig, startApprovalRig } from '../support/approval-rig.ts';
import {
  anyEra,
  type Chat,
  type Editor,
  type Era,
  modern,
  outline,
  startEditor,
  wordsIn,
} from '../support/eca-client.ts';
import { oneOf } from '../support/full.ts';
import { makePiHome, type PiHome, piCommand, pidOf, recordOf } from '../support/pi-rig.ts';

const cli = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const stdio = [process.execPath, cli, 'stdio', '--frontend', 'eca'];
/** A start of pi on a busy machine. */
const timeout = 60_000;

let fake: FakeAnthropic;
let home: PiHome;
let rig: ApprovalRig;
beforeAll(async () => {
  fake = await startFakeAnthropic();
  home = makePiHome({ baseUrl: fake.url });
  rig = await startApprovalRig();
  writeFileSync(join(home.project, 'cables.txt'), 'alpha\nbravo\ncharlie\ndelta\n');
});
afterAll(async () => {
  await rig?.close();
  await fake.close();
  home.remove();
});

let editor: Editor;
afterEach(() => editor?.close());

/** An editor that has greeted a gateway in front of pi. */
async function open(era: Era): Promise<Editor> {
  const { argv, env } = piCommand(home);
  editor = startEditor(era, [...stdio, '--backend', 'pi', '--', ...argv], { cwd: home.project, env });
  await editor.greet(home.project);
  return editor;
}

/** … in front of a pi that asks before it uses a tool. */
async function openAsking(era: Era): Promise<Editor> {
  editor = startEditor(era, [...stdio, '--config', rig.config, '--agent', 'pi'], { cwd: rig.home.project });
  await editor.greet(rig.home.project);
  return editor;
}

let prompts = 0;
/** No two prompts have the same words, so that the records of pi can be told apart. */
const words = (scenario: string, rest = ''): string => `[[${scenario}]] ${rest} ${++prompts}`;

async function run(chat: Chat, prompt: string, act: (chat: Chat) => Promise<unknown> = async () => {}) {
  const answered = chat.prompt(prompt);
  await act(chat);
  const said = await chat.over();
  const heard = outline(said).filter((word) => word !== 'S usage' && word !== 'S metadata' && word !== 'chat/opened');
  return { answer: await answered, said, heard: heard.slice(heard.indexOf('U text')) };
}

const begins = ['U text', 'status running', 'running: Waiting model', 'running: Generating'];
const ends = ['status idle', 'finished'];
const call = ['prepare', 'prepare arguments'];
const ran = ['A toolCallRunning', 'running: Calling tool', 'called', 'running: Generating'];
const isText = ({ type }: { type: string }, role: string) => type === 'text' && role === 'assistant';
const question = (chat: Chat) =>
  chat.until('a question', ({ type, manualApproval }) => type === 'toolCallRun' && manualApproval === true);

describe.each(anyEra)('an editor of the $name', { timeout }, (era) => {
  test('text and thoughts', async () => {
    await open(era);
    const chat = editor.chat();
    const text = await run(chat, words('text'));
    expect(text.heard).toEqual([...begins, 'A text', ...ends]);
    expect(wordsIn(text.said)).toBe('Hello, world. This is plain text.');
    expect(text.answer).toMatchObject({ chatId: chat.id, status: era === modern ? 'prompting' : 'success' });
    const thought = await run(chat, words('think'));
    const between = ['A reasonStarted', 'A reasonText', 'A reasonFinished', 'A text'];
    expect(thought.heard).toEqual([...begins, ...between, ...ends]);
    expect(thought.said.findLast(({ content }) => content.type === 'usage')).toBeDefined();
    expect(editor.judge()).toEqual([]);
    expect(await editor.quit()).toBe(0);
  });

  test('tools without a question', async () => {
    await open(era);
    const { heard, said } = await run(editor.chat(), words('tools'));
    // Both are announced before the first is run.
    expect(heard.slice(0, 9)).toEqual([...begins, 'A text', ...call, ...call]);
    expect(heard.filter((word) => word === 'run')).toHaveLength(2);
    expect(heard.filter((word) => word === 'called')).toHaveLength(2);
    expect(heard.slice(-4)).toEqual(['running: Generating', 'A text', ...ends]);
    const outputs = said.flatMap(({ content }) =>
      content.type === 'toolCalled' ? [JSON.stringify(content.outputs)] : [],
    );
    expect(outputs.join()).toMatch(/hello\\nworld.*alpha\\nbeta/su);
    expect(editor.judge()).toEqual([]);
  });

  const moments: [
    name: string,
    scenario: string,
    after: string,
    isMoment: (content: { type: string }, role: string) => boolean,
  ][] = [
    ['in mid stream', 'abort-text', 'A text', isText],
    ['in mid thought', 'abort-think', 'A reasonFinished', ({ type }) => type === 'reasonText'],
    ['during a tool', 'abort-tool', 'called: error', ({ type }) => type === 'toolCallRunning'],
  ];
  test.each(oneOf(moments))('a stop %s', async (_, scenario, after, isMoment) => {
    await open(era);
    const chat = editor.chat();
    const { heard, said } = await run(chat, words(scenario), async () => {
      await chat.until('the moment', isMoment);
      chat.stop();
    });
    expect(heard).toContain(after);
    const told = said.flatMap(({ role, content }) =>
      role === 'system' && content.type === 'text' ? [String(content.text).trim()] : [],
    );
    expect(told).toEqual(['Prompt stopped']);
    expect((await run(chat, words('text'))).heard).toEqual([...begins, 'A text', ...ends]);
    expect(editor.judge()).toEqual([]);
  });

  test('leave for a tool: given, and refused', async () => {
    await openAsking(era);
    const chat = editor.chat();
    const name = `given-${era.name.replace(' ', '-')}`;
    const given = await run(chat, `[[trace]] ${name}`, async () => chat.approve((await question(chat)).id));
    const asks = ['A text', ...call, 'run?', 'running: Waiting for tool call approval'];
    expect(given.heard).toEqual([...begins, ...asks, ...ran, 'A text', ...ends]);
    expect(rig.hasMade(name)).toBe(true);
    const denied = await run(chat, `[[trace]] not-${name}`, async () => chat.reject((await question(chat)).id));
    expect(denied.heard).toEqual([...begins, ...asks, 'rejected: user', 'running: Generating', 'A text', ...ends]);
    expect(rig.hasMade(`not-${name}`)).toBe(false);
    expect(editor.judge()).toEqual([]);
  });
});

describe.each(anyEra)('an editor of the $name, as any', { timeout }, (era) => {
  test('a file that a prompt points at is read by the gateway, its lines and no more', async () => {
    await open(era);
    const chat = editor.chat();
    const contexts = [{ type: 'file', path: join(home.project, 'cables.txt'), linesRange: { start: 2, end: 3 } }];
    const prompt = words('text', 'cables');
    await chat.prompt(prompt, { contexts });
    const said = await chat.over();
    expect(said.flatMap(({ role, content }) => (role === 'user' ? [content.text] : []))).toEqual([`${prompt}\n`]);
    const asked = fake.requests.find((request) => request.prompt.text.includes(prompt));
    expect(asked?.prompt.text).toContain('bravo\ncharlie');
    expect(asked?.prompt.text).not.toMatch(/alpha|delta/u);
    expect(editor.judge()).toEqual([]);
  });

  test('the model fails', async () => {
    await open(era);
    const chat = editor.chat();
    const { heard } = await run(chat, words('bad-request'));
    expect(heard.slice(-3)).toEqual(['S text', ...ends]);
    expect((await run(chat, words('text'))).heard).toEqual([...begins, 'A text', ...ends]);
    expect(editor.judge()).toEqual([]);
  });

  test('two chats at once are two pis', async () => {
    await open(era);
    const [one, other] = [editor.chat(), editor.chat()];
    await one.prompt(words('hold', 'ONE'));
    const { said } = await run(other, words('think', 'OTHER'));
    expect(wordsIn(said)).toBe('The answer is 42.');
    one.stop();
    expect(wordsIn(await one.over())).toBe('This never ends.');
    expect(JSON.stringify(one.heard())).not.toContain('OTHER');
    expect(JSON.stringify(other.heard())).not.toContain('ONE');
    expect(editor.judge()).toEqual([]);
  });

  test('pi is killed in mid sentence: the run is finished once', async () => {
    await open(era);
    const chat = editor.chat();
    const prompt = words('abort-text');
    const { heard } = await run(chat, prompt, async () => {
      await chat.until('its words', isText);
      process.kill(pidOf(await recordOf(home, prompt)), 'SIGKILL');
    });
    expect(heard.slice(-3)).toEqual(['S text', ...ends]);
    expect(editor.judge()).toEqual([]);
  });

  test('a stop while leave is asked for', async () => {
    await openAsking(era);
    const chat = editor.chat();
    const name = `stopped-${era.name.replace(' ', '-')}`;
    const { heard } = await run(chat, `[[trace]] ${name}`, async () => {
      await question(chat);
      chat.stop();
    });
    expect(heard).toContain('rejected: user');
    expect(heard.at(-1)).toBe('finished');
    expect(rig.hasMade(name)).toBe(false);
    expect(editor.judge()).toEqual([]);
  });
});
