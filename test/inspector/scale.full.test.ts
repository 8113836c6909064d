// A hundred thousand events on the page: the screen does not wait, and the document stays as small as with a thousand.
import type { CDPSession, Page } from 'playwright-core';
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

/** Counts the frames of the screen and the long tasks from now on. */
const observe = `
  globalThis.gaps = []; globalThis.longest = 0;
  let last = performance.now();
  const step = (now) => { gaps.push(now - last); last = now; requestAnimationFrame(step); };
  requestAnimationFrame(step);
  new PerformanceObserver((list) => { for (const { duration } of list.getEntries()) longest = Math.max(longest, duration); }).observe({ type: 'longtask' });
`;

async function measured(cdp: CDPSession): Promise<{ readonly nodes: number; readonly heap: number }> {
  await cdp.send('HeapProfiler.collectGarbage');
  const { metrics } = await cdp.send('Performance.getMetrics');
  const of = (name: string) => metrics.find((metric) => metric.name === name)?.value ?? 0;
  return { nodes: of('Nodes'), heap: of('JSHeapUsedSize') };
}

async function streamed(page: Page, deltas: number): Promise<void> {
  await prompt(page, `long ${deltas}`);
  await page.getByRole('button', { name: 'Abort' }).waitFor();
  await page.getByRole('button', { name: 'Send' }).waitFor({ timeout: 100_000 });
}

describe(`many events${noBrowser === null ? '' : ` (skipped: ${noBrowser})`}`, () => {
  it.skipIf(noBrowser !== null)(
    'have as many rows in the document as few events; prints how smooth they are',
    async () => {
      const page = await rig.newSession();
      const cdp = await page.context().newCDPSession(page);
      await cdp.send('Performance.enable');
      await page.getByRole('button', { name: 'fold' }).click();
      const rows = () => page.locator('.rows .line').count();
      await streamed(page, 1000);
      const few = { rows: await rows(), ...(await measured(cdp)) };
      await page.evaluate(observe);
      await streamed(page, 50_000);
      await streamed(page, 50_000);
      for (let turn = 0; turn < 60; turn += 1)
        await page.evaluate(
          `document.querySelector('.rows').scrollTop = ${(turn * 40_000) % 2_400_000}; new Promise(requestAnimationFrame)`,
        );
      const inTheMiddle = await rows();
      await page.evaluate(
        `document.querySelector('.rows').scrollTop = 1e9; new Promise((done) => setTimeout(done, 500))`,
      );
      const many = { rows: await rows(), ...(await measured(cdp)) };
      const { gaps, longest } = (await page.evaluate('({ gaps: gaps.sort((a, b) => a - b), longest })')) as {
        gaps: number[];
        longest: number;
      };
      const at = (part: number) => Math.round(gaps[Math.floor((gaps.length - 1) * part)] ?? 0);
      const total = await page.locator('#grid').getAttribute('aria-rowcount');
      console.log(
        `${total} rows: frames p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, max ${at(1)} ms; longest task ${Math.round(longest)} ms; heap ${Math.round(few.heap / 1e6)} MB at 1,000, ${Math.round(many.heap / 1e6)} MB now; nodes ${few.nodes}, ${many.nodes}`,
      );
      expect(Number(total)).toBeGreaterThan(100_000);
      expect(inTheMiddle).toBeLessThan(80);
      expect(many.rows).toBe(few.rows);
      await page.context().close();
    },
  );
});
