// A hundred thousand events on the page: the screen does not wait, and the document stays as small as with a thousand.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeBrowser, noBrowser, openPage } from './support/browser.ts';
import { prompt, type Rig, startRig } from './support/rig.ts';

let rig: Rig;
beforeAll(async () => {
  if (noBrowser === null) rig = await startRig();
});
afterAll(async () => {
  await closeBrowser();
  await rig?.close();
});

/** Counts the frames of the screen and the long tasks from now on. */
const observe = `
  globalThis.gaps = []; globalThis.longest = 0;
  let last = performance.now();
  const step = (now) => { gaps.push(now - last); last = now; requestAnimationFrame(step); };
  requestAnimationFrame(step);
  new PerformanceObserver((list) => { for (const { duration } of list.getEntries()) longest = Math.max(longest, duration); }).observe({ type: 'longtask' });
`;

interface Smoothness {
  readonly p50: number;
  readonly p95: number;
  readonly max: number;
  readonly longest: number;
}

/** How smooth the page was since it is observed; ms. */
async function smoothness(page: Page): Promise<Smoothness> {
  const { gaps, longest } = (await page.evaluate('({ gaps: gaps.sort((a, b) => a - b), longest })')) as {
    gaps: number[];
    longest: number;
  };
  const at = (part: number) => Math.round(gaps[Math.floor((gaps.length - 1) * part)] ?? 0);
  return { p50: at(0.5), p95: at(0.95), max: at(1), longest: Math.round(longest) };
}

/** As much text as the wire shows, in a page without anything else, which is other text with each frame of the screen. */
const repaint = `
  const lines = Array.from({ length: 37 }, () => document.body.appendChild(document.createElement('pre')));
  let turn = 0;
  const draw = () => {
    for (const line of lines) line.textContent = ('block-delta ' + turn++ + ' ').repeat(6);
    requestAnimationFrame(draw);
  };
  draw();
`;

/** A page of ours at the same time, empty or repainted: how busy the machine is, and what drawing alone takes. */
async function barePage(isRepainted: boolean): Promise<Smoothness> {
  const page = await openPage();
  if (isRepainted) await page.evaluate(repaint);
  await page.evaluate(observe);
  await page.evaluate(
    'new Promise((done) => { const on = () => (gaps.length < 120 ? requestAnimationFrame(on) : done()); on(); })',
  );
  const bare = await smoothness(page);
  await page.context().close();
  return bare;
}

/** What the wire has in the document, and the heap after a collection. */
async function held(page: Page): Promise<{ readonly nodes: number; readonly rows: number; readonly heap: number }> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Performance.enable');
  await cdp.send('HeapProfiler.collectGarbage');
  const { metrics } = await cdp.send('Performance.getMetrics');
  const heap = metrics.find(({ name }) => name === 'JSHeapUsedSize')?.value ?? 0;
  return { nodes: await page.locator('.wire *').count(), rows: await page.locator('.rows .line').count(), heap };
}

/** Deltas of one text: fewer than a window of frames, out of which a page on a busy machine falls (docs/faults.md 2.1). */
const most = 5000;

/** Prompts for texts in so many deltas, and waits until all are rows, and those in view have their frames. */
async function streamed(page: Page, deltas: number): Promise<void> {
  const rows = async () => Number(await page.locator('#grid').getAttribute('aria-rowcount'));
  for (let turn = 0; turn < deltas / most; turn += 1) {
    const before = await rows();
    await prompt(page, `long ${most}`);
    await expect.poll(rows, { timeout: 240_000 }).toBeGreaterThan(before + most);
    await page.getByRole('button', { name: 'Send' }).waitFor();
  }
  await page.locator('.rows .line:last-child .c-dialect', { hasText: 'result' }).waitFor();
}

/** A page with every event as a row of its own, at its end. */
async function unfolded(): Promise<Page> {
  const page = await rig.newSession();
  await page.getByRole('button', { name: 'fold' }).click();
  return page;
}

const text = ({ p50, p95, max, longest }: Smoothness) => `p50 ${p50}, p95 ${p95}, max ${max}, longest task ${longest}`;

describe(`many events${noBrowser === null ? '' : ` (skipped: ${noBrowser})`}`, () => {
  it.skipIf(noBrowser !== null)(
    'have as many nodes in the document as a fifth of them; prints how smooth they are',
    async () => {
      const empty = await barePage(false);
      const repainted = await barePage(true);
      const fewer = await unfolded();
      await streamed(fewer, 20_000);
      const few = await held(fewer);
      await fewer.context().close();

      const page = await unfolded();
      await page.evaluate(observe);
      await streamed(page, 100_000);
      const streaming = await smoothness(page);
      const many = await held(page);
      await page.evaluate('gaps.length = 0; longest = 0');
      for (let turn = 0; turn < 60; turn += 1)
        await page.evaluate(
          `document.querySelector('#grid').scrollTop = ${(turn * 40_000) % 2_400_000}; new Promise(requestAnimationFrame)`,
        );
      const scrolling = await smoothness(page);
      const inTheMiddle = await page.locator('.rows .line').count();
      const total = Number(await page.locator('#grid').getAttribute('aria-rowcount'));
      console.log(
        [
          `frames in ms: an empty page ${text(empty)}`,
          `a page that only repaints as much: ${text(repainted)}`,
          `${total} rows as they come: ${text(streaming)}; ${(streaming.p50 / empty.p50).toFixed(1)} times the empty page`,
          `scrolled: ${text(scrolling)}`,
          `heap ${Math.round(few.heap / 1e6)} MB at 20,000, ${Math.round(many.heap / 1e6)} MB now; nodes ${few.nodes}, ${many.nodes}`,
        ].join('\n'),
      );
      expect(total).toBeGreaterThan(100_000);
      expect(inTheMiddle).toBeLessThan(80);
      expect(many.rows).toBe(few.rows);
      expect(many.nodes).toBe(few.nodes);
      await page.context().close();
    },
    600_000,
  );
});
