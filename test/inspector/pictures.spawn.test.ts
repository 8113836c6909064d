// The pictures of the guides, taken of the page as it is. PICTURES=1 takes them; the page itself is judged by the other tests.
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { closeBrowser, noBrowser } from './support/browser.ts';
import { prompt, type Rig, startRig } from './support/rig.ts';

const folder = fileURLToPath(new URL('../../docs/pictures/', import.meta.url));
const skipped = process.env.PICTURES !== '1' ? 'PICTURES is not 1' : noBrowser;

let rig: Rig;
beforeAll(async () => {
  if (skipped !== null) return;
  // The demo agent behind pi's protocol: its frames are on the wire.
  const command = [
    process.execPath,
    fileURLToPath(new URL('../../dist/cli/patchbay-pi.js', import.meta.url)),
    '--mode',
    'rpc',
  ];
  const agents = { demo: { protocol: 'demo' }, pi: { protocol: 'pi', command, env: { PATCHBAY_AGENT: 'demo' } } };
  const config = join(mkdtempSync(join(tmpdir(), 'patchbay-pictures-')), 'patchbay.json');
  writeFileSync(config, JSON.stringify({ agents, defaultAgent: 'demo' }));
  rig = await startRig(['--config', config]);
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
  it.skipIf(skipped !== null)(
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
      await page.evaluate('document.activeElement.blur()');
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
});
