// Every transport through the contract suite. The far ends are spoken to without our own channels wherever one can.
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Duplex, Readable, Writable } from 'node:stream';
import { PassThrough } from 'node:stream';
import { WebSocket, WebSocketServer } from 'ws';
import { type SpawnOptions, spawnChannel } from '../../src/transports/child/child-process.ts';
import { openSocketPair, type SocketPair } from '../../src/transports/child/socket-pair.ts';
import { streamFraming } from '../../src/transports/framing/framings.ts';
import { listen } from '../../src/transports/http/server.ts';
import { memoryPair } from '../../src/transports/memory.ts';
import { connectEventSource } from '../../src/transports/sse/client.ts';
import { stdioChannel } from '../../src/transports/stdio.ts';
import { connectWebSocket, webSocketChannel } from '../../src/transports/websocket/dial.ts';
import { describeTransport, type FarEnd, type Rig } from '../contract/transport.ts';
import { createFakeBoard } from '../support/fake-board.ts';
import { createArrivals } from './support/arrivals.ts';
import { record } from './support/recording-receiver.ts';

const maxFrameBytes = 1024 * 1024;

/** The far end of a pair of byte streams that carry lines. */
function lineEnd(input: Readable, output: Writable, hangUp: () => void): FarEnd {
  const received = createArrivals<string>();
  let rest = '';
  input.setEncoding('utf8');
  input.on('data', (text: string) => {
    const lines = `${rest}${text}`.split('\n');
    rest = lines.pop() ?? '';
    lines.forEach(received.add);
  });
  input.on('error', () => {});
  output.on('error', () => {});
  return {
    received,
    send: (message) => void output.write(`${message}\n`),
    hangUp,
    stall: () => void input.pause(),
    carryOn: () => void input.resume(),
  };
}

/** The far end of a pair of byte streams that carry Content-Length frames; it reads with a search, as Emacs does. */
function headerEnd(input: Readable, output: Writable, hangUp: () => void): FarEnd {
  const received = createArrivals<string>();
  let rest = '';
  input.setEncoding('latin1');
  input.on('data', (bytes: string) => {
    rest += bytes;
    for (;;) {
      const [head, length] = /^Content-Length: (\d+)\r\n\r\n/.exec(rest) ?? [];
      if (head === undefined || rest.length < head.length + Number(length)) return;
      const end = head.length + Number(length);
      received.add(Buffer.from(rest.slice(head.length, end), 'latin1').toString());
      rest = rest.slice(end);
    }
  });
  input.on('error', () => {});
  output.on('error', () => {});
  return {
    received,
    send: (message) => void output.write(`Content-Length: ${Buffer.byteLength(message)}\r\n\r\n${message}`),
    hangUp,
    stall: () => void input.pause(),
    carryOn: () => void input.resume(),
  };
}

/** How the far end of a pair of byte streams cuts them. */
const streamEnds = { jsonl: lineEnd, 'content-length': headerEnd } as const;
type StreamName = keyof typeof streamEnds;

function socketEnd(socket: WebSocket): FarEnd {
  const received = createArrivals<string>();
  socket.on('message', (data) => received.add(data.toString()));
  socket.on('error', () => {});
  return {
    received,
    send: (message) => socket.send(message),
    hangUp: () => socket.close(1000),
    stall: () => socket.pause(),
    carryOn: () => socket.resume(),
  };
}

/** A child that only passes bytes between its stdio and a socket of ours, so that real pipes are under test. */
const bridge = `
  const socket = require('node:net').connect(Number(process.argv[1]), '127.0.0.1');
  process.stdin.pipe(socket);
  socket.pipe(process.stdout);
`;

