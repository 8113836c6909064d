// The page in front of agents that are not the demo: the real pi with a fake model, and recordings of Claude Code and ECA.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FakeAnthropic, startFakeAnthropic } from '../../src/conformance/model/endpoint.ts';
import { extension } from '../support/approval-rig.ts';
import { makePiHome, type PiHome, piCommand } from '../support/pi-rig.ts';
import { findings } from './support/axe.ts';
import { closeBrowser, noBrowser } from './support/browser.ts';
import { prompt, type Rig, startRig } from './support/rig.ts';

const corpus = resolve(process.env.PATCHBAY_CORPUS ?? '../shared/corpus');
const tapes = {
  'claude-code': join(corpus, 'claude-sdk/cli-2.1.329/perm-allow.jsonl'),
  eca: join(corpus, 'eca/eca-server-0.155.1.turns.jsonl'),
};
const hasTapes = Object.values(tapes).every(existsSync);

let fake: FakeAnthropic;
let home: PiHome;
let rig: Rig;
const folder = mkdtempSync(join(tmpdir(), 'patchbay-agents-'));

beforeAll(async () => {
  if (noBrowser !== null) return;
  fake = await startFakeAnthropic();
  home = makePiHome({ baseUrl: fake.url });
  const { argv, env } = piCommand(home, ['-e', extension]);
  const taped = Object.fromEntries(
    Object.entries(tapes).map(([name, file]) => [name, { protocol: 'replay', file, speed: 'max' }]),
  );
  const pi = { protocol: 'pi', command: argv, cwd: home.project, env };
  const config = join(folder, 'patchbay.json');
  const scripted = fileURLToPath(new URL('../support/scripted-claude.mjs', import.meta.url));
  const claude = { protocol: 'claude', command: [process.execPath, scripted] };
  const tape = join(folder, 'long.jsonl');
  writeFileSync(tape, longTape());
  const long = { protocol: 'replay', file: tape, speed: 'max' };
  const agents = { pi, claude, long, ...(hasTapes ? taped : {}) };
  writeFileSync(config, JSON.stringify({ agents }));
  rig = await startRig(['--config', config]);
});
afterAll(async () => {
  await closeBrowser();
  await rig?.close();
  await fake?.close();
  home?.remove();
  rmSync(folder, { recursive: true, force: true });
});

const markup = '<img src=x onerror="document.title=1"><script>document.title=2</script>\u202e\u001b[31m';

/** A tape of pi with a line of ten megabytes. */
function longTape(): string {
  const update = (type: string, more: object) => ({
    type: 'message_update',
    assistantMessageEvent: { type, contentIndex: 0, ...more },
  });
  const lines = [
    { type: 'agent_start' },
    { type: 'message_start', message: { role: 'assistant', content: [] } },
    update('text_start', {}),
    update('text_delta', { delta: markup + 'x'.repeat(10_000_000) }),
    { type: 'agent_end', messages: [] },
  ];
  const rows = lines.map((line, at) => `${JSON.stringify({ dir: 'out', line: JSON.stringify(line), at })}\n`);
  return `{"dir":"meta","v":1,"protocol":"pi"}\n${rows.join('')}`;
}

/** Text of the conversation. */
const spoken = (page: Page, text: string) => page.getByRole('log', { name: 'Messages' }).getByText(text);

const skips = noBrowser !== null;
const why = noBrowser === null ? '' : ` (skipped: ${noBrowser})`;

