// `patchbay record --url`: a WebSocket client, the relay as a process, and a server.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { loadTape } from '../../../src/tape/loaded.ts';
import { bytesOf, readTape } from '../../../src/tape/reader.ts';
import { patchbay } from '../../support/command.ts';

const main = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'patchbay-record-url-'));

/** Says each message back; `bye` closes with a code; without a right token nobody is let in. */
const server = createServer();
const acceptor = new WebSocketServer({ noServer: true, handleProtocols: (offered) => [...offered].at(-1) ?? false });
const asked: { url: string | undefined; headers: IncomingHttpHeaders }[] = [];
server.on('upgrade', (request, socket, head) => {
  asked.push({ url: request.url, headers: request.headers });
  if (request.headers.authorization !== 'Bearer right-token') {
    socket.end('HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n');
    return;
  }
  acceptor.handleUpgrade(request, socket, head, (client) => {
    client.on('message', (data: Buffer, isBinary) => {
      if (data.toString() === 'bye') client.close(4001, 'enough');
      else client.send(data, { binary: isBinary });
    });
  });
});
let port = 0;
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ({ port } = server.address() as AddressInfo);
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

/** Starts the relay. `end` stops it and gives what it has said. */
async function relay(name: string, ...more: readonly string[]) {
  const file = join(folder, name);
  const url = `ws://127.0.0.1:${port}/agent?key=hidden-word`;
  const child = spawn(process.execPath, [main, 'record', '-o', file, '--url', url, ...more]);
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  while (!stderr.includes(' leads to ')) await once(child.stderr, 'data');
  return {
    address: /ws:\S+/u.exec(stderr)?.[0] ?? '',
    async end() {
      child.kill('SIGTERM');
      const [code] = await once(child, 'close');
      return { code, stderr, tape: readTape(readFileSync(file, 'utf8')), file };
    },
  };
}

const right = { authorization: 'Bearer right-token' };

async function connected(address: string, protocols: string[] = [], headers = {}): Promise<WebSocket> {
  const client = new WebSocket(address, protocols, { headers: { ...right, ...headers } });
  await once(client, 'open');
  return client;
}

describe('patchbay record --url', () => {
  it('passes every message as it came, with headers, subprotocol and the closing code, and keeps it', async () => {
    const { address, end } = await relay('passed.jsonl', '--protocol', 'claude');
    const client = await connected(address, ['one', 'two'], { 'x-own': 'kept' });
    expect(client.protocol).toBe('two');
    const messages = ['{"a":"ä\u2028"}', 'two\nlines\n', '', Buffer.of(0xff, 0, 1)];
    for (const message of messages) {
      client.send(message);
      const [data, isBinary] = await once(client, 'message');
      expect([Buffer.from(data), isBinary]).toEqual([Buffer.from(message), typeof message !== 'string']);
    }
    client.send('bye');
    const [code, reason] = await once(client, 'close');
    expect([code, String(reason)]).toEqual([4001, 'enough']);
    const ended = await end();
    expect(ended.code).toBe(0);
    const said = Buffer.concat(messages.map((message) => Buffer.from(message)));
    expect(bytesOf(ended.tape, 'out')).toEqual(said);
    expect(bytesOf(ended.tape, 'in')).toEqual(Buffer.concat([said, Buffer.from('bye')]));
    expect(ended.tape.meta).toMatchObject({ protocol: 'claude', url: `ws://127.0.0.1:${port}/agent` });
    expect(ended.tape.exit).toMatchObject({ code: 0 });
    expect(readFileSync(ended.file, 'utf8')).not.toContain('hidden-word');
    expect(asked.at(-1)).toMatchObject({ url: '/agent?key=hidden-word', headers: { ...right, 'x-own': 'kept' } });
  });

  it('names each connection, and its tape plays on stdio, a line for each message', async () => {
    const { address, end } = await relay('two.jsonl');
    for (const word of ['a', 'b']) {
      const client = await connected(address);
      client.send(`{"type":"${word}"}`);
      await once(client, 'message');
      client.close();
      await once(client, 'close');
    }
    const { file, tape } = await end();
    expect(tape.frames.map(({ dir, conn }) => `${dir} ${conn}`)).toEqual(['in 1', 'out 1', 'in 2', 'out 2']);
    const played = await patchbay(['replay', file, '--conn', '2'], { input: '{"type":"b"}\n' });
    expect(played).toEqual({ code: 0, stdout: '{"type":"b"}\n', stderr: '' });
  });

  it('leads a client to the path that it asks for, on the same machine', async () => {
    const { address, end } = await relay('path.jsonl');
    const { host } = new URL(address);
    for (const path of ['/other?a=1', '//evil.test/x']) (await connected(`ws://${host}${path}`)).terminate();
    expect(asked.slice(-2).map(({ url }) => url)).toEqual(['/other?a=1', '//evil.test/x']);
    await end();
  });

  it('passes a refusal on, and refuses pages that have led their own name here', async () => {
    const { address, end } = await relay('refused.jsonl');
    const status = async (headers: object) => {
      const client = new WebSocket(address, { headers: { ...headers } });
      client.on('error', () => {});
      const [, response] = await once(client, 'unexpected-response');
      response.destroy();
      return response.statusCode;
    };
    expect(await status({ authorization: 'Bearer wrong' })).toBe(401);
    const before = asked.length;
    expect(await status({ ...right, host: 'evil.test' })).toBe(403);
    expect(asked).toHaveLength(before);
    expect((await end()).stderr).toContain('refused with status 401');
  });

  it('tells an open client that it ends', async () => {
    const { address, end } = await relay('open.jsonl');
    const client = await connected(address);
    const [[code], ended] = await Promise.all([once(client, 'close'), end()]);
    expect([code, ended.code]).toEqual([1001, 0]);
  });
});

test.each([
  [['--url', 'http://127.0.0.1:1/'], /begins with ws:\/\/ or wss:\/\//u],
  [['--url', 'ws://127.0.0.1:1/', '--', 'true'], /one of the two/u],
  [[], /one of the two/u],
  [['--url', 'ws://127.0.0.1:1/', '--port', '70000'], /must be a port/u],
])('%j is wrong usage', async (words, message) => {
  const ended = await patchbay(['record', '-o', join(folder, `wrong-${words.length}.jsonl`), ...words]);
  expect(ended).toMatchObject({ code: 2, stderr: expect.stringMatching(message) });
});

test('a message is a line where its tape is played, whatever it ends with', () => {
  const rows = ['{"a":1}', '{"a":2}\\n'].map(
    (line) => `{"dir":"out","line":"${line.replaceAll('"', '\\"')}","frame":"text"}\n`,
  );
  const { frames } = loadTape(rows.join(''), { isByLength: () => false });
  expect(bytesOf({ frames }, 'out').toString()).toBe('{"a":1}\n{"a":2}\n');
});
