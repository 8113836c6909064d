// acpx, a client of the Agent Client Protocol on the command line, in front of patchbay-acp: before the demo agent and the real pi. A
// process of its own keeps the agent between two commands, until 300 s without a command or until it is closed. Acts that acpx has no
// word for (a permission for ever, a cancel in a question or before the first word) are those of the client of the protocol's own
// library, in test/e2e/acp-sdk.test.ts and test/e2e/acp-real-pi.test.ts.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { type Block, cut, type Scenario } from '../../src/conformance/model/answers.ts';
import { type FakeAnthropic, startFakeAnthropic } from '../../src/conformance/model/endpoint.ts';
import { extension } from '../support/approval-rig.ts';
import { isFull, oneOf } from '../support/full.ts';
import { makePiHome, type PiHome, piCommand } from '../support/pi-rig.ts';
import { nodeIn } from '../support/programs.ts';

const patchbayAcp = fileURLToPath(new URL('../../dist/cli/patchbay-acp.js', import.meta.url));
const programs = inject('programs');
const found = programs.acpx;
const node = nodeIn(programs['node-22']);
const missing = 'reason' in found ? found.reason : node === null ? 'no Node 22' : null;

const text = (words: string): Block => ({ type: 'text', deltas: [words] });
const write: Block = {
  type: 'tool_use',
  name: 'write',
  deltas: cut(JSON.stringify({ path: 'out.txt', content: 'written' }), 7),
};
const scenarios: ReadonlyMap<string, Scenario> = new Map([
  ['ask', () => [{ blocks: [text('I write.'), write] }, { blocks: [text('That was it.')] }]],
]);

/** What is said to an agent, and words of its answer. */
interface Words {
  readonly text: readonly [string, string];
  readonly think: readonly [string, string];
  readonly tools: readonly [string, number];
  readonly ask: string;
  /** With the sign at which it is cancelled. */
  readonly endless: readonly (readonly [string, string])[];
  readonly fail: string;
  readonly command: readonly [string, string];
  readonly settings: readonly (readonly [string, string])[];
  /** What the model is told of an image, an embedded text and a link. */
  readonly contents: string;
}

const agents: Record<string, Words> = {
  demo: {
    text: ['hello', 'You said: hello'],
    think: ['think', 'so I take my time'],
    tools: ['tools 2', 2],
    ask: 'ask',
    endless: [['hang', 'about to']],
    fail: 'fail',
    command: ['/tool', 'The lookup found'],
    settings: [
      ['model', 'demo/demo-medium'],
      ['thought_level', 'high'],
      ['mode', 'plan'],
    ],
    contents: 'image and contexts',
  },
  pi: {
    text: ['[[text]] hello', 'This is plain text.'],
    think: ['[[think]] hello', 'Let me think about it.'],
    tools: ['[[tools]] hello', 2],
    ask: '[[ask]] hello',
    endless: [
      ['[[hold]] hello', 'This never'],
      ['[[abort-tool]] hello', '[tool] bash'],
    ],
    fail: '[[bad-request]] hello',
    command: ['/greet', 'This is plain text.'],
    settings: [['thought_level', 'high']],
    contents: '[[text]] see these',
  },
};

interface Ran {
  readonly code: number | null;
  readonly out: string;
}

/** One command of acpx that runs. */
interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<Ran>;
  /** Resolves once it has printed these words. Rejects if it ends without. */
  says(words: string): Promise<void>;
}

