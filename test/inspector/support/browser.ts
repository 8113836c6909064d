// One Chromium for the tests of pages: the inspector and the report of conformance. Where there is none, they are skipped, with the
// reason.
import { existsSync } from 'node:fs';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

const executablePath = '/usr/bin/chromium';

/** Why the tests of the page are skipped; null: they run. */
export const noBrowser = existsSync(executablePath) ? null : `there is no ${executablePath}`;

const args = [
  '--no-sandbox',
  '--disable-dev-shm-usage',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--font-render-hinting=none',
  '--disable-lcd-text',
  '--force-color-profile=srgb',
  '--hide-scrollbars',
];

let browser: Promise<Browser> | null = null;

/** A page of its own, with nothing of the pages before. Fails the test on errors of the page itself. */
export async function openPage(options: BrowserContextOptions = {}): Promise<Page> {
  browser ??= chromium.launch({ executablePath, args });
  const context = await (await browser).newContext({
    viewport: { width: 1440, height: 900 },
    locale: 'en-GB',
    timezoneId: 'UTC',
    colorScheme: 'dark',
    reducedMotion: 'reduce',
    ...options,
  });
  // As long as a program may take to start on a busy machine.
  context.setDefaultTimeout(60_000);
  return context.newPage();
}

export async function closeBrowser(): Promise<void> {
  await (await browser)?.close();
  browser = null;
}
