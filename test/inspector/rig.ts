// A gateway with the inspector and the demo agent, on a port of its own, and a browser's words spoken by hand.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseConfig } from '../../src/config/config.ts';
import { createGateway } from '../../src/gateway/full-gateway.ts';
import { listen } from '../../src/transports/http/server.ts';

export const token = 'the-token-of-the-test';

/** A page that is logged in. */
export interface Page {
  readonly path: string;
  readonly cookie: string;
}

/** Starts a gateway with agents. */
export async function startInspector(config: Record<string, unknown> = {}, others: { allowedOrigins?: string[] } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'patchbay-page-'));
  writeFileSync(join(folder, 'index.html'), '<!doctype html><title>Patchbay</title>');
  writeFileSync(join(folder, 'app.12345678.js'), 'export {};');
  writeFileSync(join(folder, 'app.12345678.js.br'), 'compressed');
  const gateway = createGateway(parseConfig(config), { log: () => {}, inspectedAs: '0.0.0' });
  if (gateway.inspector === null) throw new Error('no inspector');
  const inspector = { api: gateway.inspector, folder, frontend: 'canonical' };
  const server = await listen({ board: gateway.board, token, inspector, ...others });
  const { url } = server;
  const code = new URL(server.inspector ?? '').hash.slice('#code='.length);

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

  async function close(): Promise<void> {
    gateway.close('the test is over');
    await server.close();
  }
  return { url, port: server.port, code, gateway, enter, logIn, ask, close };
}

export type InspectorRig = Awaited<ReturnType<typeof startInspector>>;
