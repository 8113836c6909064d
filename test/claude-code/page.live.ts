// The real Claude Code live behind the inspector's page: it thinks, asks, is denied and allowed, asks its user, and is stopped. Then the
// same with its recording.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { type FakeAnthropic, startFakeAnthropic } from '../../src/conformance/model/endpoint.ts';
import { findings } from '../inspector/support/axe.ts';
import { closeBrowser, noBrowser } from '../inspector/support/browser.ts';
import { prompt, type Rig, startRig } from '../inspector/support/rig.ts';
import { type ClaudeHome, claudeCommand, makeClaudeHome } from '../support/claude-code-rig.ts';
import { claudeScenarios } from './scenarios.ts';

const found = inject('claudeCode');

const spoken = (page: Page, text: string) => page.getByRole('log', { name: 'Messages' }).getByText(text);
const idle = (page: Page) => page.getByRole('button', { name: 'Send' }).waitFor();

describe.skipIf('reason' in found || noBrowser !== null)('the page in front of Claude Code', () => {
  let fake: FakeAnthropic;
  let home: ClaudeHome;
  let rig: Rig;
  let tapes: string;
  beforeAll(async () => {
    fake = await startFakeAnthropic({ scenarios: claudeScenarios });
    home = makeClaudeHome({ binary: 'binary' in found ? found.binary : '', baseUrl: fake.url });
    // Only the whole program asks its user.
    const command = claudeCommand(home, { isBare: false });
    const claude = { protocol: 'claude', command, cwd: home.project };
    const config = join(home.dir, 'patchbay.json');
    writeFileSync(config, JSON.stringify({ agents: { claude }, defaultAgent: 'claude' }));
    tapes = join(home.dir, 'tapes');
    rig = await startRig(['--config', config, '--record', tapes]);
  });
  afterAll(async () => {
    await closeBrowser();
    await rig?.close();
    await fake?.close();
    home?.remove();
  });

  /** The whole talk, the same with the program and with its recording. */
  async function talk(page: Page): Promise<void> {
    await prompt(page, '[[cc-tools]] two tools');
    await page.getByText('Thought').first().waitFor();
    await spoken(page, 'Both tools are done.').waitFor();
    await idle(page);

    await prompt(page, '[[cc-write-two]] may I?');
    const card = page.locator('[data-question]');
    await card.getByRole('textbox', { name: 'reason' }).fill('not this one');
    await card.getByRole('button', { name: 'Deny' }).click();
    await spoken(page, 'Bash denied').waitFor();
    await card.getByRole('button', { name: 'Change input' }).click();
    const input = card.getByRole('textbox', { name: 'input of the tool' });
    await input.fill((await input.inputValue()).replace('two > two', 'changed > changed'));
    await card.getByRole('button', { name: 'Allow as changed' }).click();
    await spoken(page, 'Bash allowed').waitFor();
    await spoken(page, 'Both were asked.').waitFor();
    await idle(page);

    // Two questions at once. Of calls that need leave Claude Code asks one after the other (docs/protocols/claude.md 3.12).
    await prompt(page, '[[cc-ask-two]] what do you need?');
    await card.getByRole('group', { name: 'Which colour?' }).getByLabel('Blue').check();
    await card.getByRole('group', { name: 'Which size?' }).getByLabel('Small').check();
    expect(await findings(page)).toEqual([]);
    await card.getByRole('button', { name: 'Answer' }).click();
    await spoken(page, 'Thank you twice.').waitFor();
    const tool = page.locator('.tool', { hasText: 'AskUserQuestion' });
    await tool.locator('summary').click();
    await tool.getByText('"Which colour?"="Blue", "Which size?"="Small"').waitFor();
    await idle(page);

    await prompt(page, '[[abort-text]] and on');
    await page.getByRole('button', { name: 'Abort' }).click();
    await spoken(page, 'run aborted').waitFor();
    await page.locator('.rows .line .c-agent', { hasText: 'stream_event' }).first().waitFor();
    expect(await findings(page)).toEqual([]);
    expect(rig.faults).toEqual([]);
    await page.context().close();
  }

  test('speaks, asks before it writes and what it lacks, and is stopped', { timeout: 120_000 }, async () => {
    await talk(await rig.newSession({}, 'claude'));
    expect(readFileSync(join(home.project, 'changed.txt'), 'utf8')).toBe('changed\n');
    for (const name of ['one.txt', 'two.txt']) expect(existsSync(join(home.project, name)), name).toBe(false);
  });

  test('and so does its recording', { timeout: 120_000 }, async () => {
    // The tape is whole once the gateway has ended.
    await rig.close();
    const [name = ''] = readdirSync(tapes);
    const taped = { protocol: 'replay', file: join(tapes, name), speed: 'max' };
    const config = join(home.dir, 'taped.json');
    writeFileSync(config, JSON.stringify({ agents: { taped } }));
    rig = await startRig(['--config', config]);
    await talk(await rig.newSession({}, 'taped'));
  });
});
