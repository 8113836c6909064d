// How text leaves the program: each frame in a write of its own, and in less than 4 kB, for there are editors that read so
// much at once and lose what is cut (docs/protocols/eca.md 2.12). The writes are those of the program's own stdout.
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Block, Scenario } from '../../src/conformance/model/answers.ts';
import { type FakeAnthropic, startFakeAnthropic } from '../../src/conformance/model/endpoint.ts';
import { type Editor, eras, modern, seedDay, startEditor, wordsIn } from '../support/eca-client.ts';

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const gateway = [
  process.execPath,
  '--import',
  path('../transports/support/watch-writes.mjs'),
  path('../../dist/cli/main.js'),
  'stdio',
  '--frontend',
  'eca',
];

/** Letters of one to four bytes, and what JSON makes longer; pairs of surrogates lie across every even place. */
const flood = `x${'😀é"\n\u2028語\\a'.repeat(4000)}`;
const deltas: Block[] = [
  { type: 'thinking', deltas: [flood], signature: 'c2ln' },
  { type: 'text', deltas: [flood, 'small ', 'and ', 'smaller'] },
];
const scenarios: ReadonlyMap<string, Scenario> = new Map([['flood', () => [{ blocks: deltas }]]]);

let fake: FakeAnthropic;
beforeAll(async () => {
  fake = await startFakeAnthropic({ chat: true, scenarios });
});
afterAll(() => fake.close());

let editor: Editor;
afterEach(() => editor?.close());

/** The writes so far, each with its chunks as latin1. */
const writes = (): string[][] =>
  editor
    .log()
    .split('\n')
    .flatMap((line) => (line.startsWith('[') ? [JSON.parse(line)] : []));

/** The frame in a write that holds one and nothing else. */
function frameIn(chunks: readonly string[]): string {
  expect(chunks).toHaveLength(1);
  const [, length, body = ''] = /^Content-Length: (\d+)\r\n\r\n(.*)$/su.exec(chunks[0] ?? '') ?? [];
  expect(Number(length)).toBe(body.length);
  return body;
}

test.each(eras)('long pieces of a model are cut, for an editor of the $name', async (era) => {
  const words = ['--backend', 'anthropic', '--option', `baseUrl=${fake.url}`];
  editor = startEditor(era, [...gateway, ...words], { env: { ANTHROPIC_API_KEY: 'test' } });
  await editor.greet();
  const chat = editor.chat();
  await chat.prompt('[[flood]]');
  const said = await chat.over();
  expect(wordsIn(said)).toBe(`${flood}small and smaller`);
  const thought = said.map(({ content }) => (content.type === 'reasonText' ? String(content.text) : '')).join('');
  expect(thought).toBe(flood);
  expect(editor.judge()).toEqual([]);
  expect(await editor.quit()).toBe(0);
  const frames = writes().map(frameIn);
  const told = editor.talk.filter(({ by }) => by === 'server').length;
  expect(frames).toHaveLength(told);
  const texts = frames.filter((frame) => /"type":"(?:text|reasonText)"/u.test(frame) && frame.includes('"assistant"'));
  expect(texts.length).toBeGreaterThan(30);
  expect(
    Math.max(...writes().map(([write = '']) => (texts.includes(frameIn([write])) ? write.length : 0))),
  ).toBeLessThan(4096);
});

test.each([seedDay, modern])('hundreds of small pieces are as many writes, for an editor of the $name', async (era) => {
  editor = startEditor(era, [...gateway, '--backend', 'demo', '--option', 'paceMs=0']);
  await editor.greet();
  const chat = editor.chat();
  await chat.prompt('long 600');
  expect(wordsIn(await chat.over())).toContain('599 600');
  expect(editor.judge()).toEqual([]);
  expect(await editor.quit()).toBe(0);
  const frames = writes().map(frameIn);
  expect(frames).toHaveLength(editor.talk.filter(({ by }) => by === 'server').length);
  expect(frames.filter((frame) => frame.includes('"role":"assistant"')).length).toBeGreaterThan(200);
});
