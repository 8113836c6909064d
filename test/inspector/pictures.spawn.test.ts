// The pictures of the guides that show the page itself; client-pictures.spawn.test.ts has those of clients.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { patchbay } from '../support/command.ts';
import { closeBrowser, openPage } from './support/browser.ts';
import { noPictures, small, take, told } from './support/pictures.ts';
import { type Rig, startRig } from './support/rig.ts';

const piProgram = fileURLToPath(new URL('../../dist/cli/patchbay-pi.js', import.meta.url));

let rig: Rig;
const temporary = mkdtempSync(join(tmpdir(), 'patchbay-pictures-'));
/** A configuration, in a file; its sessions are kept beside the file. */
function configured(settings: object): string {
  const config = join(mkdtempSync(join(temporary, 'gateway-')), 'patchbay.json');
  writeFileSync(config, JSON.stringify({ sessionDirectory: join(temporary, 'sessions'), ...settings }));
  return config;
}
beforeAll(async () => {
  if (noPictures !== null) return;
  const demo = { protocol: 'demo' };
  // The demo agent behind pi's protocol: its frames are on the wire.
  const command = [process.execPath, piProgram, '--mode', 'rpc'];
  const pi = { protocol: 'pi', command, env: { PATCHBAY_AGENT: 'demo' } };
  rig = await startRig(['--config', configured({ agents: { demo, pi }, defaultAgent: 'demo' })]);
});
afterAll(async () => {
  await closeBrowser();
  await rig?.close();
  rmSync(temporary, { recursive: true, force: true });
});

describe(`pictures${noPictures === null ? '' : ` (skipped: ${noPictures})`}`, () => {
  it.skipIf(noPictures !== null)(
    'the inspector in dark, a row in light, a tape with faults, an approval, a phone',
    async () => {
      const page = await rig.newSession({ viewport: { width: 1440, height: 860 }, deviceScaleFactor: 2 }, 'pi');
      const idle = () => page.getByRole('button', { name: 'Send' }).waitFor();
      await told(page, 'think tool', '.tool.done');
      await idle();
      await told(page, 'status subagent', '.rows .line:has-text("run-end completed")');
      await idle();
      await page.locator('.rows .c-dialect', { hasText: 'result › success' }).last().waitFor();
      await page.locator('.minimap i').first().waitFor();
      await take(page, 'inspector');
      await page.emulateMedia({ colorScheme: 'light' });
      await page.keyboard.press('g');
      await page.getByRole('searchbox').fill('tool-start');
      await page.locator('.rows .line').first().click();
      await page.getByRole('searchbox').fill('');
      await page.locator('.drawer').waitFor();
      await page.locator('.drawer').getByRole('heading', { name: 'claude' }).waitFor();
      await page.locator('.rows .line', { hasText: 'tool-start' }).locator('.c-dialect').first().waitFor();
      await take(page, 'wire');
      await page.keyboard.press('Escape');

      const download = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Save tape' }).click();
      const tape = await (await download).path();
      await page.emulateMedia({ colorScheme: 'dark' });
      await page.getByText('Play it with faults').click();
      await page
        .getByRole('textbox', { name: '--fault' })
        .fill('dup @type=tool_execution_start\ndrop @type=message_end');
      await page.getByRole('textbox', { name: '--seed' }).fill('7');
      await page.getByLabel('Open a tape').setInputFiles(tape);
      await page.locator('.rows .line', { hasText: 'run-end completed' }).nth(1).waitFor();
      await page.locator('.rows .c-dialect', { hasText: 'result ›' }).last().waitFor();
      await page.locator('.minimap i').first().waitFor();
      await take(page, 'faults');
      await page.context().close();

      const other = await rig.newSession({
        viewport: { width: 1440, height: 860 },
        deviceScaleFactor: 2,
        colorScheme: 'light',
      });
      await told(other, 'edit', '.diff');
      await other.getByRole('button', { name: 'Send' }).waitFor();
      await told(other, 'ask', '[data-question]');
      await other.locator('.rows .line', { hasText: 'approval-request' }).waitFor();
      await other.locator('.rows .c-dialect', { hasText: 'control_request' }).waitFor();
      await take(other, 'approval');
      await other.setViewportSize({ width: 390, height: 844 });
      await other.emulateMedia({ colorScheme: 'dark' });
      await take(other, 'phone');
      await other.context().close();
    },
  );

  it.skipIf(noPictures !== null)('what a frame changes', async () => {
    const page = await rig.newSession(small, 'pi');
    await told(page, 'think tool', '.rows .line:has-text("run-end completed")');
    await page.locator('.rows .c-dialect', { hasText: 'result › success' }).waitFor();
    await page.locator('.rows .line', { hasText: 'message-end' }).last().click();
    await page.getByRole('button', { name: 'changes' }).click();
    await page.locator('.changes').first().waitFor();
    await take(page, 'changes');
    await page.context().close();
  });

  it.skipIf(noPictures !== null)('sessions that are kept', async () => {
    const words = ['--config', configured({ journal: join(temporary, 'journal') })];
    const before = await startRig(words);
    for (const said of ['think tool', 'edit', 'select']) {
      const page = await before.newSession(small);
      await told(page, said, '.rows .line');
      await page.locator(said === 'select' ? '[data-question]' : '.rows .line:has-text("run-end")').waitFor();
      await page.context().close();
    }
    await before.close();
    const after = await startRig(words);
    const page = await after.loggedIn({ ...small, colorScheme: 'light' });
    await page.getByRole('list', { name: 'Kept sessions' }).getByRole('button').nth(2).click();
    await page.locator('.tool.done').waitFor();
    await page.locator('.session[aria-current="true"]').waitFor();
    await take(page, 'journal');
    await after.close();
  });

  it.skipIf(noPictures !== null)('the report of a check', async () => {
    const [tape, report] = [join(temporary, 'session.jsonl'), join(temporary, 'report.html')];
    // The recording of the guide, made by the guide's own line.
    const guide = readFileSync(new URL('../../docs/guides/conformance.md', import.meta.url), 'utf8');
    const rows = [...(/^printf .*$/mu.exec(guide)?.[0] ?? '').matchAll(/'(\{.*?\})'/gu)].map(([, row]) => `${row}\n`);
    writeFileSync(tape, rows.join(''));
    await patchbay([
      'conformance',
      'pi',
      '--as',
      'agent',
      '--trace',
      tape,
      '--label',
      'session.jsonl',
      '--html',
      report,
    ]);
    const page = await openPage({ viewport: { width: 1000, height: 560 }, colorScheme: 'light' });
    await page.goto(pathToFileURL(report).href);
    await take(page, 'conformance');
    await page.context().close();
  });
});
