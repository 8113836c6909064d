// WebSockets: close codes, bad frames, dead peers, one write a tick, and dialling (docs/threats.md T16, T26).
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { connect as connectSocket, type Socket } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import type { CloseCode } from '../../src/core/contract/channel.ts';
import type { WebSocketChannelOptions } from '../../src/transports/websocket/channel.ts';
import { connectWebSocket, webSocketChannel } from '../../src/transports/websocket/dial.ts';
import { createArrivals } from './support/arrivals.ts';
import { record } from './support/recording-receiver.ts';

const cleanUps: (() => void)[] = [];
afterEach(() => {
  for (const cleanUp of cleanUps.splice(0)) cleanUp();
});

async function startServer(options: { maxPayload?: number } = {}) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', ...options });
  cleanUps.push(() => {
    for (const client of server.clients) client.terminate();
    server.close();
  });
  await once(server, 'listening');
  const address = server.address();
  return { server, port: typeof address === 'object' && address !== null ? address.port : 0 };
}

/** An accepted channel and whoever `call` connects. */
async function accept<Peer>(
  call: (port: number) => Peer,
  options: Partial<WebSocketChannelOptions> & { maxPayload?: number } = {},
) {
  const { server, port } = await startServer(options);
  const accepted = once(server, 'connection');
  const peer = call(port);
  const [socket, request]: [WebSocket, IncomingMessage] = await accepted.then(([a, b]) => [a, b]);
  const channel = webSocketChannel(socket, { label: 'websocket 1', socket: request.socket, ...options });
  const heard = record();
  channel.open(heard.receiver);
  return { peer, channel, heard, wire: request.socket };
}

const dial = (port: number) => new WebSocket(`ws://127.0.0.1:${port}`);

describe('close', () => {
  it.each<[CloseCode, number]>([
    ['normal', 1000],
    ['going-away', 1001],
    ['too-large', 1009],
    ['error', 1011],
    ['slow', 4008],
    ['bad-frame', 4400],
    ['unauthorized', 4401],
    ['not-found', 4404],
  ])('%s is %d', async (code, number) => {
    const { peer, channel } = await accept(dial);
    const closed = once(peer, 'close');
    channel.close(code, 'because');
    const [seen, reason] = await closed;
    expect([seen, String(reason)]).toEqual([number, 'because']);
  });

  it('cuts a long reason between characters, at what a close frame holds', async () => {
    const { peer, channel, heard } = await accept(dial);
    const closed = once(peer, 'close');
    channel.close('normal', 'é'.repeat(100));
    expect(String((await closed)[1])).toBe('é'.repeat(61));
    expect(await heard.end()).toEqual({ reason: 'é'.repeat(100) });
  });

  it('does not wait for ever for a peer that does not answer', async () => {
    const { peer, channel, heard } = await accept(dial, { closeGraceMs: 20 });
    await once(peer, 'open');
    peer.pause();
    channel.close('normal', 'enough');
    expect(await heard.end()).toEqual({ reason: 'enough' });
  });

  it('hears the answer of the peer although it was paused', async () => {
    const { peer, channel, heard } = await accept(dial, { closeGraceMs: 60_000 });
    await once(peer, 'open');
    channel.pause();
    channel.close('normal', 'enough');
    expect(await heard.end()).toEqual({ reason: 'enough' });
  });

  it('tells what the peer said, printable', async () => {
    const { peer, heard } = await accept(dial);
    await once(peer, 'open');
    peer.close(4321, 'bye \x1b[31m');
    expect(await heard.end()).toEqual({ reason: 'connection closed (code 4321: bye \\x1b[31m)' });
  });

  it('tells of a peer that is simply gone', async () => {
    const { peer, heard } = await accept(dial);
    await once(peer, 'open');
    peer.terminate();
    expect(await heard.end()).toEqual({ reason: 'connection closed (code 1006)' });
  });
});