async function connectChild(name: StreamName, pair: SocketPair | null): Promise<Rig> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const connected = once(server, 'connection');
  const options: SpawnOptions = {
    command: [process.execPath, '-e', bridge, String(port)],
    label: 'child bridge',
    framing: streamFraming(name),
    maxFrameBytes,
  };
  const channel = spawnChannel(options, undefined, pair);
  const [socket]: Duplex[] = await connected;
  if (socket === undefined) throw new Error('unreachable');
  const far = streamEnds[name](socket, socket, () => socket.end());
  return {
    channel,
    far,
    dispose() {
      socket.destroy();
      server.close();
    },
  };
}

async function connectStdio(name: StreamName): Promise<Rig> {
  const input = new PassThrough();
  const output = new PassThrough();
  const channel = stdioChannel({ input, output, label: 'stdio', maxFrameBytes, framing: streamFraming(name) });
  return { channel, far: streamEnds[name](output, input, () => input.end()), dispose: () => {} };
}

async function acceptWebSocket(): Promise<Rig> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', maxPayload: maxFrameBytes });
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const accepted = once(server, 'connection');
  const client = new WebSocket(`ws://127.0.0.1:${port}`);
  const far = socketEnd(client);
  const opened = once(client, 'open');
  const [socket, request] = await accepted;
  const channel = webSocketChannel(socket, { label: 'websocket 1', socket: request.socket });
  await opened;
  return {
    channel,
    far,
    dispose() {
      client.terminate();
      server.close();
    },
  };
}

async function dialWebSocket(): Promise<Rig> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const accepted = once(server, 'connection');
  const channel = connectWebSocket(`ws://127.0.0.1:${port}`, { maxFrameBytes });
  const [socket]: WebSocket[] = await accepted;
  if (socket === undefined) throw new Error('unreachable');
  return {
    channel,
    far: socketEnd(socket),
    dispose() {
      socket.terminate();
      server.close();
    },
  };
}

async function connectMemory(): Promise<Rig> {
  const [channel, other] = memoryPair();
  const received = createArrivals<string>();
  const heard = record();
  other.open({ ...heard.receiver, frame: (frame) => received.add(frame.text) });
  return {
    channel,
    far: {
      received,
      send: other.send,
      hangUp: () => other.close('normal', 'hung up'),
      stall: other.pause,
      carryOn: other.resume,
    },
    dispose: () => {},
  };
}

async function connectEvents(): Promise<Rig> {
  const board = createFakeBoard();
  const session = board.add('s1');
  const server = await listen({ board });
  const base = `${server.url}/v1/pi/sessions/s1`;
  const channel = connectEventSource({
    streamUrl: `${base}/events`,
    sendUrl: `${base}/frames`,
    token: server.token,
    maxFrameBytes,
  });
  return {
    channel,
    far: { received: session.posted, send: session.append, hangUp: () => session.close('the session is over') },
    dispose: server.close,
  };
}

const streams = { maxFrameBytes, afterTooLarge: 'goes on' } as const;
for (const framing of ['jsonl', 'content-length'] as const) {
  describeTransport({ name: `child process, ${framing}`, ...streams, connect: () => connectChild(framing, null) });
  describeTransport({
    name: `child process, ${framing}, socket pair`,
    ...streams,
    connect: async () => connectChild(framing, await openSocketPair()),
  });
  describeTransport({ name: `stdio, ${framing}`, ...streams, connect: () => connectStdio(framing) });
}
// The limit of the library itself, which hangs up; the dialled one has our own limit, below it.
describeTransport({ name: 'websocket, accepted', maxFrameBytes, afterTooLarge: 'ends', connect: acceptWebSocket });
describeTransport({ name: 'websocket, dialled', maxFrameBytes, afterTooLarge: 'goes on', connect: dialWebSocket });
describeTransport({ name: 'memory', maxFrameBytes: null, afterTooLarge: 'goes on', connect: connectMemory });
describeTransport({
  name: 'server-sent events, both ends',
  maxFrameBytes,
  afterTooLarge: 'goes on',
  cannotStall: 'a post is answered at once',
  connect: connectEvents,
});
