// The pictures of the guides, taken of the page as it is. PICTURES=1 takes them; the page itself is judged by the other tests.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { patchbay } from '../support/command.ts';
import { closeBrowser, noBrowser, openPage } from './support/browser.ts';
import { prompt, type Rig, startRig } from './support/rig.ts';

const folder = fileURLToPath(new URL('../../docs/pictures/', import.meta.url));
const skipped = process.env.PICTURES !== '1' ? 'PICTURES is not 1' : noBrowser;

const program = (name: string) => fileURLToPath(new URL(`../../dist/cli/${name}.js`, import.meta.url));
const streams = ['--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'];
/** The demo agent behind each protocol of agents: its frames are on the wire. */
const standIns = {
  pi: ['patchbay-pi', '--mode', 'rpc'],
  claude: ['patchbay-claude', '-p', ...streams, '--include-partial-messages', '--permission-prompt-tool', 'stdio'],
  eca: ['patchbay-eca', 'server'],
  acp: ['patchbay-acp'],
} as const satisfies Readonly<Record<string, readonly [string, ...string[]]>>;

let rig: Rig;
const temporary = mkdtempSync(join(tmpdir(), 'patchbay-pictures-'));
beforeAll(async () => {
  if (skipped !== null) return;
  const agents = Object.entries(standIns).map(([protocol, [name, ...args]]) => {
    const command = [process.execPath, program(name), ...args];
    return [protocol, { protocol, command, env: { PATCHBAY_AGENT: 'demo' } }];
  });
  const config = join(temporary, 'patchbay.json');
  const demo = { demo: { protocol: 'demo' } };
  writeFileSync(config, JSON.stringify({ agents: { ...demo, ...Object.fromEntries(agents) }, defaultAgent: 'demo' }));
  rig = await startRig(['--config', config]);
});
afterAll(async () => {
  await closeBrowser();
  await rig?.close();
  rmSync(temporary, { recursive: true, force: true });
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

  // Small ones: what clients of a protocol are told, beside the conversation.
  const small = { viewport: { width: 1320, height: 600 } };

  it.skipIf(skipped !== null).each([
    ['claude', 'light'],
    ['eca', 'dark'],
    ['acp', 'light'],
  ] as const)('what a client of %s is told', async (agent, colorScheme) => {
    const page = await rig.newSession({ ...small, colorScheme }, agent);
    await told(page, 'think tool', '.tool.done');
    await page.locator('.rows .line', { hasText: /run-end completed/u }).waitFor();
    await page.getByRole('button', { name: 'Send' }).waitFor();
    // What the client is told of the tool stands below the rows.
    const frame = page.locator('.c-agent', { hasText: /\w/u });
    await page
      .locator('.rows .line', { hasText: /tool-(?:start|end)/u, has: frame })
      .first()
      .click();
    await page.getByRole('region', { name: 'from the agent' }).waitFor();
    await page.evaluate('document.activeElement.blur()');
    await take(page, agent);
    await page.context().close();
  });

  it.skipIf(skipped !== null).each([
    ['pi-server', 'approval-request', 'dark'],
    ['rpc-message', 'tool-end', 'light'],
  ] as const)('what a client of %s would be told', async (dialect, event, colorScheme) => {
    const page = await rig.newSession({ ...small, colorScheme });
    await told(page, 'tool ask', '[data-question]');
    await page.getByLabel('Add a column').selectOption(dialect);
    await page.getByRole('button', { name: 'hide claude' }).click();
    await page.locator('.rows .line', { hasText: event }).click();
    await page.getByRole('region', { name: dialect }).locator('pre').first().waitFor();
    await page.getByRole('region', { name: dialect }).scrollIntoViewIfNeeded();
    await page.evaluate('document.activeElement.blur()');
    await take(page, dialect);
    await page.context().close();
  });

  it.skipIf(skipped !== null)('what a frame changes', async () => {
    const page = await rig.newSession(small, 'pi');
    await told(page, 'think tool', '.rows .line:has-text("run-end completed")');
    await page.locator('.rows .c-dialect', { hasText: 'result › success' }).waitFor();
    await page.locator('.rows .line', { hasText: 'message-end' }).last().click();
    await page.getByRole('button', { name: 'changes' }).click();
    await page.locator('.changes').first().waitFor();
    await page.evaluate('document.activeElement.blur()');
    await take(page, 'changes');
    await page.context().close();
  });

  it.skipIf(skipped !== null)('sessions that are kept', async () => {
    const words = ['--agent', 'demo', '--journal', join(temporary, 'journal')];
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
    await page.evaluate('document.activeElement.blur()');
    await take(page, 'journal');
    await after.close();
  });

  it.skipIf(skipped !== null)('the report of a check', async () => {
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
