// A gateway with the inspector and the demo agent, on a port of its own, and a browser's words spoken by hand.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import { parseConfig } from '../../src/config/config.ts';
import type { Clock } from '../../src/core/contract/clock.ts';
import type { SessionStore } from '../../src/core/contract/store/session-store.ts';
import { createGateway } from '../../src/gateway/full-gateway.ts';
import { listen } from '../../src/transports/http/server.ts';

export const token = 'the-token-of-the-test';

/** A page that is logged in. */
export interface Page {
  readonly path: string;
  readonly cookie: string;
}

/** The WebSocket of a page, and what it was told. */
export interface Look {
  readonly socket: WebSocket;
  readonly heard: readonly string[];
}

type Log = Parameters<typeof createGateway>[1]['log'];

/** Starts a gateway with agents. */
export async function startInspector(
  config: Record<string, unknown> = {},
  {
    clock,
    store,
    log = () => {},
    recordTo,
    ...others
  }: { allowedOrigins?: string[]; clock?: Clock; store?: SessionStore; log?: Log; recordTo?: string } = {},
) {
  const folder = mkdtempSync(join(tmpdir(), 'patchbay-page-'));
  writeFileSync(join(folder, 'index.html'), '<!doctype html><title>Patchbay</title>');
  writeFileSync(join(folder, 'app.12345678.js'), 'export {};');
  writeFileSync(join(folder, 'app.12345678.js.br'), 'compressed');
  const ports = { ...(clock && { clock }), ...(store && { store }), ...(recordTo && { recordTo }) };
  const gateway = createGateway(parseConfig(config), { log, inspectedAs: '0.0.0', ...ports });
  if (gateway.inspector === null) throw new Error('no inspector');
  const inspector = { api: gateway.inspector, folder, frontend: 'canonical' };
  const server = await listen({ board: gateway.board, token, inspector, ...others });
  const { url } = server;
  const code = new URL(server.inspector ?? '').hash.slice('#code='.length);

  const sockets = new Set<WebSocket>();

  const enter = (secret: object, headers: Record<string, string> = {}) =>
    fetch(`${url}/inspector/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: url, ...headers },
      body: JSON.stringify(secret),
    });

  async function logIn(): Promise<Page> {
    const answer = await enter({ token });
    const { path } = (await answer.json()) as { path: string };
    return { path, cookie: (answer.headers.get('set-cookie') ?? '').split(';', 1).join('') };
  }

  const ask = ({ path, cookie }: Page, route: string, init: RequestInit = {}) =>
    fetch(`${url}${path}${route}`, { ...init, headers: { origin: url, cookie, ...init.headers } });

  /** Opens the WebSocket of a page and attaches a session, as the page does; what it is told. */
  async function look({ path, cookie }: Page, session: string): Promise<Look> {
    const protocols = ['canonical.v1+resume'];
    const socket = new WebSocket(`${url.replace('http', 'ws')}${path}socket`, protocols, {
      headers: { cookie, origin: url },
    });
    const heard: string[] = [];
    sockets.add(socket);
    await new Promise((resolve, reject) => {
      // A session that has said nothing is silent; the second time is refused, once the first has been taken.
      const attach = JSON.stringify({ type: 'attach', session });
      socket.once('open', () => {
        for (const word of [attach, attach]) socket.send(word);
      });
      socket.on('message', (data) => {
        const text = String(data);
        if (text.includes('"refused"')) resolve(null);
        else heard.push(text);
      });
      socket.once('error', reject);
    });
    return { socket, heard };
  }

  async function close(): Promise<void> {
    for (const socket of sockets) socket.terminate();
    gateway.close('the test is over');
    await server.close();
  }
  return { url, port: server.port, code, gateway, enter, logIn, ask, look, close };
}

export type InspectorRig = Awaited<ReturnType<typeof startInspector>>;
