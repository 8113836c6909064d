// The HTML page of a report: that of a usual run has at most 300 KB, and nothing in a page scrolls sideways on a phone,
// whatever the peer said (docs/conformance/README.md, "Reading a report").
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { piAgent } from '../../src/conformance/pi/agent.ts';
import { renderHtml } from '../../src/conformance/report/html.ts';
import { makeReport, type Report } from '../../src/conformance/report/report.ts';
import { runChecks } from '../../src/conformance/runner/runner.ts';
import { without } from '../../src/core/model/dictionary.ts';
import { closeBrowser, noBrowser, openPage } from '../inspector/support/browser.ts';
import { beginnersPi } from './beginners/pi-agent.ts';
import { type Interceptor, intercepting } from './support/intercept.ts';
import { reportOf } from './support/reports.ts';
import { ownMemory } from './support/targets.ts';

const most = 300_000;
const width = 360;

/** A run with the demo agent, as it is or with a fault. */
async function reportOn(fault: Interceptor): Promise<Report> {
  const { target, remove } = ownMemory('pi');
  const results = await runChecks(piAgent, { ...target, through: intercepting(fault) }).finally(remove);
  return makeReport({ set: piAgent, results, target: target.label, startedAt: new Date(0), ms: 0 });
}

const reports = new Map([['a peer whose texts are one long word', reportOf('x'.repeat(5000))]]);
beforeAll(async () => {
  reports.set('a run', await reportOn({}));
  const nameless: Interceptor['out'] = (frame) => [
    frame.type === 'tool_execution_end' ? without(frame, 'toolName') : frame,
  ];
  reports.set('a run with failures', await reportOn({ out: nameless }));
  const script = new Map(['text', 'tool', 'tools', 'endless'].map((word) => [word, word]));
  const target = { label: 'a first try', script, memory: () => beginnersPi(new Set()) };
  const results = await runChecks(piAgent, target, { patienceMs: 300 });
  const first = { set: piAgent, results, target: target.label, startedAt: new Date(0), ms: 0 };
  reports.set("a run with a beginner's agent", makeReport(first));
});
afterAll(closeBrowser);

const report = (name: string): Report => reports.get(name) ?? expect.fail(`there is no ${name}`);

test.each([
  ['a run', 0, 0],
  ['a run with failures', 3, 3],
  ["a run with a beginner's agent", 15, 165],
])('the page of %s has at most 300 KB', (name, fewest, mostBad) => {
  const run = report(name);
  const { failed, unclear } = run.counts.verdicts;
  expect(failed).toBeGreaterThanOrEqual(fewest);
  expect(failed + unclear).toBeLessThanOrEqual(mostBad);
  expect(Buffer.byteLength(renderHtml(run))).toBeLessThanOrEqual(most);
});

/** The parts of the page that are wider than their place, with everything unfolded. */
const tooWide = `(() => {
  for (const one of document.querySelectorAll('details')) one.open = true;
  document.querySelector('#show-all').checked = true;
  const scrolls = (one) => one === document.documentElement || getComputedStyle(one).overflowX !== 'visible';
  return [...document.querySelectorAll('html, body *')]
    .filter((one) => scrolls(one) && one.scrollWidth > one.clientWidth)
    .map((one) => one.localName + ': ' + one.scrollWidth + ' in ' + one.clientWidth);
})()`;

describe(`nothing scrolls sideways at ${width} px, in Chromium${noBrowser === null ? '' : ` (skipped: ${noBrowser})`}`, () => {
  test.skipIf(noBrowser !== null).each(['a run', 'a run with failures', 'a peer whose texts are one long word'])(
    '%s',
    async (name) => {
      const page = await openPage({ viewport: { width, height: 740 } });
      await page.setContent(renderHtml(report(name)));
      expect(await page.evaluate(tooWide)).toEqual([]);
      await page.context().close();
    },
  );
});