describe(`the page in front of other agents${why}`, () => {
  it.skipIf(skips)(
    'the real pi: thinks, asks, is denied and allowed, changes its thinking, stops, goes back',
    async () => {
      const page = await rig.newSession({}, 'pi');
      await prompt(page, '[[think]]');
      await page.getByText('Thought').first().waitFor();
      await spoken(page, 'The answer is 42.').waitFor();

      await page.getByRole('button', { name: 'Send' }).waitFor();
      await prompt(page, '[[tools]]');
      const question = page.locator('[data-question]').first();
      await question.getByRole('textbox', { name: 'reason' }).fill('not now');
      await question.getByRole('button', { name: 'Deny' }).click();
      await page.getByText('bash denied').waitFor();
      await page.getByRole('button', { name: 'Allow', exact: true }).click();
      await page.getByText('read allowed').waitFor();
      await spoken(page, 'Both tools are done.').waitFor();
      await page.locator('.tool.done').first().waitFor();
      expect(await page.locator('.tool.failed, .tool.skipped').count()).toBe(1);
      expect(await findings(page)).toEqual([]);

      await page.getByRole('button', { name: 'Send' }).waitFor();
      await page.getByLabel('Thinking').selectOption('high');
      await expect.poll(() => page.getByLabel('Thinking').inputValue()).toBe('high');
      await prompt(page, '[[hold]]');
      await spoken(page, 'This never ends.').waitFor();
      await page.getByRole('button', { name: 'Abort' }).click();
      await page.getByText('run aborted').waitFor();

      await page.locator('.rows .c-dialect', { hasText: 'result' }).first().waitFor();
      await page.getByRole('searchbox').fill('run-start');
      await expect.poll(() => page.locator('.rows .line .c-agent').first().textContent()).toContain('agent_start');
      await page.getByRole('searchbox').fill('');

      await page.getByRole('button', { name: 'Fork' }).click();
      await page.getByRole('button', { name: /before .\[\[tools\]\]/u }).click();
      await page.getByText('history forked').waitFor();
      expect(await spoken(page, 'Both tools are done.').count()).toBe(0);
      await page.context().close();
    },
    // Several runs of a real program: 119 s at a load of 25 on two processors.
    300_000,
  );

  it.skipIf(skips)('an agent of the Claude format: its question is answered by a choice', async () => {
    const page = await rig.newSession({}, 'claude');
    await prompt(page, 'question');
    await page.locator('[data-question]').getByRole('button', { name: 'Right' }).waitFor();
    expect(await findings(page)).toEqual([]);
    await page.locator('[data-question]').getByRole('button', { name: 'Right' }).click();
    await spoken(page, 'You chose Right.').waitFor();
    await page.context().close();
  });

  it.skipIf(skips || !hasTapes)(
    'a recording of Claude Code: its tool asks, is allowed, and the tape ends',
    async () => {
      const page = await rig.newSession({}, 'claude-code');
      await prompt(page, 'go');
      await page.getByRole('button', { name: 'Allow', exact: true }).click();
      await page.locator('.tool.done').first().waitFor();
      await page.locator('.rows .line', { hasText: 'run-end completed' }).waitFor();
      await page.locator('.rows .line .c-agent', { hasText: 'stream_event' }).first().waitFor();
      expect(await findings(page)).toEqual([]);
      await page.context().close();
    },
  );

  it.skipIf(skips || !hasTapes)(
    'a recording of an ECA server: speaks, thinks, asks for leave and is denied',
    async () => {
      const page = await rig.newSession({}, 'eca');
      const idle = () => page.getByRole('button', { name: 'Send' }).waitFor();
      await prompt(page, 'hello');
      await page.locator('.message.assistant').first().waitFor();
      await idle();
      await prompt(page, 'thinkplease');
      await page.getByText('Thought').first().waitFor();
      await idle();
      await prompt(page, 'toolplease');
      await page.getByRole('button', { name: 'Allow', exact: true }).click();
      await page.locator('.tool.done').first().waitFor();
      await page.locator('.rows .line .c-agent', { hasText: 'chat/contentReceived' }).first().waitFor();
      expect(await findings(page)).toEqual([]);
      await page.context().close();
    },
  );

  it.skipIf(skips)('a line of ten megabytes: shown by its beginning, and its markup as text', async () => {
    const page = await rig.newSession({}, 'long');
    await prompt(page, 'go');
    await page.getByRole('button', { name: /earlier of/u }).waitFor();
    // The only row: while the wire comes, rows come between others, and a click would meet another one.
    await page.getByRole('searchbox').fill('"block-delta"');
    const row = page.locator('.rows .line');
    await expect.poll(() => row.allTextContents()).toEqual([expect.stringContaining('block-delta')]);
    await row.click();
    await page
      .locator('.drawer')
      .getByRole('button', { name: /more of/u })
      .first()
      .waitFor();
    expect(await page.locator('.drawer').textContent()).toContain('<script>document.title=2</script>');
    expect(await page.locator('.drawer img, .drawer script, .message img').count()).toBe(0);
    expect(await page.title()).toBe('Patchbay');
    expect(await page.evaluate("document.querySelector('.app').textContent.length")).toBeLessThan(1_000_000);
    await page.context().close();
  });

  it.skipIf(skips)('no page has logged an error', () => {
    expect(rig.faults).toEqual([]);
  });
});
