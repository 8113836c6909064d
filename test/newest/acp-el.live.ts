// acp.el, the client of the Agent Client Protocol under Emacs' agent-shell, in front of patchbay-acp: before the demo agent and the real
// pi. acp.el is in no registry that a CI machine reaches: PATCHBAY_ACP_EL is a folder with it, and `emacs` is Debian's emacs-nox.
import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type Block, cut, type Scenario } from '../../src/conformance/model/answers.ts';
import { type FakeAnthropic, startFakeAnthropic } from '../../src/conformance/model/endpoint.ts';
import { extension } from '../support/approval-rig.ts';
import { makePiHome, type PiHome, piCommand } from '../support/pi-rig.ts';

const patchbayAcp = fileURLToPath(new URL('../../dist/cli/patchbay-acp.js', import.meta.url));
const driver = fileURLToPath(new URL('../support/acp-el-client.el', import.meta.url));
const acpEl = process.env.PATCHBAY_ACP_EL ?? '';

/** Why there is no acp.el; null if there is. */
function missing(): string | null {
  if (!existsSync(join(acpEl, 'acp.el'))) return 'PATCHBAY_ACP_EL names no folder with acp.el';
  try {
    execFileSync('emacs', ['--version']);
    return null;
  } catch {
    return 'no emacs: apt-get install emacs-nox';
  }
}

const Heard = z.object({
  answer: z
    .looseObject({ stopReason: z.string().optional(), sessionId: z.string().optional() })
    .or(z.literal('null'))
    .optional(),
  error: z.string().optional(),
  said: z.string(),
  thought: z.string(),
  ends: z.array(z.string()),
  questions: z.int(),
});
type Heard = z.infer<typeof Heard>;

const say = (text: string, more: object = {}) => ({ do: 'prompt', prompt: [{ type: 'text', text }], ...more });
const text = (words: string): Block => ({ type: 'text', deltas: [words] });
const write: Block = {
  type: 'tool_use',
  name: 'write',
  deltas: cut(JSON.stringify({ path: 'out.txt', content: 'written' }), 7),
};
const scenarios: ReadonlyMap<string, Scenario> = new Map([
  ['ask', () => [{ blocks: [text('I write.'), write] }, { blocks: [text('That was it.')] }]],
]);

