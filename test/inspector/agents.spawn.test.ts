// The page in front of agents that are not the demo: the real pi with a fake model, and recordings of Claude Code and ECA.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FakeAnthropic, startFakeAnthropic } from '../../src/conformance/model/endpoint.ts';
import { extension } from '../support/approval-rig.ts';
import { makePiHome, type PiHome, piCommand } from '../support/pi-rig.ts';
import { findings } from './support/axe.ts';
import { closeBrowser, noBrowser } from './support/browser.ts';
import { cuttable, give, prompt, type Rig, startRig } from './support/rig.ts';

const corpus = resolve(process.env.PATCHBAY_CORPUS ?? '../shared/corpus');
const claudeTape = (name: string) => join(corpus, `claude-sdk/cli-2.1.329/${name}.jsonl`);
const tapes = {
  'claude-code': claudeTape('perm-allow'),
  'claude-deny': claudeTape('perm-deny'),
  'claude-think': claudeTape('thinking-text'),
  'claude-stop': claudeTape('interrupt-stream'),
  eca: join(corpus, 'eca/eca-server-0.155.1.turns.jsonl'),
};
const hasTapes = Object.values(tapes).every(existsSync);

const asking = fileURLToPath(new URL('../conformance/support/asking-extension.ts', import.meta.url));
const scriptedClaude = new URL('../support/scripted-claude.mjs', import.meta.url);
const scriptedAcp = new URL('../support/scripted-acp.mjs', import.meta.url);

let fake: FakeAnthropic;
let home: PiHome;
let rig: Rig;
const folder = mkdtempSync(join(tmpdir(), 'patchbay-agents-'));

