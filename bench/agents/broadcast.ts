// The least that a server with many readers can do: sends each line of a program's output to every WebSocket, unread;
// `each` line by ws.send, or `joined`: the frames of one read are made once and written as one, past ws. It reads no
// further while one of its readers has too much before it. Starts the program that its other arguments name at each line
// of its own input.
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';

const [way = 'each', program = '', ...args] = process.argv.slice(2);
/** Bytes that may wait for one reader. */
const mostWaiting = 1024 * 1024;

const server = createServer();
const sockets = new WebSocketServer({ server, perMessageDeflate: false });
const wires = new Set<Duplex>();
sockets.on('connection', (_, request) => {
  wires.add(request.socket);
  request.socket.on('close', () => wires.delete(request.socket));
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  process.stdout.write(`${JSON.stringify({ type: 'ready', url: `http://127.0.0.1:${port}` })}\n`);
});

/** A text message of a server as its bytes. */
function framed(line: Buffer): Buffer[] {
  const head = Buffer.alloc(line.length < 126 ? 2 : 4);
  head[0] = 0x81;
  head[1] = line.length < 126 ? line.length : 126;
  if (line.length >= 126) head.writeUInt16BE(line.length, 2);
  return [head, line];
}

function play(): void {
  const { stdout } = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let tail: Buffer = Buffer.alloc(0);

  const isBehind = ({ bufferedAmount }: WebSocket) => bufferedAmount > mostWaiting;
  function waitForAll(): void {
    if ([...sockets.clients].some(isBehind)) setTimeout(waitForAll, 1);
    else stdout.resume();
  }

  stdout.on('data', (chunk: Buffer) => {
    const bytes = Buffer.concat([tail, chunk]);
    const frames: Buffer[] = [];
    let start = 0;
    for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, start)) {
      const line = bytes.subarray(start, end);
      if (way === 'joined') frames.push(...framed(line));
      else for (const socket of sockets.clients) socket.send(line, { binary: false });
      start = end + 1;
    }
    tail = bytes.subarray(start);
    const joined = Buffer.concat(frames);
    if (joined.length > 0) for (const wire of wires) wire.write(joined);
    stdout.pause();
    waitForAll();
  });
}

process.stdin.on('data', play);
process.on('SIGTERM', () => process.exit(0));
