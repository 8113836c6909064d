// The page as it is built, in front of a real gateway with the demo agent; a stand-in for the gateway's own routes that the
// test can cut, silence and script.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { stopProcess } from '../../support/gateway.ts';

const dist = fileURLToPath(new URL('../../../dist/', import.meta.url));

/** The headers of the shell: the page works under them. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

const types: Readonly<Record<string, string>> = {
  js: 'text/javascript',
  css: 'text/css',
  html: 'text/html; charset=utf-8',
};

export interface Rig {
  readonly url: string;
  /** Address with a code that counts once. */
  link(fragment?: string): string;
  /** Ends the connections of all pages; `refuse`: and takes no new ones until it is called with false. */
  cut(refuse?: boolean): void;
  /** Rows that `wire` answers. */
  rows: object[];
  /** Frames instead of the gateway's, for sessions of this name. */
  readonly scripts: Map<string, readonly object[]>;
  close(): Promise<void>;
}

async function startGateway(): Promise<{
  readonly child: ChildProcessWithoutNullStreams;
  readonly url: string;
  readonly token: string;
}> {
  const child = spawn(process.execPath, [`${dist}cli/main.js`, 'serve', '--json', '--agent', 'demo', '--port', '0']);
  const lines = createInterface({ input: child.stdout });
  child.stderr.resume();
  const [line] = await once(lines, 'line');
  return { child, ...(JSON.parse(line) as { url: string; token: string }) };
}

export async function startRig(): Promise<Rig> {
  const gateway = await startGateway();
  const headers = { authorization: `Bearer ${gateway.token}`, 'content-type': 'application/json' };
  const codes = new Set<string>();
  const sockets = new Set<Socket>();
  let refuses = false;

  async function body(request: IncomingMessage): Promise<string> {
    let text = '';
    for await (const chunk of request) text += chunk;
    return text;
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://rig');
    const tell = (value: unknown, status = 200) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    if (url.pathname === '/' || url.pathname.startsWith('/inspector/app.'))
      return file(url.pathname === '/' ? '/inspector/index.html' : url.pathname, response);
    if (url.pathname === '/inspector/rules.json')
      return void tell({ 'docs/limits.md 5.2': 'A frame has at most so many bytes.' });
    if (url.pathname === '/inspector/login') {
      const { code, token } = JSON.parse(await body(request));
      if (!codes.delete(code) && token !== gateway.token) return void tell({ error: { message: 'no' } }, 401);
      return void tell({ path: '/i/test/' });
    }
    if (url.pathname === '/i/test/state') {
      const [agents, sessions] = await Promise.all(
        ['agents', 'sessions'].map((what) => fetch(`${gateway.url}/v1/${what}`, { headers }).then((got) => got.json())),
      );
      return void tell({
        version: '0.1.0',
        ...(agents as object),
        ...(sessions as object),
        dialects: ['claude', 'pi', 'eca'],
      });
    }
    if (url.pathname === '/i/test/sessions') {
      const got = await fetch(`${gateway.url}/v1/sessions`, { method: 'POST', headers, body: await body(request) });
      const { id: session } = (await got.json()) as { id: string };
      return void tell({ session });
    }
    if (url.pathname === '/i/test/wire') return void tell({ rows: rig.rows, kept: 0, end: rig.rows.length });
    tell({ error: { message: 'no such route' } }, 404);
  }

  const server = createServer((request, response) => void answer(request, response));
  server.on('upgrade', (request, socket: Socket, head) => {
    if (refuses) return void socket.destroy();
    const { hostname, port, host } = new URL(gateway.url);
    const upstream = connect(Number(port), hostname);
    const key = request.headers['sec-websocket-key'];
    upstream.write(
      `GET /v1/canonical/ws HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\nSec-WebSocket-Protocol: canonical.v1+resume\r\nAuthorization: Bearer ${gateway.token}\r\n\r\n`,
    );
    upstream.write(head);
    socket.pipe(upstream).pipe(socket);
    for (const each of [socket, upstream]) each.on('error', () => each.destroy());
    sockets.add(socket);
    socket.on('close', () => {
      sockets.delete(socket);
      upstream.destroy();
    });
    upstream.on('close', () => socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const rig: Rig = {
    url,
    rows: [],
    scripts: new Map(),
    link(fragment = '') {
      const code = `code-${codes.size}-${Math.random()}`;
      codes.add(code);
      return `${url}/#code=${code}${fragment}`;
    },
    cut(refuse = false) {
      refuses = refuse;
      if (refuse || arguments.length === 0) for (const socket of sockets) socket.destroy();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.closeAllConnections();
      server.close();
      await stopProcess(gateway.child);
    },
  };
  return rig;
}

function file(path: string, response: ServerResponse): void {
  const type = types[path.split('.').at(-1) ?? ''] ?? 'text/plain';
  response
    .writeHead(200, {
      'content-type': type,
      'content-security-policy': policy,
      'cross-origin-opener-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
    })
    .end(readFileSync(`${dist}${path.slice(1)}`));
}

/** The files of the page, by what follows `dist/inspector/`. */
export function pageFiles(): ReadonlyMap<string, Buffer> {
  return new Map(readdirSync(`${dist}inspector`).map((name) => [name, readFileSync(`${dist}inspector/${name}`)]));
}
