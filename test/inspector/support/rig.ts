// The gateway as it is built, with agents and the inspector's page.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { BrowserContextOptions, Page, WebSocketRoute } from 'playwright-core';
import { stopProcess } from '../../support/gateway.ts';
import { openPage } from './browser.ts';

const dist = fileURLToPath(new URL('../../../dist/', import.meta.url));

export interface Rig {
  readonly url: string;
  readonly token: string;
  /** The address with the code that counts once. */
  readonly link: string;
  /** A session, and its id. */
  createSession(agent?: string): Promise<string>;
  /** What pages have logged as errors, but for refused requests and cut connections. */
  readonly faults: string[];
  /** A page of its own that is logged in. `fragment`: what its address names. */
  loggedIn(options?: BrowserContextOptions, fragment?: string): Promise<Page>;
  /** A page that shows a new session, with the demo agent if no other is named. */
  newSession(options?: BrowserContextOptions, agent?: string): Promise<Page>;
  close(): Promise<void>;
}

/** `agents`: which agents it has, as words of its command line. */
export async function startRig(agents: readonly string[] = ['--agent', 'demo']): Promise<Rig> {
  const words = ['serve', '--json', '--port', '0', ...agents];
  const child = spawn(process.execPath, [`${dist}cli/main.js`, ...words]);
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  const exited = once(child, 'close').then(() => Promise.reject(new Error(`the gateway has exited: ${log}`)));
  exited.catch(() => {});
  const [line] = await Promise.race([once(createInterface({ input: child.stdout }), 'line'), exited]);
  const { url, token, inspector: link } = JSON.parse(line) as { url: string; token: string; inspector: string };
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const faults: string[] = [];

  async function createSession(agent = 'demo'): Promise<string> {
    const answer = await fetch(`${url}/v1/sessions`, { method: 'POST', headers, body: JSON.stringify({ agent }) });
    return ((await answer.json()) as { id: string }).id;
  }

  async function loggedIn(options: BrowserContextOptions = {}, fragment = ''): Promise<Page> {
    const page = await openPage(options);
    page.on('pageerror', ({ message }) => faults.push(message));
    page.on('console', (message) => {
      const text = message.text();
      if (message.type() === 'error' && !/favicon|WebSocket|status of/u.test(text)) faults.push(text);
    });
    await page.goto(`${url}/${fragment}`);
    await page.getByLabel('Token of the gateway').fill(token);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.locator('.app').waitFor();
    return page;
  }

  return {
    url,
    token,
    link,
    faults,
    createSession,
    loggedIn,
    async newSession(options, agent = 'demo') {
      const page = await loggedIn(options);
      if ((options?.viewport?.width ?? 1440) < 960) await page.getByRole('button', { name: 'Sessions' }).click();
      await page.getByRole('button', { name: `New session with ${agent}`, exact: true }).click();
      await page.getByRole('textbox', { name: 'Prompt' }).waitFor();
      return page;
    },
    close: () => stopProcess(child),
  };
}

/** Types a prompt and sends it. */
export async function prompt(page: Page, text: string): Promise<void> {
  const box = page.getByRole('textbox', { name: 'Prompt' });
  await box.fill(text);
  await box.press('Enter');
}

/** The connections of a page, which a test cuts. `say` may change what the page says. */
export async function cuttable(
  page: Page,
  say = (message: string) => message,
): Promise<(refuse: boolean) => Promise<void>> {
  const open = new Set<WebSocketRoute>();
  let refuses = false;
  await page.routeWebSocket(/\/socket$/u, (route) => {
    if (refuses) return void route.close({ code: 3001, reason: 'cut by the test' });
    const gateway = route.connectToServer();
    route.onMessage((message) => gateway.send(say(String(message))));
    open.add(route);
  });
  return async (refuse) => {
    refuses = refuse;
    if (refuse) for (const route of open) await route.close({ code: 3001, reason: 'cut by the test' });
    if (refuse) open.clear();
  };
}

/** The files of the page, by what follows `dist/inspector/`. */
export function pageFiles(): ReadonlyMap<string, Buffer> {
  return new Map(readdirSync(`${dist}inspector`).map((name) => [name, readFileSync(`${dist}inspector/${name}`)]));
}

/** Files that are pasted into an element, or dropped on it.  */
export async function give(
  page: Page,
  how: 'paste' | 'drop',
  selector: string,
  { name, type, data }: { readonly name: string; readonly type: string; readonly data: Buffer },
): Promise<void> {
  const words = JSON.stringify([how, selector, name, type, data.toString('base64')]);
  await page.evaluate(`{
    const [how, selector, name, type, base64] = ${words};
    const given = new DataTransfer();
    given.items.add(new File([Uint8Array.from(atob(base64), (each) => each.charCodeAt(0))], name, { type }));
    const rest = { bubbles: true, cancelable: true };
    const event = how === 'paste'
      ? new ClipboardEvent('paste', { clipboardData: given, ...rest })
      : new DragEvent('drop', { dataTransfer: given, ...rest });
    document.querySelector(selector).dispatchEvent(event);
  }`);
}