describe('what is no frame', () => {
  it('a binary message is a fault, and the connection goes on', async () => {
    const { peer, heard } = await accept(dial);
    await once(peer, 'open');
    peer.send('{"n":1}');
    peer.send(Buffer.from('{"n":2}'));
    peer.send('{"n":3}');
    expect(await heard.frames.first(2)).toEqual(['{"n":1}', '{"n":3}']);
    expect(heard.calls).toEqual(['frame', 'fault', 'frame']);
    expect(heard.faults.items).toEqual([
      { code: 'bad-frame', message: 'a binary message, where only text is accepted' },
    ]);
  });

  it('too large a message ends the connection with 1009', async () => {
    const { peer, heard } = await accept(dial, { maxPayload: 1000 });
    await once(peer, 'open');
    const closed = once(peer, 'close');
    peer.send('x'.repeat(1001));
    expect((await closed)[0]).toBe(1009);
    expect(await heard.end()).toEqual({ reason: 'the peer sent a message that is too large' });
    expect(heard.calls).toEqual(['fault', 'end']);
    expect(heard.faults.items[0]?.code).toBe('too-large');
  });

  it('a message that is too large by less than half is answered, and the next one works', async () => {
    const { peer, channel, heard } = await accept(dial, { maxFrameBytes: 1000, maxPayload: 2000 });
    channel.open(heard.receiver);
    await once(peer, 'open');
    const received = createArrivals<string>();
    peer.on('message', (data) => received.add(data.toString()));
    heard.receiver.fault = () => channel.send('{"error":"too large"}');
    peer.send('x'.repeat(1001));
    expect(await received.first(1)).toEqual(['{"error":"too large"}']);
    peer.send('y'.repeat(1000));
    expect(await heard.frames.first(1)).toEqual(['y'.repeat(1000)]);
  });

  /** A client that has shaken hands and can send any bytes. */
  function rawClient(port: number): Socket {
    const socket = connectSocket(port, '127.0.0.1');
    socket.write(
      `GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
        'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    );
    socket.on('error', () => {});
    socket.resume();
    return socket;
  }

  it.each([
    ['an unmasked message', [0x81, 0x01, 0x61]],
    ['a reserved bit', [0xc1, 0x81, 0, 0, 0, 0, 0x61]],
    ['a reserved opcode', [0x83, 0x81, 0, 0, 0, 0, 0x61]],
    ['a stray continuation', [0x80, 0x81, 0, 0, 0, 0, 0x61]],
    ['text that is not UTF-8', [0x81, 0x81, 0, 0, 0, 0, 0xff]],
    ['a ping of 126 bytes', [0x89, 0xfe, 0, 126, 0, 0, 0, 0]],
    ['a close frame of one byte', [0x88, 0x81, 0, 0, 0, 0, 0x61]],
  ])('%s ends the connection, with a fault', async (_name, bytes) => {
    const { peer, heard } = await accept(rawClient);
    peer.write(Uint8Array.from(bytes));
    const { reason } = await heard.end();
    expect(reason).toMatch(/^the peer sent an invalid WebSocket message/);
    expect(heard.faults.items.map(({ code }) => code)).toEqual(['bad-frame']);
    peer.destroy();
  });

  it('a message byte by byte, its characters cut over fragments, arrives whole', async () => {
    const { peer, heard } = await accept(rawClient);
    const text = [...Buffer.from('"é😀"')];
    const fragments = text.map((byte, at) => [
      at === 0 ? 0x01 : at === text.length - 1 ? 0x80 : 0x00,
      0x81,
      0,
      0,
      0,
      0,
      byte,
    ]);
    for (const byte of fragments.flat()) peer.write(Uint8Array.of(byte));
    expect(await heard.frames.first(1)).toEqual(['"é😀"']);
    peer.destroy();
  });
});

describe('messages that hold lines', () => {
  const framing = 'lines';

  it.each<[string, string, readonly string[]]>([
    ['one line', '{"n":1}\n', ['{"n":1}']],
    ['one without LF', '{"n":1}', ['{"n":1}']],
    ['several', '{"n":1}\n{"n":2}\n', ['{"n":1}', '{"n":2}']],
    ['several, the last without LF', '{"n":1}\n{"n":2}', ['{"n":1}', '{"n":2}']],
    ['blank lines', '\n{"n":1}\r\n\r\n\n{"n":2}\n\n', ['{"n":1}', '{"n":2}']],
    ['other line ends in a string', '"\u2028\u2029\u0085"\n', ['"\u2028\u2029\u0085"']],
  ])('%s', async (_name, message, expected) => {
    const { peer, heard } = await accept(dial, { framing });
    await once(peer, 'open');
    peer.send(message);
    peer.send('"the next message"');
    expect(await heard.frames.first(expected.length + 1)).toEqual([...expected, '"the next message"']);
    expect(heard.faults.items).toEqual([]);
  });

  it.each([
    ['lines', '1\n'],
    ['blank lines', '\n'],
  ])('more than 1,024 %s are one fault, before the first is taken; the next message counts', async (_name, line) => {
    const { peer, heard } = await accept(dial, { framing });
    await once(peer, 'open');
    peer.send(line.repeat(1025));
    peer.send('2\n'.repeat(1024));
    expect(await heard.frames.first(1024)).toEqual(Array.from({ length: 1024 }, () => '2'));
    expect(heard.faults.items).toMatchObject([{ code: 'too-large' }]);
    expect(heard.calls[0]).toBe('fault');
  });

  it('an agent that was dialled may send more of them', async () => {
    const { server, port } = await startServer();
    const accepted = once(server, 'connection');
    const channel = connectWebSocket(`ws://127.0.0.1:${port}`, { framing });
    cleanUps.push(() => channel.close('normal', 'the test is over'));
    const heard = record();
    channel.open(heard.receiver);
    const [socket] = await accepted;
    socket.send('1\n'.repeat(1025));
    expect(await heard.frames.first(1025)).toHaveLength(1025);
  });

  it('a line that is not ended does not go on in the next message', async () => {
    const { peer, heard } = await accept(dial, { framing });
    await once(peer, 'open');
    for (const half of ['{"n":', '1}']) peer.send(half);
    expect(await heard.frames.first(2)).toEqual(['{"n":', '1}']);
  });

  it('the limit is for each line: one that is too long is a fault, and those around it count', async () => {
    const { peer, heard } = await accept(dial, { framing, maxFrameBytes: 10, maxPayload: 50 });
    await once(peer, 'open');
    peer.send('"12345678"\n"123456789"\n2\n');
    peer.send('"123456789"');
    peer.send('3');
    expect(await heard.frames.first(3)).toEqual(['"12345678"', '2', '3']);
    expect(heard.calls).toEqual(['frame', 'fault', 'frame', 'fault', 'frame']);
    expect(new Set(heard.faults.items.map(({ code }) => code))).toEqual(new Set(['too-large']));
    const closed = once(peer, 'close');
    peer.send('1\n'.repeat(30));
    expect((await closed)[0]).toBe(1009);
  });

  it('a binary message is a fault', async () => {
    const { peer, heard } = await accept(dial, { framing });
    await once(peer, 'open');
    peer.send(Buffer.from('1\n'));
    expect(await heard.faults.first(1)).toMatchObject([{ code: 'bad-frame' }]);
  });

  it('what we send is one line for each message', async () => {
    const { peer, channel } = await accept(dial, { framing });
    await once(peer, 'open');
    const received = createArrivals<string>();
    peer.on('message', (data) => received.add(data.toString()));
    channel.send('{"n":\n1}');
    channel.send(['{"n":', Buffer.from('"é"'), '}']);
    // Each with a header of two bytes.
    expect(channel.buffered).toBe(2 + 9 + 2 + 11);
    expect(await received.first(2)).toEqual(['{"n": 1}\n', '{"n":"é"}\n']);
  });

  it('a receiver may pause between two of them', async () => {
    const { peer, channel, heard } = await accept(dial, { framing });
    await once(peer, 'open');
    const { frame } = heard.receiver;
    heard.receiver.frame = (given) => {
      frame(given);
      channel.pause();
    };
    peer.send('1\n2\n');
    expect(await heard.frames.first(1)).toEqual(['1']);
    expect(heard.calls).toEqual(['frame']);
    channel.resume();
    expect(await heard.frames.first(2)).toEqual(['1', '2']);
  });

  it('goes both ways when we have dialled', async () => {
    const { server, port } = await startServer();
    const accepted = once(server, 'connection');
    const channel = connectWebSocket(`ws://127.0.0.1:${port}`, { framing });
    cleanUps.push(() => channel.close('normal', 'the test is over'));
    const heard = record();
    channel.open(heard.receiver);
    channel.send('1');
    const received = createArrivals<string>();
    const [socket] = await accepted;
    socket.on('message', (data: Buffer) => received.add(data.toString()));
    socket.send('2\n3\n');
    expect([await received.first(1), await heard.frames.first(2)]).toEqual([['1\n'], ['2', '3']]);
  });
});