beforeAll(async () => {
  if (noBrowser !== null) return;
  fake = await startFakeAnthropic();
  home = makePiHome({ baseUrl: fake.url });
  const { argv, env } = piCommand(home, ['-e', extension, '-e', asking]);
  const taped = Object.fromEntries(
    Object.entries(tapes).map(([name, file]) => [name, { protocol: 'replay', file, speed: 'max' }]),
  );
  const pi = { protocol: 'pi', command: argv, cwd: home.project, env };
  const config = join(folder, 'patchbay.json');
  const claude = { protocol: 'claude', command: [process.execPath, fileURLToPath(scriptedClaude)] };
  const acp = { protocol: 'acp', command: [process.execPath, fileURLToPath(scriptedAcp)] };
  const tape = join(folder, 'long.jsonl');
  writeFileSync(tape, longTape());
  const long = { protocol: 'replay', file: tape, speed: 'max' };
  const questions = join(folder, 'questions.jsonl');
  writeFileSync(questions, questionTape());
  const asks = { protocol: 'replay', file: questions, speed: 'max' };
  const gone = { protocol: 'pi', command: [process.execPath, '-e', 'process.exit(3)'] };
  const agents = { pi, claude, acp, long, asks, gone, ...(hasTapes ? taped : {}) };
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

/** A tape in the format of Claude Code, on which the agent asks its user twice: the fixture, with what a client says before its lines go on. */
function questionTape(): string {
  const fixture = new URL('../../fixtures/scenarios/dialog/claude.jsonl', import.meta.url);
  const lines = readFileSync(fixture, 'utf8').trimEnd().split('\n');
  const row = (dir: 'in' | 'out', line: string) => `${JSON.stringify({ dir, line })}\n`;
  const said = (message: object) => row('in', JSON.stringify(message));
  const rows = lines.map((line) => {
    const { type, request_id: request } = JSON.parse(line) as { type: string; request_id?: string };
    if (type !== 'control_cancel_request') return row('out', line);
    const answer = { behavior: 'allow', updatedInput: { questions: [], answers: {} } };
    const response = { subtype: 'success', request_id: request, response: answer };
    // Only a gateway takes a question back that was answered.
    return said({ type: 'control_response', response });
  });
  const prompt = said({ type: 'user', message: { role: 'user', content: 'Choose a colour with me.' } });
  return `{"dir":"meta","v":1,"protocol":"claude"}\n${prompt}${rows.join('')}`;
}

/** Text of the conversation. */
const spoken = (page: Page, text: string) => page.getByRole('log', { name: 'Messages' }).getByText(text);

const idle = (page: Page) => page.getByRole('button', { name: 'Send' }).waitFor();

/** A new session on a page that shows another one. */
async function goTo(page: Page, agent: string): Promise<void> {
  await page.getByRole('button', { name: `New session with ${agent}`, exact: true }).click();
  await page.getByText('Nothing was said yet.').waitFor();
}

/** A page with a session, and how its connection is cut and comes back. */
async function cuttableSession(agent: string): Promise<{ readonly page: Page; readonly recut: () => Promise<void> }> {
  const page = await rig.loggedIn();
  const cut = await cuttable(page);
  await goTo(page, agent);
  const recut = async () => {
    await cut(true);
    await page.locator('.banner', { hasText: 'The connection was cut' }).waitFor();
    await cut(false);
    // The page may be back by itself before the button is clicked.
    await page.evaluate("document.querySelector('.banner button')?.click()");
    await page.locator('.banner').waitFor({ state: 'detached' });
  };
  return { page, recut };
}

/** Drops a tape on the page, which plays it, with at least so many runs: what a prompt alone has begun is none where nobody prompts. */
async function dropped(page: Page, data: Buffer, runs: number): Promise<void> {
  await page.getByLabel('Speed of tapes').selectOption('no pauses');
  await give(page, 'drop', '.main', { name: 't.jsonl', type: 'application/x-ndjson', data });
  await page.getByRole('button', { name: 'Close tape' }).waitFor();
  await page.getByRole('searchbox').fill('"type":"run-end"');
  await expect.poll(() => page.locator('.rows .line').count()).toBeGreaterThanOrEqual(runs);
  await page.getByRole('button', { name: 'Close tape' }).click();
}

const skips = noBrowser !== null;
const why = noBrowser === null ? '' : ` (skipped: ${noBrowser})`;

describe(`the page in front of other agents${why}`, () => {
  it.skipIf(skips)(
    'the real pi: thinks, asks, is denied and allowed a changed call, is steered, cut off, stopped, and goes back',
    async () => {
      const { page, recut } = await cuttableSession('pi');
      await prompt(page, '[[think]]');
      await page.getByText('Thought').first().waitFor();
      await spoken(page, 'The answer is 42.').waitFor();

      await idle(page);
      await prompt(page, '[[tools]]');
      await page.getByRole('button', { name: 'Change input' }).click();
      await page.getByRole('textbox', { name: 'input of the tool' }).fill('{"command":"echo other words"}');
      await page.getByRole('button', { name: 'Allow as changed' }).click();
      await page.getByText('bash allowed').waitFor();
      const question = page.getByRole('region', { name: 'Approval of read' });
      await question.getByRole('textbox', { name: 'reason' }).fill('not now');
      await question.getByRole('button', { name: 'Deny', exact: true }).click();
      await page.getByText('read denied').waitFor();
      await spoken(page, 'Both tools are done.').waitFor();
      expect(await page.locator('.tool.failed, .tool.skipped').count()).toBe(1);
      await page.locator('.tool.done summary').click();
      await page.locator('.tool.done').getByRole('region', { name: 'result' }).getByText('other words').waitFor();
      expect(await findings(page)).toEqual([]);

      await idle(page);
      // While the question is open, so is the run.
      await prompt(page, '[[tools]] again');
      await page.getByRole('region', { name: 'Approval of bash' }).waitFor();
      await prompt(page, '[[text]] steered');
      // Behind the steer on the same connection.
      await page.getByRole('button', { name: 'Allow', exact: true }).click();
      await spoken(page, '[[text]] steered').waitFor();
      await spoken(page, 'This is plain text.').waitFor();

      await idle(page);
      await page.getByLabel('Thinking').selectOption('high');
      await expect.poll(() => page.getByLabel('Thinking').inputValue()).toBe('high');
      await prompt(page, '[[hold]]');
      await spoken(page, 'This never ends.').waitFor();
      await recut();
      expect(await spoken(page, 'This never ends.').count()).toBe(1);
      await page.getByRole('button', { name: 'Abort' }).click();
      await page.getByText('run aborted').waitFor();

      await page.locator('.rows .c-dialect', { hasText: 'result' }).first().waitFor();
      await page.getByRole('searchbox').fill('run-start');
      await expect.poll(() => page.locator('.rows .line .c-agent').first().textContent()).toContain('agent_start');
      await page.getByRole('searchbox').fill('');

      await page.getByRole('button', { name: 'Fork' }).click();
      await page.getByRole('button', { name: 'before “[[tools]]”' }).click();
      await page.getByText('history forked').waitFor();
      expect(await spoken(page, 'Both tools are done.').count()).toBe(0);

      for (const [kind, answer, told] of [
        ['select', (card) => card.getByRole('button', { name: 'green' }).click(), '"green"'],
        ['confirm', (card) => card.getByRole('button', { name: 'No' }).click(), 'false'],
        ['input', (card) => card.getByRole('textbox').fill('Ada'), '"Ada"'],
        ['editor', (card) => card.getByRole('textbox').fill('two\nlines'), '"two\\nlines"'],
      ] as readonly (readonly [kind: string, answer: (card: Locator) => Promise<void>, told: string])[]) {
        await prompt(page, `/ask ${kind}`);
        const card = page.locator('[data-question]');
        await answer(card);
        if (told !== 'false' && kind !== 'select') await card.getByRole('button', { name: 'Answer' }).click();
        await spoken(page, `the answer is ${told}`).waitFor();
      }
      const download = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Save tape' }).click();
      await dropped(page, readFileSync(await (await download).path()), 4);
      await page.context().close();
    },
    // Several runs of a real program: 119 s at a load of 25 on two processors.
    300_000,
  );

  it.skipIf(skips)(
    'an agent of the Claude format: its question is answered by a choice, and Enter is a follow-up while it works',
    async () => {
      const page = await rig.newSession({}, 'claude');
      await prompt(page, 'question');
      await page.locator('[data-question]').getByRole('button', { name: 'Right' }).waitFor();
      expect(await findings(page)).toEqual([]);
      await prompt(page, 'then look');
      await page.locator('[data-question]').getByRole('button', { name: 'Right' }).click();
      await spoken(page, 'You chose Right.').waitFor();
      await spoken(page, 'There are three cables.').waitFor();

      await goTo(page, 'gone');
      await prompt(page, 'words to keep');
      await page.locator('.prompt .problem').waitFor();
      await expect.poll(() => page.getByRole('textbox', { name: 'Prompt' }).inputValue()).toBe('words to keep');
      await page.context().close();
    },
  );

  it.skipIf(skips)('an ACP agent: two questions that are open at once are answered in any order', async () => {
    const page = await rig.newSession({}, 'acp');
    const names = { approval: 'Approval of look', dialog: 'Question: Which colour?' };
    const inFocus = () => expect.poll(() => page.evaluate('document.activeElement.ariaLabel'));
    const approval = page.getByRole('region', { name: names.approval });
    const dialog = page.getByRole('region', { name: names.dialog });
    const answers = {
      approval: async () => {
        await approval.press('a');
        await approval.waitFor({ state: 'detached' });
      },
      dialog: async () => {
        await dialog.getByRole('button', { name: 'blue' }).click();
        await dialog.waitFor({ state: 'detached' });
      },
    };
    for (const [count, order] of [['dialog', 'approval'] as const, ['approval', 'dialog'] as const].entries()) {
      await prompt(page, 'ask at once');
      await page.getByText('2 waiting').waitFor();
      await page.getByRole('textbox', { name: 'Prompt' }).press('Escape');
      for (const card of ['approval', 'dialog', 'approval'] as const) {
        await page.keyboard.press('q');
        await inFocus().toBe(names[card]);
      }
      const [first, second] = order;
      await answers[first]();
      await page.getByText('1 waiting').waitFor();
      await page.keyboard.press('q');
      await inFocus().toBe(names[second]);
      await answers[second]();
      await expect.poll(() => spoken(page, 'Both are answered.').count()).toBe(count + 1);
      expect(await spoken(page, 'It is blue.').count()).toBe(count + 1);
      await page.getByRole('button', { name: 'Send' }).waitFor();
    }
    await page.context().close();
  });

  it.skipIf(skips)('a recording in the format of Claude Code: each question that it asks is answered', async () => {
    const page = await rig.newSession({}, 'asks');
    await prompt(page, 'Choose a colour with me.');
    const card = page.locator('[data-question]');
    await card.getByRole('button', { name: 'green' }).click();
    await card.getByRole('button', { name: 'No', exact: true }).click();
    await spoken(page, 'Red it may be.').waitFor();
    await page.getByRole('searchbox').fill('updatedinput');
    const answers = page.locator('.rows .line .c-agent', { hasText: 'control_response' });
    await expect.poll(() => answers.count()).toBe(2);
    await page.context().close();
  });

  // In these tapes nobody asks its user: test/claude-code/page.live.ts has such a one, of the real Claude Code. It takes no steering,
  // and has no fork on its wire.
  it.skipIf(skips || !hasTapes)(
    'recordings of Claude Code: think, ask, are allowed as asked and as changed, denied, cut off and stopped, and play where they are dropped',
    async () => {
      const { page, recut } = await cuttableSession('claude-code');
      await prompt(page, 'go');
      await page.getByRole('button', { name: 'Allow', exact: true }).waitFor();
      expect(await page.getByRole('button', { name: 'Steer' }).isDisabled()).toBe(true);
      await page.getByRole('button', { name: 'Allow', exact: true }).click();
      await page.locator('.tool.done').first().waitFor();
      await page.locator('.rows .line', { hasText: 'run-end completed' }).waitFor();
      await page.locator('.rows .line .c-agent', { hasText: 'stream_event' }).first().waitFor();
      expect(await findings(page)).toEqual([]);

      await goTo(page, 'claude-code');
      await prompt(page, 'go');
      await page.getByRole('button', { name: 'Change input' }).click();
      await page
        .getByRole('textbox', { name: 'input of the tool' })
        .fill('{"command":"touch other","description":"x"}');
      await page.getByRole('button', { name: 'Allow as changed' }).click();
      await page.locator('.tool.done').first().waitFor();
      await page.getByRole('searchbox').fill('touch other');
      await page.locator('.rows .line .c-agent', { hasText: 'control_response' }).waitFor();
      await page.getByRole('searchbox').fill('');

      await goTo(page, 'claude-deny');
      await prompt(page, 'go');
      await page.getByRole('textbox', { name: 'reason' }).fill('User said no');
      await page.getByRole('button', { name: 'Deny', exact: true }).click();
      await page.locator('.tool.failed, .tool.skipped').first().waitFor();
      await idle(page);

      await goTo(page, 'claude-think');
      await prompt(page, 'q');
      await page.getByText('Thought').first().waitFor();
      await idle(page);

      await goTo(page, 'claude-stop');
      await prompt(page, 'go');
      await page.locator('.message.assistant .prose').first().waitFor();
      await recut();
      await page.getByRole('button', { name: 'Abort' }).click();
      await page.getByText('run aborted').waitFor();
      await prompt(page, 'again');
      await idle(page);
      await dropped(page, readFileSync(tapes['claude-stop']), 2);
      await page.context().close();
    },
  );

  // An ECA server has no dialogs, no changed inputs and no forks.
  it.skipIf(skips || !hasTapes)(
    'a recording of an ECA server: speaks, thinks, asks, is allowed and denied, cut off and stopped, and plays where it is dropped',
    async () => {
      const { page, recut } = await cuttableSession('eca');
      await prompt(page, 'hello');
      await page.locator('.message.assistant').first().waitFor();
      await idle(page);
      await prompt(page, 'thinkplease');
      await page.getByText('Thought').first().waitFor();
      await idle(page);
      await prompt(page, 'toolplease');
      await page.getByRole('button', { name: 'Allow', exact: true }).click();
      await page.locator('.tool.done').first().waitFor();
      await idle(page);
      await prompt(page, 'toolplease again');
      await page.getByRole('button', { name: 'Deny', exact: true }).click();
      await page.locator('.tool.failed, .tool.skipped').first().waitFor();
      await idle(page);
      await prompt(page, 'slowplease');
      await page.getByRole('button', { name: 'Abort' }).waitFor();
      await recut();
      await page.getByRole('button', { name: 'Abort' }).click();
      await page.getByText('run aborted').waitFor();
      await page.locator('.rows .line .c-agent', { hasText: 'chat/contentReceived' }).first().waitFor();
      expect(await findings(page)).toEqual([]);
      await dropped(page, readFileSync(tapes.eca), 5);
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
