// The pictures of the guides, taken of the page as it is. PICTURES=1 takes them; the page itself is judged by the other tests.
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { closeBrowser, noBrowser } from './support/browser.ts';
import { prompt, type Rig, startRig } from './support/rig.ts';

const folder = fileURLToPath(new URL('../../docs/pictures/', import.meta.url));
const skipped = process.env.PICTURES !== '1' ? 'PICTURES is not 1' : noBrowser;

let rig: Rig;
beforeAll(async () => {
  if (skipped === null) rig = await startRig();
});
afterAll(async () => {
  await closeBrowser();
  await rig?.close();
});

async function take(page: Page, name: string): Promise<void> {
  await page.evaluate('document.fonts.ready.then(() => null)');
  const picture = await page.screenshot({ animations: 'disabled', caret: 'hide' });
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}${name}.png`, picture);
}

async function told(page: Page, text: string, until: string): Promise<void> {
  await prompt(page, text);
  await page.locator(until).last().waitFor();
}

describe(`pictures${skipped === null ? '' : ` (skipped: ${skipped})`}`, () => {
  it.skipIf(skipped !== null)('the inspector in dark and light, an approval, a phone', async () => {
    const page = await rig.newSession({ viewport: { width: 1440, height: 860 }, deviceScaleFactor: 2 });
    await told(page, 'think tool', '.tool.done');
    await told(page, 'edit', '.diff');
    await page.getByRole('button', { name: 'Send' }).waitFor();
    await page.getByLabel('Add a column').selectOption('claude');
    await page.locator('.rows .c-dialect', { hasText: 'stream_event' }).first().waitFor();
    await take(page, 'inspector');
    await page.locator('.rows .line.k-tool').first().click();
    await page.emulateMedia({ colorScheme: 'light' });
    await page.locator('.drawer').waitFor();
    await take(page, 'wire');
    await page.keyboard.press('Escape');
    await told(page, 'ask', '[data-question]');
    await take(page, 'approval');
    await page.setViewportSize({ width: 390, height: 844 });
    await page.emulateMedia({ colorScheme: 'dark' });
    await take(page, 'phone');
    await page.context().close();
  });
});