const reason = missing();
describe.skipIf(reason !== null)(`acp.el${reason === null ? '' : ` (${reason})`}`, () => {
  let fake: FakeAnthropic;
  let home: PiHome;
  let folder = '';
  beforeAll(async () => {
    fake = await startFakeAnthropic({ chat: true, scenarios });
    home = makePiHome({ baseUrl: fake.url });
    mkdirSync(join(home.agentDir, 'prompts'));
    writeFileSync(join(home.agentDir, 'prompts/greet.md'), '[[text]] greet');
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'patchbay-acp-el-')));
    const { argv, env } = piCommand(home, ['-e', extension]);
    const command = argv.filter((word) => word !== '--no-session');
    const pi = { protocol: 'pi', command, env: { ...env, PATCHBAY_ASK: 'write' } };
    writeFileSync(join(folder, 'patchbay.json'), JSON.stringify({ agents: { pi } }));
    writeFileSync(join(folder, 'notes.txt'), 'alpha');
  });
  afterAll(async () => {
    await fake.close();
    home.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  /** One Emacs that does all of these; what was heard in each. */
  function play(agent: string, acts: readonly object[]): Promise<Heard[]> {
    const file = join(folder, 'acts.json');
    writeFileSync(file, JSON.stringify([{ do: 'initialize' }, ...acts]));
    const env = {
      PATH: process.env.PATH ?? '/usr/bin:/bin',
      HOME: folder,
      XDG_STATE_HOME: join(folder, 'state'),
      PATCHBAY_CONFIG: join(folder, 'patchbay.json'),
    };
    const words = ['-Q', '--batch', '-L', acpEl, '-l', driver, file];
    return new Promise((resolve, reject) => {
      execFile(
        'emacs',
        [...words, process.execPath, patchbayAcp, '--agent', agent],
        { cwd: folder, env },
        (error, stdout, stderr) => {
          if (error !== null) return reject(new Error(stderr, { cause: error }));
          const lines = stdout.split('\n').filter((line) => line.startsWith('{'));
          resolve(lines.slice(1).map((line) => Heard.parse(JSON.parse(line))));
        },
      );
    });
  }

  const cancelled = { answer: { stopReason: 'cancelled' } };
  const ended = { answer: { stopReason: 'end_turn' } };
  const image = { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' };
  const resource = { type: 'resource', resource: { uri: 'file:///p/a.ts', text: 'let resource = 1' } };
  const link = () => ({ type: 'resource_link', uri: pathToFileURL(join(folder, 'notes.txt')).href, name: 'notes.txt' });

  test('before the demo agent', async () => {
    const acts: [act: object, heard: object][] = [
      [{ do: 'new', value: folder }, { answer: { sessionId: expect.any(String) } }],
      [say('think tool'), { ...ended, thought: expect.stringContaining('think'), ends: ['completed'] }],
      [say('tools 2'), { ...ended, ends: ['completed', 'completed'] }],
      [say('ask', { permission: 'allow_once' }), { ...ended, ends: ['completed'], questions: 1 }],
      [say('ask', { permission: 'reject_once' }), { ...ended, ends: ['failed'], questions: 1 }],
      [say('hang', { cancelAt: 'text' }), cancelled],
      [say('ask', { cancelAt: 'question' }), { ...cancelled, ends: ['failed'] }],
      [say('ask', { permission: 'allow_always' }), { ends: ['completed'], questions: 1 }],
      [say('ask'), { ends: ['completed'], questions: 0 }],
      [say('fail'), { error: expect.stringContaining('overloaded') }],
      [
        { do: 'prompt', prompt: [...say('image').prompt, image] },
        { ...ended, said: expect.stringContaining('image/png') },
      ],
      [say('/tool'), { ...ended, ends: ['completed'] }],
      [say('select', { permission: 'allow_once' }), ended],
      [{ do: 'mode', value: 'plan' }, { answer: 'null' }],
      [{ do: 'option', option: 'model', value: 'demo/demo-medium' }, { answer: { configOptions: expect.any(Array) } }],
      [{ do: 'option', option: 'thought_level', value: 'high' }, { answer: { configOptions: expect.any(Array) } }],
      [{ do: 'new', value: folder }, { answer: { sessionId: expect.any(String) } }],
      [say('hello'), ended],
      [{ do: 'delete' }, { answer: 'null' }],
      [{ do: 'list', value: folder }, { answer: { sessions: [{ title: 'think tool' }] } }],
    ];
    const heard = await play(
      'demo',
      acts.map(([act]) => act),
    );
    expect(heard).toMatchObject(acts.map(([, expected]) => expected));
  });

  test('before the real pi, and once more when all is gone', async () => {
    const acts: [act: object, heard: object][] = [
      [{ do: 'new', value: folder }, { answer: { sessionId: expect.any(String) } }],
      [say('[[think]] my number is 4711'), { ...ended, thought: 'Let me think about it.' }],
      [say('[[tools]] hello'), { ...ended, ends: ['completed', 'completed'] }],
      [say('[[ask]] hello', { permission: 'allow_once' }), { ...ended, ends: ['completed'], questions: 1 }],
      [say('[[ask]] hello', { permission: 'reject_once' }), { ...ended, ends: ['failed'], questions: 1 }],
      [say('[[hold]] hello', { cancelAt: 'text' }), cancelled],
      [say('[[abort-tool]] hello', { cancelAt: 'tool' }), { ...cancelled, ends: ['failed'] }],
      [say('[[ask]] hello', { cancelAt: 'question' }), cancelled],
      [say('[[bad-request]] hello'), { error: expect.stringContaining('-32603') }],
      [say('[[max-tokens]] hello'), { answer: { stopReason: 'max_tokens' } }],
      [say('/greet'), { ...ended, said: expect.stringContaining('This is plain text.') }],
      [{ do: 'option', option: 'thought_level', value: 'high' }, { answer: { configOptions: expect.any(Array) } }],
      [{ do: 'prompt', prompt: [...say('[[text]] see').prompt, image, resource, link()] }, ended],
    ];
    const heard = await play(
      'pi',
      acts.map(([act]) => act),
    );
    expect(heard).toMatchObject(acts.map(([, expected]) => expected));
    const told = JSON.stringify(fake.requests.at(-1)?.body.messages.at(-1));
    for (const words of ['image/png', 'let resource = 1', 'alpha']) expect(told).toContain(words);

    const { answer } = heard[0] ?? {};
    const session = answer === 'null' ? undefined : answer?.sessionId;
    const [, listed, loaded, later] = await play('pi', [
      { do: 'use', value: session },
      { do: 'list', value: folder },
      { do: 'load', value: folder },
      say('[[text]] which was it?'),
    ]);
    expect(JSON.stringify(listed?.answer)).toContain(session);
    expect(loaded?.said).toContain('4711');
    expect(later).toMatchObject(ended);
    expect(JSON.stringify(fake.requests.at(-1)?.body.messages)).toContain('4711');
  });
});