describe('heartbeat', () => {
  it('drops a peer that does not answer', async () => {
    const { heard } = await accept((port) => new WebSocket(`ws://127.0.0.1:${port}`, { autoPong: false }), {
      pingMs: 10,
      silenceMs: 50,
    });
    expect(await heard.end()).toEqual({ reason: 'the peer stopped answering pings' });
  });

  it('keeps one that does', async () => {
    const pings = createArrivals<true>();
    const { heard } = await accept((port) => dial(port).on('ping', () => pings.add(true)), {
      pingMs: 30,
      silenceMs: 300,
    });
    // More pings than fit into one silence.
    await pings.first(15);
    expect(heard.calls).toEqual([]);
  });

  it('does not blame a peer for answers that we do not read', async () => {
    const pings = createArrivals<true>();
    const { channel, heard } = await accept((port) => dial(port).on('ping', () => pings.add(true)), {
      pingMs: 10,
      silenceMs: 30,
    });
    channel.pause();
    await pings.first(15);
    expect(heard.calls).toEqual([]);
  });
});

it('writes once a tick', async () => {
  const { peer, channel, wire } = await accept(dial);
  await once(peer, 'open');
  const single = vi.spyOn(wire, '_write');
  const scatter = vi.spyOn(wire, '_writev');
  const received = createArrivals<string>();
  peer.on('message', (data) => received.add(data.toString()));
  for (let n = 0; n < 100; n += 1) channel.send(String(n));
  await received.first(100);
  expect([single.mock.calls.length, scatter.mock.calls.length]).toEqual([1, 0]);
});