describe.skipIf(missing !== null)(`acpx${missing === null ? '' : ` (${missing})`}`, () => {
  let fake: FakeAnthropic;
  let home: PiHome;
  let folder = '';
  beforeAll(async () => {
    fake = await startFakeAnthropic({ chat: true, scenarios });
    home = makePiHome({ baseUrl: fake.url });
    mkdirSync(join(home.agentDir, 'prompts'));
    writeFileSync(join(home.agentDir, 'prompts/greet.md'), '[[text]] greet');
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'patchbay-acpx-')));
    const { argv, env } = piCommand(home, ['-e', extension]);
    // Its sessions are kept: one of them is loaded again.
    const command = argv.filter((word) => word !== '--no-session');
    const pi = { protocol: 'pi', command, env: { ...env, PATCHBAY_ASK: 'write' } };
    writeFileSync(join(folder, 'patchbay.json'), JSON.stringify({ agents: { pi } }));
    for (const agent of Object.keys(agents)) {
      mkdirSync(join(folder, agent));
      writeFileSync(join(folder, agent, 'notes.txt'), 'alpha');
    }
  });
  afterAll(async () => {
    await fake.close();
    home.remove();
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  });

  /** Options of acpx go before its words; without any, all that is asked for is allowed. */
  function start(agent: string, words: readonly string[], options: readonly string[] = ['--approve-all']): Running {
    if ('reason' in found || node === null) throw new Error('not there');
    const command = `${process.execPath} ${patchbayAcp} --agent ${agent}`;
    const env = {
      PATH: process.env.PATH ?? '/usr/bin:/bin',
      HOME: folder,
      XDG_STATE_HOME: join(folder, 'state'),
      PATCHBAY_CONFIG: join(folder, 'patchbay.json'),
    };
    const all = [join(found.folder, 'dist/cli.js'), ...options, '--agent', command, ...words];
    const child = spawn(node, all, { cwd: join(folder, agent), env, stdio: ['ignore', 'pipe', 'pipe'] });
    let out = '';
    let look = () => {};
    const take = (chunk: Buffer) => {
      out += chunk.toString();
      look();
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    const ended = new Promise<Ran>((resolve) => child.once('close', (code) => resolve({ code, out })));
    return {
      child,
      ended,
      says: (words) =>
        new Promise((resolve, reject) => {
          look = () => out.includes(words) && resolve();
          look();
          void ended.then((ran) => reject(new Error(`ended without ${words}: ${ran.out}`)));
        }),
    };
  }
  const run = (agent: string, words: readonly string[], options?: readonly string[]): Promise<Ran> =>
    start(agent, words, options).ended;
  const well = (...says: string[]) => ({
    code: 0,
    out: expect.stringMatching(says.map((words) => words.replaceAll(/[[\]/.]/gu, '\\$&')).join('[^]*')),
  });
  const done = '[done] end_turn';

  describe.each(Object.entries(agents))('before %s', (agent, words) => {
    /** With pi all acts in `PATCHBAY_FULL=1` alone: each is a program that starts, and the library's client does them as well. */
    const testInShare = test.runIf(isFull || agent === 'demo');
    const say = (said: string, options?: readonly string[]) => run(agent, [said], options);
    beforeAll(async () => {
      expect(await run(agent, ['sessions', 'new'])).toMatchObject({ code: 0 });
    });
    afterAll(async () => {
      for (const name of isFull || agent === 'demo' ? [[], ['other']] : [[]])
        expect(await run(agent, ['sessions', 'close', ...name])).toMatchObject({ code: 0 });
    });

    test('text, thinking, a slash command, an error', async () => {
      expect(await say(words.text[0])).toMatchObject(well(words.text[1], done));
      expect(await say(words.think[0])).toMatchObject(well(words.think[1], done));
      expect(await say(words.command[0])).toMatchObject(well(words.command[1], done));
      expect((await say(words.fail)).code).not.toBe(0);
    });

    test('tools at once; leave that is given, and refused', async () => {
      const { out } = await say(words.tools[0]);
      expect(out.match(/\(completed\)/gu)).toHaveLength(words.tools[1]);
      expect((await say(words.ask)).out).toContain('(completed)');
      expect((await say(words.ask, ['--deny-all'])).out).toContain('(failed)');
    });

    test.each(oneOf(words.endless))('a cancel in %s, and the next prompt', async (endless, sign) => {
      const prompt = start(agent, [endless]);
      await prompt.says(sign);
      expect(await run(agent, ['cancel'])).toMatchObject({ code: 0 });
      expect((await prompt.ended).out).toContain('[done] cancelled');
      expect(await say(words.text[0])).toMatchObject(well(words.text[1], done));
    });

    testInShare('an image, an embedded text and a link', async () => {
      const uri = pathToFileURL(join(folder, agent, 'notes.txt')).href;
      const blocks = [
        { type: 'text', text: words.contents },
        { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' },
        { type: 'resource', resource: { uri: 'file:///p/a.ts', text: 'let resource = 1' } },
        { type: 'resource_link', uri, name: 'notes.txt' },
      ];
      const file = join(folder, `${agent}.json`);
      writeFileSync(file, JSON.stringify(blocks));
      const ran = await run(agent, ['prompt', '--file', file]);
      expect(ran).toMatchObject(well(done));
      // The demo agent tells of images alone; the model is told of all.
      const isDemo = agent === 'demo';
      const told = isDemo ? ran.out : JSON.stringify(fake.requests.at(-1)?.body.messages.at(-1));
      for (const words of ['image/png', ...(isDemo ? [] : ['let resource = 1', 'alpha'])])
        expect(told).toContain(words);
    });

    testInShare.each(words.settings)('sets %s', async (option, value) => {
      const command = option === 'mode' ? ['set-mode', value] : ['set', option, value];
      expect(await run(agent, command)).toMatchObject({ code: 0, out: expect.stringContaining(value) });
    });

    testInShare('two sessions at once, a list of them', async () => {
      expect(await run(agent, ['sessions', 'new', '--name', 'other'])).toMatchObject({ code: 0 });
      const both = [run(agent, [words.text[0]]), run(agent, ['prompt', '--session', 'other', words.tools[0]])];
      const [one, other] = await Promise.all(both);
      expect(one).toMatchObject(well(words.text[1], done));
      expect(other).toMatchObject(well('(completed)', done));
      const listed = await run(agent, ['sessions', 'list'], ['--format', 'json']);
      const ids = [...listed.out.matchAll(/"sessionId":\s*"([^"]+)"/gu)].map(([, id]) => id);
      expect(new Set(ids).size, listed.out).toBeGreaterThanOrEqual(2);
    });
  });

  test('a session is loaded once its agent and the process that kept it are gone', async () => {
    expect(await run('pi', ['sessions', 'new', '--name', 'kept'])).toMatchObject({ code: 0 });
    expect(await run('pi', ['prompt', '--session', 'kept', '[[text]] my number is 4711'])).toMatchObject(well(done));
    const { out } = await run('pi', ['status', '--session', 'kept'], ['--format', 'json']);
    const pid = Number(/"pid":\s*(\d+)/u.exec(out)?.[1]);
    process.kill(pid, 'SIGKILL');
    expect(await run('pi', ['prompt', '--session', 'kept', '[[text]] which was it?'])).toMatchObject(well(done));
    const asked = fake.requests.findLast(({ prompt }) => prompt.text.includes('which was it?'));
    expect(JSON.stringify(asked?.body.messages)).toContain('4711');
    expect(await run('pi', ['sessions', 'close', 'kept'])).toMatchObject({ code: 0 });
  });
});
