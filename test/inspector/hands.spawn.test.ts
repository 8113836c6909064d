// The page in the hands of people: without a mouse, on a phone, with less motion; after a restart, and with losses that are told.
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { findings } from './support/axe.ts';
import { closeBrowser, noBrowser, openPage } from './support/browser.ts';
import { prompt, type Rig, startRig } from './support/rig.ts';

const journal = mkdtempSync(join(tmpdir(), 'patchbay-hands-'));
const words = ['--agent', 'demo', '--journal', journal];
let rig: Rig;

beforeAll(async () => {
  if (noBrowser === null) rig = await startRig(words);
});
afterAll(async () => {
  await closeBrowser();
  await rig?.close();
  rmSync(journal, { recursive: true, force: true });
});

/** Presses Tab until that button has the focus. */
async function tabTo(page: Page, name: string): Promise<void> {
  const named = 'document.activeElement.ariaLabel ?? document.activeElement.textContent';
  for (let presses = 0; presses < 80; presses += 1) {
    await page.keyboard.press('Tab');
    if ((await page.evaluate(named)) === name) return;
  }
  throw new Error(`no way to ${name}`);
}

/** Text of the conversation. */
const spoken = (page: Page, text: string) => page.getByRole('log', { name: 'Messages' }).getByText(text);

const chosen = (page: Page) => page.locator('#grid').getAttribute('aria-activedescendant');