describe('dialling', () => {
  it('keeps what is sent before the connection stands, and shows the token', async () => {
    const { server, port } = await startServer();
    const accepted = once(server, 'connection');
    const channel = connectWebSocket(`ws://127.0.0.1:${port}/path?ticket=secret`, {
      token: 'secret',
      protocols: ['pi.v1'],
    });
    cleanUps.push(() => channel.close('normal', 'the test is over'));
    channel.send('{"n":1}');
    channel.send('{"n":2}');
    expect(channel.buffered).toBe(14);
    const received = createArrivals<string>();
    const [socket, request] = await accepted;
    socket.on('message', (data: Buffer) => received.add(data.toString()));
    expect(await received.first(2)).toEqual(['{"n":1}', '{"n":2}']);
    expect(request.headers.authorization).toBe('Bearer secret');
    expect(request.headers['sec-websocket-protocol']).toBe('pi.v1');
    expect(channel.label).toBe(`websocket ws://127.0.0.1:${port}/path`);
  });

  it('passes recognised messages on without cutting them out, in order with the others (decision 0011)', async () => {
    const { server, port } = await startServer();
    const accepted = once(server, 'connection');
    const channel = connectWebSocket(`ws://127.0.0.1:${port}`);
    cleanUps.push(() => channel.close('normal', 'the test is over'));
    const told = createArrivals<string>();
    channel.open({
      ...record().receiver,
      frame: ({ text }) => told.add(`frame ${text}`),
      recognise(peek, start, end) {
        if (peek.ascii(start, start + 5) !== '"fast') return null;
        const next = end - 1;
        return { next, ending: Buffer.from('"'), splice: null, accept: () => told.add('recognised') };
      },
    });
    const [socket] = await accepted;
    for (const message of ['"slow"', '"fast"', '"fast', '"slow"']) socket.send(message);
    expect(await told.first(4)).toEqual(['frame "slow"', 'recognised', 'frame "fast', 'frame "slow"']);
  });

  it('can be closed before it stands', async () => {
    const { port } = await startServer();
    const channel = connectWebSocket(`ws://127.0.0.1:${port}`);
    const heard = record();
    channel.open(heard.receiver);
    channel.close('normal', 'never mind');
    expect(await heard.end()).toEqual({ reason: 'never mind' });
    expect(heard.calls).toEqual(['end']);
  });

  it.each([
    ['ws://127.0.0.1:1/', /^could not connect: connect ECONNREFUSED 127\.0\.0\.1:1$/],
    ['ws://nowhere.invalid/', /^could not connect: getaddrinfo \w+ nowhere\.invalid$/],
    ['no url', /^could not connect: Invalid URL/],
    ['ftp://127.0.0.1/', /^could not connect: /],
  ])('%s', async (url, reason) => {
    const channel = connectWebSocket(url);
    const heard = record();
    channel.open(heard.receiver);
    channel.send('{"n":1}');
    expect((await heard.end()).reason).toMatch(reason);
    expect([heard.calls, channel.buffered]).toEqual([['end'], 0]);
  });

  it('tells of a refusal, and follows no redirect', async () => {
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url ?? '');
      if (request.url === '/moved') response.writeHead(302, { location: '/elsewhere' }).end();
      else response.writeHead(401).end();
    });
    server.on('upgrade', (request, socket) => {
      asked.push(request.url ?? '');
      const status = request.url === '/moved' ? '302 Found\r\nLocation: /elsewhere' : '401 Unauthorized';
      socket.end(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\n\r\n`);
    });
    server.listen(0, '127.0.0.1');
    cleanUps.push(() => server.close());
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    for (const [path, status] of [
      ['/', 401],
      ['/moved', 302],
    ]) {
      const channel = connectWebSocket(`ws://127.0.0.1:${port}${path}`, { token: 'secret' });
      const heard = record();
      channel.open(heard.receiver);
      expect(await heard.end()).toEqual({ reason: `could not connect: Unexpected server response: ${status}` });
    }
    expect(asked).toEqual(['/', '/moved']);
  });
});
