// Pictures of what clients are told, for the guides of their protocols: small ones.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { connect } from '../../src/client/client.ts';
import type { Scenario } from '../../src/conformance/model/answers.ts';
import { type FakeAnthropic, startFakeAnthropic } from '../../src/conformance/model/endpoint.ts';
import { patchbay } from '../support/command.ts';
import { converse } from '../support/sdk-browser.ts';
import { closeBrowser } from './support/browser.ts';
import { noPictures, small, take, told } from './support/pictures.ts';
import { type Rig, startRig } from './support/rig.ts';

const program = (name: string) => fileURLToPath(new URL(`../../dist/cli/${name}.js`, import.meta.url));
const streams = ['--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'];
/** The demo agent behind each protocol of agents: its frames are on the wire. */
const standIns = {
  claude: ['patchbay-claude', '-p', ...streams, '--include-partial-messages', '--permission-prompt-tool', 'stdio'],
  eca: ['patchbay-eca', 'server'],
  acp: ['patchbay-acp'],
} as const satisfies Readonly<Record<string, readonly [string, ...string[]]>>;

/** What the model of docs/guides/anthropic.md says, once it is not overloaded any more. */
const model: Scenario = () => [
  {
    faults: [{ status: 529, error: 'overloaded_error' }],
    blocks: [
      { type: 'thinking', deltas: ['Scattering ', 'grows with ', 'the frequency.'], signature: 'c2lnbmVkIQ==' },
      {
        type: 'text',
        deltas: ['Air scatters ', 'blue light more ', 'than red light, ', 'so blue comes from ', 'everywhere.'],
      },
    ],
  },
];

let rig: Rig;
let fake: FakeAnthropic;
const temporary = mkdtempSync(join(tmpdir(), 'patchbay-pictures-'));
beforeAll(async () => {
  if (noPictures !== null) return;
  fake = await startFakeAnthropic({ chat: true, scenarios: new Map([['unmarked', model]]) });
  const agents = Object.entries(standIns).map(([protocol, [name, ...args]]) => {
    const command = [process.execPath, program(name), ...args];
    return [protocol, { protocol, command, env: { PATCHBAY_AGENT: 'demo' } }];
  });
  const options = { baseUrl: fake.url, thinking: 'low' };
  const chat = { protocol: 'anthropic', options };
  const config = join(temporary, 'patchbay.json');
  const demo = { protocol: 'demo' };
  const sessionDirectory = join(temporary, 'sessions');
  const file = join(temporary, 't.jsonl');
  const pi = [process.execPath, program('patchbay-pi'), '--mode', 'rpc'];
  const input = '{"id":"1","type":"prompt","message":"think tool"}\n';
  await patchbay(['record', '-o', file, '--', ...pi], { input, env: { PATCHBAY_AGENT: 'demo', PATCHBAY_CONFIG: '' } });
  const taped = { protocol: 'replay', file, speed: 'max' };
  const all = { demo, taped, chat, ...Object.fromEntries(agents) };
  writeFileSync(config, JSON.stringify({ agents: all, defaultAgent: 'demo', sessionDirectory }));
  vi.stubEnv('ANTHROPIC_API_KEY', 'test');
  rig = await startRig(['--config', config]);
});
afterAll(async () => {
  await closeBrowser();
  await rig?.close();
  await fake?.close();
  rmSync(temporary, { recursive: true, force: true });
});

/** Below the rows, what a column has of the first row with these words. */
async function choose(page: Page, words: string, column: string): Promise<void> {
  await page.locator('.rows .line', { hasText: words }).first().click();
  const part = page.getByRole('region', { name: column, exact: true });
  await part.locator('pre').first().waitFor();
  // Right below the header of the drawer, which stays; the page itself does not scroll.
  await page.evaluate(`{
    const drawer = document.querySelector('.drawer');
    const part = drawer.querySelector('section[aria-label="${column}"]');
    const header = drawer.querySelector('header').getBoundingClientRect();
    drawer.scrollTop += part.getBoundingClientRect().top - header.bottom;
  }`);
}