describe(`the page in people's hands${noBrowser === null ? '' : ` (skipped: ${noBrowser})`}`, () => {
  it.skipIf(noBrowser !== null)('does everything without a mouse', async () => {
    const page = await openPage();
    await page.goto(rig.url);
    await page.getByLabel('Token of the gateway').waitFor();
    await page.keyboard.type(rig.token);
    await page.keyboard.press('Enter');
    await page.locator('.app').waitFor();
    await tabTo(page, 'New session with demo');
    await page.keyboard.press('Enter');
    await page.getByRole('textbox', { name: 'Prompt' }).waitFor();

    for (const [key, outcome] of [
      ['a', 'write_note allowed'],
      ['d', 'write_note denied'],
    ] as const) {
      await page.keyboard.press('i');
      await page.keyboard.type('ask');
      await page.keyboard.press('Enter');
      await page.locator('[data-question]').waitFor();
      await page.keyboard.press('Escape');
      await page.keyboard.press('q');
      await page.keyboard.press(key);
      await page.getByText(outcome).waitFor();
      await page.getByRole('button', { name: 'Send' }).waitFor();
    }

    // What is typed right behind the key for the search is in the search.
    await page.keyboard.type('/run-end');
    expect(await page.getByRole('searchbox').inputValue()).toBe('run-end');
    await expect.poll(() => page.locator('.rows .line').count()).toBe(2);
    await page.keyboard.press('Escape');
    await page.keyboard.press('G');
    expect(await chosen(page)).toBe('row-1');
    await page.keyboard.press('Enter');
    await page.getByRole('complementary', { name: 'Chosen row' }).waitFor();
    await page.keyboard.press('Escape');
    await page.locator('.drawer').waitFor({ state: 'detached' });
    await page.context().close();
  });

  it.skipIf(noBrowser !== null)('aborts at the second Escape, unless another key came between', async () => {
    const page = await rig.newSession();
    // In one step of the browser: no time passes between the keys.
    const press = (keys: string) =>
      page.evaluate(`for (const key of ${JSON.stringify(keys.split(' '))})
        document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }))`);
    await prompt(page, 'ask');
    await page.locator('[data-question]').waitFor();
    await press('Escape q Escape q');
    await page.keyboard.press('d');
    await page.getByText('write_note denied').waitFor();
    await page.getByRole('button', { name: 'Send' }).waitFor();
    await prompt(page, 'ask');
    await page.locator('[data-question]').waitFor();
    await press('Escape Escape');
    await page.getByText('write_note cancelled').waitFor();
    await page.context().close();
  });

  it.skipIf(noBrowser !== null)('takes the key that comes right behind a dialog', async () => {
    const page = await rig.newSession();
    await prompt(page, 'hello');
    // The wire has come: no row comes between others any more.
    await page.locator('.rows .c-dialect', { hasText: 'result › success' }).waitFor();
    await page.evaluate('document.activeElement.blur()');
    await page.keyboard.press('g');
    expect(await chosen(page)).toBe('row-0');
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    // In one step of the browser: it has drawn nothing and told nobody that the dialog has closed.
    await page.evaluate(`{
      const dialog = document.querySelector('dialog');
      dialog.querySelector('input').focus();
      dialog.close();
      document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 'j', bubbles: true }));
    }`);
    await expect.poll(() => chosen(page)).toBe('row-1');
    await page.locator('dialog').waitFor({ state: 'detached' });
    await page.context().close();
  });

  it.skipIf(noBrowser !== null)('has targets for fingers on a phone, and nothing beyond its edge', async () => {
    const page = await rig.newSession({ viewport: { width: 390, height: 844 }, hasTouch: true });
    await prompt(page, 'think tool ask');
    await page.locator('[data-question]').waitFor();
    const small = `[...document.querySelectorAll('button, select, textarea, summary, label.file, label.choice, input')].filter((each) => {
      const { width, height } = each.getBoundingClientRect();
      const isRow = each.closest('.rows, .hidden, label.file, label.choice') !== null && each.tagName !== 'LABEL';
      return !isRow && width > 0 && Math.min(width, height) < 44;
    }).map((each) => each.outerHTML.slice(0, 120))`;
    for (const pane of ['Sessions', 'Wire', 'Conversation']) {
      await page.getByRole('button', { name: pane, exact: true }).click();
      expect(await page.evaluate(small), pane).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth'), pane).toBeLessThanOrEqual(390);
      expect(await findings(page)).toEqual([]);
    }
    await page.context().close();
  });

  it.skipIf(noBrowser !== null)('moves nothing for those who ask for less motion', async () => {
    const page = await rig.newSession({ reducedMotion: 'no-preference' });
    await prompt(page, 'slow 100 think');
    await page.locator('.pulse').waitFor();
    const motion = () => page.evaluate("getComputedStyle(document.querySelector('.pulse')).animationName");
    expect(await motion()).toBe('pulse');
    await page.emulateMedia({ reducedMotion: 'reduce' });
    expect(await motion()).toBe('none');

    // A row that has grown slowly was told in parts, and has the frame of each of its deltas.
    await page.getByRole('button', { name: 'Send' }).waitFor();
    const row = page.locator('.rows .line', { hasText: /\d deltas/u }).first();
    const cell = (column: string) => row.locator(`.c-${column}`).innerText();
    const counted = async () => [
      Number.parseInt(await cell('canonical'), 10),
      Number.parseInt(await cell('dialect'), 10),
    ];
    await expect.poll(async () => new Set(await counted()).size).toBe(1);
    await page.context().close();
  });

  it.skipIf(noBrowser !== null)('tells what did not cross to a client that reads too', async () => {
    const session = await rig.createSession();
    const address = `${rig.url.replace('http', 'ws')}/v1/pi-legacy/ws?session=${session}`;
    const client = new WebSocket(address, [`bearer.${rig.token}`]);
    await once(client, 'open');
    const page = await rig.loggedIn({}, `#s=${session}`);
    // Only the page's own socket tells.
    await page.route('**/wire*', (route) => route.abort());
    await page.route('**/wire/losses*', (route) => route.abort());
    await prompt(page, 'unknown');
    const losses = page.getByRole('button', { name: /^\d+ loss(?:es)?$/u });
    await losses.waitFor();
    await losses.click();
    await page.locator('.rows .chip.loss').first().click();
    await page
      .getByRole('dialog', { name: 'Rule' })
      .getByText(/^Lost: what the client/u)
      .waitFor();
    await page.keyboard.press('Escape');
    // The key for the next mark leads there too.
    await losses.click();
    await page.keyboard.press('g');
    await page.keyboard.press('l');
    await expect.poll(() => page.locator('.rows .line[aria-selected="true"] .chip.loss').count()).toBeGreaterThan(0);
    await page.locator('.minimap .loss').first().waitFor();
    client.close();
    await page.context().close();
  });

  it.skipIf(noBrowser !== null)(
    'shows a page that comes late what the first one saw, each delta with its frame',
    async () => {
      const page = await rig.newSession();
      await prompt(page, 'think tool');
      await page.locator('.rows .line', { hasText: 'run-end completed' }).waitFor();
      await page.locator('.rows .c-dialect', { hasText: 'result › success' }).waitFor();
      const rows = async (of: Page) => {
        await of.getByRole('button', { name: 'fold' }).click();
        await of.getByRole('combobox', { name: 'Kind of event' }).selectOption('Messages');
        await of.getByRole('searchbox').fill('delta');
        const read =
          "[...document.querySelectorAll('.rows .line')].map((line) => line.querySelector('.seq').textContent + ' ' + line.querySelector('.c-canonical').textContent)";
        return () => of.evaluate(read);
      };
      const late = await rig.loggedIn({}, new URL(page.url()).hash);
      const [first, second] = [await rows(page), await rows(late)];
      await expect.poll(async () => (await first()) as string[]).not.toEqual([]);
      await expect.poll(second).toEqual(await first());
      for (const each of [page, late]) await each.context().close();
    },
  );

  it.skipIf(noBrowser !== null)('shows which session is chosen, however many there are', async () => {
    for (let count = 0; count < 12; count += 1) await rig.createSession();
    const page = await rig.loggedIn({ viewport: { width: 1320, height: 500 } }, `#s=${await rig.createSession()}`);
    const hidden = `{
      const chosen = document.querySelector('.session[aria-current="true"]')?.getBoundingClientRect().bottom ?? 9999;
      chosen - document.querySelector('.side footer').getBoundingClientRect().top
    }`;
    // A row of text is cut at whole pixels.
    await expect.poll(() => page.evaluate(hidden)).toBeLessThan(1);
    await page.context().close();
  });

  it.skipIf(noBrowser !== null)('changes the mode', async () => {
    const page = await rig.newSession();
    await prompt(page, 'hello');
    await spoken(page, 'You said: hello').waitFor();
    await page.getByLabel('Mode', { exact: true }).selectOption('bypassPermissions');
    await expect.poll(() => page.getByLabel('Mode', { exact: true }).inputValue()).toBe('bypassPermissions');
    await page.getByRole('button', { name: 'Send' }).waitFor();
    await prompt(page, 'ask');
    await page.locator('.tool.done').waitFor();
    await page.context().close();
  });

  it.skipIf(noBrowser !== null)('lists what was kept over a restart, and opens it again', async () => {
    const page = await rig.newSession();
    await prompt(page, 'words that stay');
    await spoken(page, 'You said: words that stay').waitFor();
    await page.getByRole('button', { name: 'Send' }).waitFor();
    await page.context().close();
    await rig.close();
    rig = await startRig(words);
    const after = await rig.loggedIn();
    const session = new URLSearchParams(new URL(page.url()).hash.slice(1)).get('s') ?? '';
    const kept = after.getByRole('list', { name: 'Kept sessions' });
    await kept.waitFor();
    // However many they are, they push nothing out of sight.
    const topOf = async (place: Locator) => (await place.boundingBox())?.y ?? Number.NaN;
    const button = after.getByRole('button', { name: 'New session with demo' });
    expect(await topOf(button)).toBeLessThan(await topOf(kept));
    const entry = kept.locator(`[title="${session}"]`);
    expect(await entry.innerText()).toContain('words that stay');
    await entry.click();
    await spoken(after, 'You said: words that stay').waitFor();
    await kept.locator(`[title="${session}"]`).waitFor({ state: 'detached' });
    expect(await findings(after)).toEqual([]);
    await prompt(after, 'and go on');
    await spoken(after, 'You said: and go on').waitFor();
    // Commands have the clock of the session, which was long before this gateway began.
    await after.locator('.rows .line', { hasText: '← prompt' }).last().waitFor();
    const read = "[...document.querySelectorAll('.rows .line .time')].map((each) => Number(each.textContent))";
    // The first row is the state of now.
    const [, ...times] = (await after.evaluate(read)) as number[];
    expect(times).toEqual([...times].sort((one, other) => one - other));
    await after.context().close();
  });

  it.skipIf(noBrowser !== null)('has logged no error', () => {
    expect(rig.faults).toEqual([]);
  });
});
