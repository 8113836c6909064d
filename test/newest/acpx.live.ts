// acpx, a client of the Agent Client Protocol on the command line, in front of patchbay-acp: before the demo agent and the real pi. A
// process of its own keeps the agent between two commands, until 300 s without a command or until it is closed.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { type FakeAnthropic, startFakeAnthropic } from '../../src/conformance/model/endpoint.ts';
import { makePiHome, type PiHome, piCommand } from '../support/pi-rig.ts';
import { nodeIn } from '../support/programs.ts';

const patchbayAcp = fileURLToPath(new URL('../../dist/cli/patchbay-acp.js', import.meta.url));
const programs = inject('programs');
const found = programs.acpx;
const node = nodeIn(programs['node-22']);
const missing = 'reason' in found ? found.reason : node === null ? 'no Node 22' : null;

interface Ran {
  readonly code: number;
  readonly out: string;
}

describe.skipIf(missing !== null)(`acpx${missing === null ? '' : ` (${missing})`}`, () => {
  let fake: FakeAnthropic;
  let home: PiHome;
  let folder = '';
  beforeAll(async () => {
    fake = await startFakeAnthropic({ chat: true });
    home = makePiHome({ baseUrl: fake.url });
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'patchbay-acpx-')));
    const { argv, env } = piCommand(home);
    const agents = { pi: { protocol: 'pi', command: argv, env } };
    writeFileSync(join(folder, 'patchbay.json'), JSON.stringify({ agents }));
  });
  afterAll(async () => {
    await fake.close();
    home.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  /** `leave`: what is said to questions. */
  function acpx(agent: string, leave: string, ...words: readonly string[]): Promise<Ran> {
    if ('reason' in found || node === null) throw new Error('not there');
    const cwd = join(folder, agent);
    mkdirSync(cwd, { recursive: true });
    const command = `${process.execPath} ${patchbayAcp} --agent ${agent}`;
    const env = {
      PATH: process.env.PATH ?? '/usr/bin:/bin',
      HOME: folder,
      XDG_STATE_HOME: join(folder, 'state'),
      PATCHBAY_CONFIG: join(folder, 'patchbay.json'),
    };
    const all = [join(found.folder, 'dist/cli.js'), leave, '--agent', command, ...words];
    return new Promise((resolve) => {
      execFile(node, all, { cwd, env }, (error, stdout, stderr) =>
        resolve({ code: typeof error?.code === 'number' ? error.code : 0, out: stdout + stderr }),
      );
    });
  }

  test.each([
    ['demo', 'think tool', 'The lookup found 3 entries.'],
    ['pi', 'hello', ''],
  ])('before %s', async (agent, words, says) => {
    expect(await acpx(agent, '--approve-all', 'sessions', 'new')).toMatchObject({ code: 0 });
    const spoken = await acpx(agent, '--approve-all', words);
    expect(spoken).toMatchObject({ code: 0, out: expect.stringContaining('[done] end_turn') });
    expect(spoken.out).toContain(says);
    expect(await acpx(agent, '--approve-all', 'status')).toMatchObject({ code: 0 });
    expect(await acpx(agent, '--approve-all', 'sessions', 'close')).toMatchObject({ code: 0 });
  });

  test('leave that is given and refused, and a mode', async () => {
    expect(await acpx('demo', '--approve-all', 'sessions', 'new')).toMatchObject({ code: 0 });
    expect((await acpx('demo', '--approve-all', 'ask')).out).toContain('(completed)');
    expect((await acpx('demo', '--deny-all', 'ask')).out).toContain('(failed)');
    expect(await acpx('demo', '--approve-all', 'set-mode', 'plan')).toMatchObject({
      code: 0,
      out: expect.stringContaining('mode set: plan'),
    });
    expect(await acpx('demo', '--approve-all', 'sessions', 'close')).toMatchObject({ code: 0 });
  });
});
