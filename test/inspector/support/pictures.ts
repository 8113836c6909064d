// The pictures of the guides, taken of the page as it is. PICTURES=1 takes them; the page itself is judged by the other tests.
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { noBrowser } from './browser.ts';
import { prompt } from './rig.ts';

const folder = fileURLToPath(new URL('../../../docs/pictures/', import.meta.url));

/** Why no pictures are taken; null: they are. */
export const noPictures = process.env.PICTURES !== '1' ? 'PICTURES is not 1' : noBrowser;

/** A page beside a text. */
export const small = { viewport: { width: 1320, height: 600 } };

export async function take(page: Page, name: string): Promise<void> {
  await page.evaluate('document.activeElement.blur()');
  await page.mouse.move(0, 0);
  await page.evaluate('document.fonts.ready.then(() => null)');
  const picture = await page.screenshot({ animations: 'disabled', caret: 'hide' });
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}${name}.png`, picture);
}

/** Says something, and waits for what it leads to. */
export async function told(page: Page, text: string, until: string): Promise<void> {
  await prompt(page, text);
  await page.locator(until).last().waitFor();
}
