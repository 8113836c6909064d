// Chromium itself as the attacker: pages of another port, with the cookie of the inspector in the same browser. Nothing gets
// through (docs/threats.md T37 to T41).
import { existsSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { owner } from '../../src/core/contract/principal.ts';
import { type InspectorRig, startInspector, token } from './rig.ts';

const executablePath = '/usr/bin/chromium';
const noBrowser = existsSync(executablePath) ? null : `there is no ${executablePath}`;

/** What the server of the other port was sent as cookies. */
const stolen: string[] = [];
let rig: InspectorRig;
let browser: Browser;
let evil: Server;
let evilUrl: string;
let context: BrowserContext;
/** A page of the inspector that is logged in, and where its routes are. */
let own: Page;
let path: string;

beforeAll(async () => {
  if (noBrowser !== null) return;
  rig = await startInspector();
  evil = createServer((request, response) => {
    stolen.push(request.headers.cookie ?? '');
    response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>evil</title>');
  });
  await new Promise<void>((resolve) => evil.listen(0, '127.0.0.1', resolve));
  evilUrl = `http://127.0.0.1:${(evil.address() as AddressInfo).port}`;
  browser = await chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-dev-shm-usage',
      '--disable-background-networking',
      `--host-resolver-rules=MAP evil.test 127.0.0.1`,
    ],
  });
  context = await browser.newContext();
  own = await context.newPage();
  await own.goto(rig.url);
  path = await own.evaluate(async (code) => {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch('/inspector/login', { method: 'POST', headers, body: JSON.stringify({ code }) });
    return ((await answer.json()) as { path: string }).path;
  }, rig.code);
});
afterAll(async () => {
  await browser?.close();
  await new Promise((resolve) => (evil === undefined ? resolve(null) : evil.close(resolve)));
  await rig?.close();
});

/** What a page gets for a request; null: the browser gives it nothing. */
const asked = (page: Page, url: string, init: RequestInit = {}) =>
  page.evaluate(
    async ([to, how]) => {
      try {
        const answer = await fetch(to, how);
        return answer.type === 'opaque' ? null : { status: answer.status, text: await answer.text() };
      } catch {
        return null;
      }
    },
    [url, init] as const,
  );

/** Whether a page gets a WebSocket. */
const connects = (page: Page, url: string) =>
  page.evaluate(
    (to) =>
      new Promise<boolean>((resolve) => {
        const socket = new WebSocket(to, 'canonical.v1+resume');
        socket.onopen = () => resolve(true);
        socket.onerror = () => resolve(false);
      }),
    url,
  );

async function evilPage(): Promise<Page> {
  const page = await context.newPage();
  await page.goto(evilUrl);
  return page;
}

const socketOf = (of: string, url = rig.url) => `${url.replace('http', 'ws')}${of}socket`;

describe.skipIf(noBrowser !== null)(
  `the inspector, attacked from Chromium${noBrowser === null ? '' : ` (skipped: ${noBrowser})`}`,
  () => {
    it('lets its own page in', async () => {
      expect((await asked(own, `${path}state`))?.status).toBe(200);
      expect(await connects(own, socketOf(path))).toBe(true);
      expect(await own.evaluate('document.cookie')).toBe('');
    });

    it('gives a page of another port nothing that it reads, with the cookie and the path in its hands', async () => {
      const page = await evilPage();
      for (const route of ['/', `${path}state`, `${path}wire?session=s`, '/inspector/rules.json', '/v1/sessions']) {
        expect(await asked(page, rig.url + route, { credentials: 'include' })).toBeNull();
        expect(await asked(page, rig.url + route, { credentials: 'include', mode: 'no-cors' })).toBeNull();
      }
      await page.close();
    });

    it('takes no post of a page of another port', async () => {
      const page = await evilPage();
      const before = rig.gateway.board.sessions(owner).length;
      const simple = { method: 'POST', credentials: 'include', mode: 'no-cors', body: '{"agent":"demo"}' } as const;
      for (const route of ['sessions', 'tape', 'logout'])
        expect(await asked(page, `${rig.url}${path}${route}`, simple)).toBeNull();
      const json = { ...simple, mode: 'cors', headers: { 'content-type': 'application/json' } } as const;
      expect(await asked(page, `${rig.url}${path}sessions`, json)).toBeNull();
      expect(await asked(page, `${rig.url}/inspector/login`, { ...json, body: JSON.stringify({ token }) })).toBeNull();
      expect(rig.gateway.board.sessions(owner).length).toBe(before);
      // The login still counts.
      expect((await asked(own, `${path}state`))?.status).toBe(200);
      await page.close();
    });

    it('opens no WebSocket for a page of another port', async () => {
      const page = await evilPage();
      expect(await connects(page, socketOf(path))).toBe(false);
      expect(await connects(page, `${rig.url.replace('http', 'ws')}/v1/canonical/ws`)).toBe(false);
      await page.close();
    });

    it('is shown in no frame and no window of a page of another port', async () => {
      const page = await evilPage();
      await page.evaluate(`new Promise((resolve) => {
        const frame = document.createElement('iframe');
        frame.src = ${JSON.stringify(rig.url)};
        frame.onload = resolve;
        document.body.append(frame);
      })`);
      const [popup] = await Promise.all([
        page.waitForEvent('popup'),
        page.evaluate(`void (globalThis.other = window.open(${JSON.stringify(rig.url)}))`),
      ]);
      await popup.waitForLoadState();
      const others = [popup, ...page.frames().slice(1)];
      expect(others.length).toBe(2);
      for (const other of others) expect(await other.title().catch(() => '')).not.toBe('Patchbay');
      const text = (read: string) => page.evaluate(`(() => { try { return ${read}; } catch { return 'refused'; } })()`);
      expect(await text('frames[0].document.title')).toBe('refused');
      expect(await text('other.document.title')).toBe('refused');
      await popup.close();
      await page.close();
    });

    it('does not answer to another Host that leads to it', async () => {
      const page = await context.newPage();
      const address = `http://evil.test:${rig.port}`;
      const answer = await page.goto(address);
      expect(answer?.status()).toBe(403);
      expect(await asked(page, `${address}${path}state`)).toMatchObject({ status: 403 });
      const json = { method: 'POST', headers: { 'content-type': 'application/json' } };
      expect(
        await asked(page, `${address}/inspector/login`, { ...json, body: JSON.stringify({ token }) }),
      ).toMatchObject({
        status: 403,
      });
      expect(await connects(page, socketOf(path, address))).toBe(false);
      await page.close();
    });

    it('gives its cookie to no other path, and lets nobody in without it', async () => {
      stolen.length = 0;
      const page = await evilPage();
      await page.goto(`${evilUrl}/inspector/`);
      expect(stolen.length).toBeGreaterThan(0);
      expect(stolen.join('')).toBe('');
      // The path is what a guesser lacks; without the cookie it opens nothing either.
      const stranger = await (await browser.newContext()).newPage();
      await stranger.goto(rig.url);
      expect(await asked(stranger, `${path}state`)).toMatchObject({ status: 401 });
      expect(await connects(stranger, socketOf(path))).toBe(false);
      expect(await asked(own, '/v1/sessions')).toMatchObject({ status: 401 });
      await page.close();
      await stranger.context().close();
    });

    it('takes its code once', async () => {
      const json = { method: 'POST', headers: { 'content-type': 'application/json' } };
      expect(await asked(own, '/inspector/login', { ...json, body: JSON.stringify({ code: rig.code }) })).toMatchObject(
        {
          status: 401,
        },
      );
    });
  },
);
