// The inspector's page in Chromium: what people do with it.
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { patchbay } from '../support/command.ts';
import { findings } from './support/axe.ts';
import { closeBrowser, noBrowser, openPage } from './support/browser.ts';
import { cuttable, give, pageFiles, prompt, type Rig, startRig } from './support/rig.ts';

let rig: Rig;

beforeAll(async () => {
  if (noBrowser === null) rig = await startRig();
});
afterAll(async () => {
  await closeBrowser();
  await rig?.close();
});

describe(`the page, in Chromium${noBrowser === null ? '' : ` (skipped: ${noBrowser})`}`, () => {
  it.skipIf(noBrowser !== null)(
    'logs in by the fragment, once; a used link gives the form with a sentence',
    async () => {
      const page = await openPage();
      const { link } = rig;
      await page.goto(link);
      await page.getByRole('heading', { name: 'See any conversation' }).waitFor();
      expect(new URL(page.url()).hash).toBe('');
      const paints =
        "performance.getEntriesByType('paint').map(({ name, startTime }) => name + ' after ' + Math.round(startTime) + ' ms')";
      console.log(String(await page.evaluate(paints)));
      const other = await openPage();
      await other.goto(link);
      await other
        .getByText('The gateway refused this token')
        .or(other.getByText('This link was used before'))
        .waitFor();
      expect(await findings(other)).toEqual([]);
      for (const each of [page, other]) await each.context().close();
    },
  );

  it.skipIf(noBrowser !== null)(
    'shows thinking folded, a tool with its result, and the text; axe finds nothing serious',
    async () => {
      const page = await rig.newSession();
      await prompt(page, 'think tool');
      await page.getByText('Thought').first().waitFor();
      await page.locator('.tool.done').first().waitFor();
      expect(await page.locator('.thinking').first().getAttribute('open')).toBeNull();
      await page.locator('.grid .rows .line').first().waitFor();
      expect(await findings(page)).toEqual([]);
      await page.context().close();
    },
  );

  it.skipIf(noBrowser !== null)('allows a call, with changed input too, and denies one', async () => {
    const page = await rig.newSession();
    await prompt(page, 'ask');
    await page.getByRole('button', { name: 'Allow', exact: true }).waitFor();
    expect(await findings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Change input' }).click();
    await page.getByRole('textbox', { name: 'input of the tool' }).fill('{"path":"other.txt","text":"changed here"}');
    await page.getByRole('button', { name: 'Allow as changed' }).click();
    await page.getByText('write_note allowed').waitFor();
    await page.getByText('other.txt').first().waitFor();
    await page.locator('.tool.done .diff .added', { hasText: 'changed here' }).waitFor();
    await prompt(page, 'ask');
    await page.getByRole('textbox', { name: 'reason' }).fill('not now');
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.getByText('write_note denied').waitFor();
    await page.locator('.tool.skipped').first().waitFor();
    await page.context().close();
  });

  it.skipIf(noBrowser !== null)('answers each kind of dialog', async () => {
    const page = await rig.newSession();
    await prompt(page, 'select confirm input editor');
    const card = page.locator('[data-question]');
    await card.getByRole('button').first().click();
    await card.getByRole('button', { name: 'Yes' }).click();
    await card.locator('input').fill('one line');
    await card.getByRole('button', { name: 'Answer' }).click();
    await card.locator('textarea').fill('two\nlines');
    await card.getByRole('button', { name: 'Answer' }).click();
    await expect.poll(() => page.getByText(': answered').count()).toBe(4);
    await page.context().close();
  });

  it.skipIf(noBrowser !== null)('steers, adds a follow-up, aborts; changes the model', async () => {
    const page = await rig.newSession();
    await page.getByRole('button', { name: 'fold' }).click();
    await prompt(page, 'slow 40 long 4000');
    await page.getByRole('button', { name: 'Steer' }).waitFor();
    // The wire is told while the agent speaks without a pause: each delta with what it became.
    await page
      .locator('.rows .line', { hasText: 'block-delta' })
      .locator('.c-dialect', { hasText: 'delta' })
      .first()
      .waitFor();
    await prompt(page, 'steered words');
    await page.getByText('steered words').first().waitFor();
    await page.getByRole('button', { name: 'Abort' }).click();
    await page.getByText('run aborted').waitFor();
    await page.getByRole('button', { name: 'Send' }).waitFor();
    await prompt(page, 'ask');
    await page.getByRole('button', { name: 'Allow', exact: true }).waitFor();
    await page.getByRole('textbox', { name: 'Prompt' }).fill('followed words');
    await page.getByRole('button', { name: 'Follow-up' }).click();
    await page.getByRole('button', { name: 'Allow', exact: true }).click();
    await page.getByRole('log', { name: 'Messages' }).getByText('You said: followed words').waitFor();
    await page.getByRole('button', { name: 'Send' }).waitFor();
    const model = page.getByLabel('Model');
    const values = await Promise.all(
      (await model.locator('option').all()).map((option) => option.getAttribute('value')),
    );
    expect(values.length).toBeGreaterThan(1);
    await model.selectOption(values.at(-1) ?? '');
    await expect.poll(() => model.inputValue()).toBe(values.at(-1));
    await page.context().close();
  });

  it.skipIf(noBrowser !== null)('goes on after a cut in mid-stream, with the text of an uncut page', async () => {
    const session = await rig.createSession();
    const page = await rig.loggedIn();
    const cut = await cuttable(page);
    await page.goto(`${rig.url}/#s=${session}`);
    await page.reload();
    await prompt(page, 'slow 5 long 300');
    await page.locator('.message.assistant .prose').first().waitFor();
    await cut(true);
    await page.locator('.banner', { hasText: 'The connection was cut' }).waitFor();
    expect(await findings(page)).toEqual([]);
    await cut(false);
    // The page may be back by itself before the button is clicked.
    await page.evaluate("document.querySelector('.banner button')?.click()");
    await page.locator('.banner').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Send' }).waitFor();
    const other = await rig.loggedIn({}, `#s=${session}`);
    await other.locator('.message.assistant').last().waitFor();
    const text = (of: Page) => of.locator('.message.assistant .prose').last().innerText();
    await expect.poll(async () => (await text(other)) === (await text(page))).toBe(true);
    expect((await text(page)).length).toBeGreaterThan(500);
    for (const each of [page, other]) await each.context().close();
  });

  it.skipIf(noBrowser !== null)('asks for the whole wire again once everything it had is void', async () => {
    const session = await rig.createSession();
    const page = await rig.loggedIn();
    // A place that nobody knows leads to a reset (docs/protocols/resume.md 2.3).
    const cut = await cuttable(page, (said) =>
      said.replace(/("type":"attach".*"cursor":)"[^"]+"/u, '$1"nobody knows"'),
    );
    await page.goto(`${rig.url}/#s=${session}`);
    await page.reload();
    await prompt(page, 'think tool');
    const isTold = async () => {
      await page.locator('.rows .line', { hasText: '← prompt' }).waitFor();
      await page.locator('.rows .c-dialect', { hasText: 'result › success' }).waitFor();
    };
    await isTold();
    await cut(true);
    await page.locator('.banner', { hasText: 'The connection was cut' }).waitFor();
    await cut(false);
    await page.evaluate("document.querySelector('.banner button')?.click()");
    await page.getByText('begins again with what is kept').waitFor();
    await isTold();
    expect(await page.locator('.beginning').count()).toBe(0);
    await page.context().close();
  });

  it.skipIf(noBrowser !== null)('works by the keyboard alone, on a narrow screen, in light colours', async () => {
    const page = await rig.newSession({ viewport: { width: 390, height: 844 }, colorScheme: 'light' });
    await prompt(page, 'tool');
    await page.locator('.tool.done').first().waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    expect(await findings(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.keyboard.press('/');
    await page.keyboard.type('tool-end');
    await expect.poll(() => page.locator('.rows .line').count()).toBe(1);
    await page.keyboard.press('Escape');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('complementary', { name: 'Chosen row' }).waitFor();
    expect(await findings(page)).toEqual([]);
    await page.context().close();
  });

  it.skipIf(noBrowser !== null)('shows hostile output as text, and asks nobody else for anything', async () => {
    const page = await rig.newSession();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    const hostile =
      'so <img src=http://evil.test/x onerror=alert(1)> <script>alert(2)</script> [a](javascript:alert(3)) ' +
      '![b](http://evil.test/b.png) [c](data:text/html,x) <svg onload=alert(4)> \u202egnp.exe \u001b[31mred';
    await prompt(page, hostile);
    const said = page.locator('.message.assistant .prose').last();
    await expect.poll(() => said.textContent()).toContain('red');
    await page.getByRole('button', { name: 'Send' }).waitFor();
    expect(await said.textContent()).toContain(hostile.slice(0, 70));
    expect(await said.locator('img, script, svg').count()).toBe(0);
    const links = await Promise.all((await said.locator('a').all()).map((link) => link.getAttribute('href')));
    expect(links.filter((link) => !link?.startsWith('http://'))).toEqual([]);
    await page.getByRole('searchbox').fill('gnp');
    await page.locator('.rows .line').first().click();
    await expect.poll(() => page.locator('.drawer').textContent()).toContain('\\u202e');
    expect(await page.locator('.drawer').textContent()).not.toContain('\u202e');
    expect(asked.filter((url) => !url.startsWith(rig.url))).toEqual([]);
    await page.context().close();
  });

  it.skipIf(noBrowser !== null)('forks before a message; opens a tape and saves it', async () => {
    const page = await rig.newSession();
    await prompt(page, 'first words');
    await page.locator('.rows .line', { hasText: 'run-end completed' }).waitFor();
    await page.getByRole('button', { name: 'Send' }).waitFor();
    await prompt(page, 'second words');
    const second = page.getByRole('log', { name: 'Messages' }).getByText('You said: second words');
    await second.waitFor();
    await page.getByRole('button', { name: 'Fork' }).click();
    await page.getByRole('button', { name: /before .second words/u }).click();
    await page.getByText('history forked').waitFor();
    expect(await second.count()).toBe(0);
    const tape = (frames: readonly object[], last: number) => {
      const begun = [{ id: '1', type: 'response', command: 'prompt', success: true }, { type: 'agent_start' }];
      const said = [...begun, ...frames].map((frame, at) => ({ dir: 'out', line: JSON.stringify(frame), at: at + 2 }));
      const rows = [
        { dir: 'meta', v: 1, protocol: 'pi' },
        { dir: 'in', line: '{"id":"1","type":"prompt","message":"hello"}', at: 1 },
        ...said,
        { dir: 'out', line: '{"type":"agent_end","messages":[]}', at: last },
      ];
      return Buffer.from(`${rows.map((row) => JSON.stringify(row)).join('\n')}\n`);
    };
    const buffer = tape([], 4);
    await give(page, 'drop', '.main', { name: 't.jsonl', type: 'application/x-ndjson', data: buffer });
    await page.locator('.top .tag', { hasText: 'pi' }).waitFor();
    await page.locator('.rows .line', { hasText: 'run-end completed' }).waitFor();
    expect(await findings(page)).toEqual([]);
    // The tape has no answer to what the gateway asks at the start.
    const left = 'The conversation leaves the tape: extra: get_commands';
    const row = page.locator('.rows .line', { hasText: 'notice warning' }).filter({ hasText: 'get_commands' });
    await row.locator('.chip.violation').dispatchEvent('click');
    await page.getByRole('dialog', { name: 'Rule' }).getByText(`violation: ${left}`).waitFor();
    await page.keyboard.press('Escape');
    // The page asks a tape for nothing by itself.
    expect(await page.getByText('get_available_models').count()).toBe(0);
    // A tool that is at work for an hour.
    const call = { toolCallId: 'c', toolName: 'bash', args: { command: 'sleep 3600' } };
    const partialResult = { content: [{ type: 'text', text: 'half of it' }], details: {} };
    const tool = [
      { type: 'tool_execution_start', ...call },
      { type: 'tool_execution_update', ...call, partialResult },
    ];
    const slow = { name: 't.jsonl', mimeType: 'application/x-ndjson', buffer: tape(tool, 3_600_000) };
    await page.getByLabel('Open a tape').setInputFiles(slow);
    await page.locator('.tool.running summary').click();
    await page.locator('.tool.running').getByText('half of it').waitFor();
    await page.getByRole('button', { name: 'Close tape' }).click();
    await page.locator('.prompt-off').waitFor();
    await page.getByLabel('Speed of tapes').selectOption('no pauses');
    await page.getByLabel('Open a tape').setInputFiles(slow);
    await page.locator('.rows .line', { hasText: 'run-end completed' }).waitFor();
    const cell = page.locator('.rows .line', { hasText: 'run-start' }).locator('.c-agent');
    await expect.poll(() => cell.textContent()).toContain('agent_start');
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save tape' }).click();
    expect((await download).suggestedFilename()).toMatch(/\.jsonl$/u);

    // With faults, in the words of the command line.
    await page.getByText('Play it with faults').click();
    await page.getByRole('textbox', { name: '--fault' }).fill('dup @type');
    await give(page, 'drop', '.main', { name: 't.jsonl', type: 'application/x-ndjson', data: buffer });
    await page.getByText(/^Not opened: fault "dup @type", column 6/u).waitFor();
    expect(await findings(page)).toEqual([]);
    await page.getByRole('textbox', { name: '--fault' }).fill('dup @type=agent_end');
    await page.getByLabel('Open a tape').setInputFiles({ name: 't.jsonl', mimeType: 'application/x-ndjson', buffer });
    await expect.poll(() => page.locator('.rows .c-agent', { hasText: 'agent_end' }).count()).toBe(2);
    expect(await page.getByText(/^Not opened/u).count()).toBe(0);
    const tapes = page.locator('.session', { hasText: 'tape-' });
    const before = await tapes.count();
    await page.getByRole('button', { name: 'Close tape' }).click();
    await expect.poll(() => tapes.count()).toBe(before - 1);
    await page.context().close();
  });

  it.skipIf(noBrowser !== null)(
    'shows raster images, and any other as text; a click on a loss says what it means',
    async () => {
      const page = await rig.newSession();
      const base64 = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
      await give(page, 'paste', '#prompt', { name: 'dot.png', type: 'image/png', data: Buffer.from(base64, 'base64') });
      await page.getByText('1 image').waitFor();
      const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>');
      await give(page, 'paste', '#prompt', { name: 'x.svg', type: 'image/svg+xml', data: svg });
      await page.getByText('2 images').waitFor();
      await prompt(page, 'image unknown');
      const image = page.locator('.message.user img');
      await image.waitFor();
      await expect.poll(() => page.evaluate("document.querySelector('.message.user img').naturalWidth")).toBe(1);
      await page.locator('.message.user pre', { hasText: '<svg' }).waitFor();
      expect(await image.count()).toBe(1);
      await page.getByRole('button', { name: 'Send' }).waitFor();
      await page.getByLabel('Add a column').selectOption('pi-legacy');
      await page.locator('.chip.loss').first().click();
      await page
        .getByRole('dialog', { name: 'Rule' })
        .getByText(/^Lost: what the client/u)
        .waitFor();
      await page.getByRole('button', { name: 'Close' }).click();
      await page.context().close();
    },
  );

  it.skipIf(noBrowser !== null)('keeps the link to an event, and the shape of things in forced colours', async () => {
    const session = await rig.createSession();
    const page = await rig.loggedIn({ forcedColors: 'active' }, `#s=${session}&e=5`);
    await prompt(page, 'think tool');
    await page.locator('.drawer h3', { hasText: '#5' }).waitFor();
    expect(await findings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Send' }).waitFor();
    // A snapshot has no event of that number: the wire has.
    const late = await rig.loggedIn();
    // The request that fails, or is told that these rows are gone, is made again, although nothing happens in the session any more.
    const gone = JSON.stringify({ rows: [], kept: 1, end: 9 });
    const answers = [{ status: 408 }, { body: gone }];
    await late.route(/\/wire\?/u, (route) => route.fulfill(answers.shift() ?? {}), { times: 2 });
    await late.evaluate(`location.hash = '#s=${session}&e=6'`);
    await late.locator('.drawer h3', { hasText: /^#6 block-start/u }).waitFor();
    for (const each of [page, late]) await each.context().close();
  });

  it.skipIf(noBrowser !== null)('tells what a frame changes since the one before, and copies one', async () => {
    const page = await rig.newSession();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    // Twice: what the page asks of an agent that has started stands between the events of its first run.
    for (let run = 0; run < 2; run += 1) {
      await prompt(page, 'hello');
      await expect.poll(() => page.locator('.rows .c-dialect', { hasText: 'result › success' }).count()).toBe(run + 1);
    }
    await page
      .locator('.rows .line', { hasText: /\d deltas/u })
      .last()
      .click();
    await page.getByRole('button', { name: 'changes' }).click();
    const first = page.getByRole('region', { name: 'canonical' }).locator('.changes').first();
    await first.waitFor();
    expect((await first.innerText()).split('\n')).toEqual(['delta', '" hello"', '"Hello!"']);
    await page.getByRole('region', { name: 'claude' }).getByText('event.delta.text').first().waitFor();
    expect(await findings(page)).toEqual([]);
    await page.getByRole('button', { name: 'copy claude' }).click();
    const copied = () => page.evaluate('navigator.clipboard.readText()');
    await expect.poll(copied).toMatch(/^\{"type":"stream_event".*\n\{/u);
    await page.context().close();
  });

  it.skipIf(noBrowser !== null)('has logged no error', () => {
    expect(rig.faults).toEqual([]);
  });
});

it('is at most 150 kB compressed', () => {
  const [brotli, gzip] = ['.br', '.gz'].map((ending) => {
    const sizes = [...pageFiles()].filter(([name]) => name.endsWith(ending)).map(([, bytes]) => bytes.length);
    expect(sizes.length).toBe(3);
    return sizes.reduce((sum, size) => sum + size, 0);
  });
  console.log(`the page: ${brotli} bytes with Brotli, ${gzip} with gzip`);
  expect(gzip).toBeLessThan(150_000);
});

it('is opened by the command of the guide', async () => {
  const guide = readFileSync(new URL('../../docs/guides/inspector.md', import.meta.url), 'utf8');
  const [, words = ''] = /^npx patchbay (.*)$/mu.exec(guide) ?? [];
  expect(words).toContain('--port 8137');
  const told = await patchbay(words.replace('8137', '0').split(' '), { killAfter: '#code=' });
  expect(told.stdout).toMatch(/http:\/\/127\.0\.0\.1:\d+\/#code=\S+/u);
});