describe(`pictures of clients${noPictures === null ? '' : ` (skipped: ${noPictures})`}`, () => {
  it.skipIf(noPictures !== null).each([
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
    await take(page, agent);
    await page.context().close();
  });

  it.skipIf(noPictures !== null).each([
    ['pi-server', 'approval-request', 'dark'],
    ['rpc-message', 'tool-end', 'light'],
  ] as const)('what a client of %s would be told', async (dialect, event, colorScheme) => {
    const page = await rig.newSession({ ...small, colorScheme });
    await told(page, 'tool ask', '[data-question]');
    await page.getByLabel('Add a column').selectOption(dialect);
    await page.getByRole('button', { name: 'hide claude' }).click();
    await choose(page, event, dialect);
    await take(page, dialect);
    await page.context().close();
  });

  it.skipIf(noPictures !== null)('a model without an agent, which is overloaded at first', async () => {
    const page = await rig.newSession({ ...small, colorScheme: 'light' }, 'chat');
    await told(page, 'Why is the sky blue?', '.rows .line:has-text("run-end completed")');
    await page.getByRole('button', { name: 'Send' }).waitFor();
    await choose(page, 'retry-start', 'claude');
    await take(page, 'anthropic');
    await page.context().close();
  });

  it.skipIf(noPictures !== null)('an agent that is a tape, and is asked what the tape does not hold', async () => {
    const page = await rig.newSession({ ...small, colorScheme: 'light' }, 'taped');
    await told(page, 'think tool', '.rows .line:has-text("run-end completed")');
    await page.getByRole('button', { name: 'Send' }).waitFor();
    await told(page, 'And what else?', '.rows .line:has-text("extra: prompt")');
    await page
      .locator('.rows .line', { hasText: 'notice warning' })
      .filter({ hasText: 'extra: prompt' })
      .locator('.seq')
      .click();
    await page.locator('.drawer').waitFor();
    await take(page, 'tape');
    await page.context().close();
  });

  it.skipIf(noPictures !== null)('a program on the client library, which allows a call', async () => {
    const session = await rig.createSession();
    const page = await rig.loggedIn({ ...small, colorScheme: 'dark' }, `#s=${session}`);
    await page.getByRole('textbox', { name: 'Prompt' }).waitFor();
    const client = connect({
      url: rig.url,
      token: rig.token,
      session,
      frontend: 'claude',
      WebSocket,
      onFrame(frame) {
        if (frame.type !== 'control_request') return;
        const { request_id, request } = frame;
        const response = { behavior: 'allow', updatedInput: request.input };
        void client.send({ type: 'control_response', response: { subtype: 'success', request_id, response } });
      },
    });
    await client.send({ type: 'user', message: { role: 'user', content: 'think ask' } });
    await page.locator('.rows .line', { hasText: 'run-end completed' }).waitFor();
    await choose(page, 'approval-request', 'claude');
    await take(page, 'client-library');
    client.close();
    await page.context().close();
  });

  it.skipIf(noPictures !== null)('the Agent SDK as a page has it, over server-sent events', async () => {
    const session = await rig.createSession();
    const page = await rig.loggedIn({ ...small, colorScheme: 'light' }, `#s=${session}`);
    await page.getByRole('textbox', { name: 'Prompt' }).waitFor();
    const at = `${rig.url}/v1/claude/sessions/${session}`;
    const headers = { Authorization: `Bearer ${rig.token}` };
    const addresses = { streamUrl: `${at}/events?envelope=sdk`, sendUrl: `${at}/frames?envelope=sdk` };
    const allow = () => Promise.resolve({ behavior: 'allow' } as const);
    const conversation = converse({ sse: { ...addresses, sessionId: session, headers } }, allow);
    const frames = await conversation.turn('ask');
    expect(frames.length).toBeGreaterThan(3);
    await page.locator('.rows .line', { hasText: 'run-end completed' }).waitFor();
    await choose(page, 'run-end completed', 'claude');
    await take(page, 'claude-browser');
    await conversation.close();
    await page.context().close();
  });
});
