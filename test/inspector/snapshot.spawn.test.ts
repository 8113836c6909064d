// The page asks for the wire once it has the whole snapshot. Rows that came between the events of a snapshot stood before
// them, and each event stood there twice.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeBrowser, noBrowser } from './support/browser.ts';
import { prompt, type Rig, startRig } from './support/rig.ts';

let rig: Rig;

beforeAll(async () => {
  if (noBrowser === null) rig = await startRig();
});
afterAll(async () => {
  await closeBrowser();
  await rig?.close();
});

/** Holds back what comes over the page's socket behind the first frame that has these words. */
async function holdBehind(page: Page, words: string): Promise<{ isHeld: Promise<void>; release(): void }> {
  const held: (string | Buffer)[] = [];
  let hold = () => {};
  const isHeld = new Promise<void>((resolve) => {
    hold = resolve;
  });
  let release = () => {};
  await page.routeWebSocket(/\/socket$/u, (route) => {
    let hears = (message: string | Buffer) => {
      route.send(message);
      if (!String(message).includes(words)) return;
      hears = (more) => held.push(more);
      hold();
    };
    release = () => {
      for (const each of held) route.send(each);
      hears = (more) => route.send(more);
    };
    route.connectToServer().onMessage((message) => hears(message));
  });
  return { isHeld, release: () => release() };
}

describe(`a slow snapshot, in Chromium${noBrowser === null ? '' : ` (skipped: ${noBrowser})`}`, () => {
  it.skipIf(noBrowser !== null).each(['snapshot', 'event'])('waits for what is behind its first %s', async (kind) => {
    const session = await rig.createSession();
    const first = await rig.loggedIn({}, `#s=${session}`);
    await prompt(first, 'think tool');
    await first.locator('.rows .c-dialect', { hasText: 'result › success' }).waitFor();

    const page = await rig.loggedIn();
    const asked: string[] = [];
    page.on('request', (request) => request.url().includes('/wire?') && asked.push(request.url()));
    await page.clock.install();
    const { isHeld, release } = await holdBehind(page, `"${kind}":{`);
    await page.goto(`${rig.url}/#s=${session}`);
    await isHeld;
    await page.clock.runFor(2000);
    // Each request of the page has been told by now: requests are told in their order.
    await page.evaluate("fetch('/healthz').then(() => 0)");
    expect(asked).toEqual([]);

    release();
    await page.locator('.rows .line', { hasText: '← prompt' }).waitFor();
    await page.locator('.rows .c-dialect', { hasText: 'result › success' }).waitFor();
    const numbers = await page.locator('.rows .line .seq').allInnerTexts();
    const seqs = numbers.map(Number).filter((seq) => seq > 0);
    expect(seqs).toEqual([...seqs].sort((one, other) => one - other));
    for (const each of [first, page]) await each.context().close();
  });
});
