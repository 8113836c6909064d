// The least that a server with many readers can do: sends each line of a program's output to every WebSocket, unread.
// It reads no further while one of its readers has too much before it. Starts the program that its arguments name at
// each line of its own input.
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { type WebSocket, WebSocketServer } from 'ws';

const [program = '', ...args] = process.argv.slice(2);
/** Bytes that may wait for one reader. */
const mostWaiting = 1024 * 1024;

const server = createServer();
const sockets = new WebSocketServer({ server, perMessageDeflate: false });
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  process.stdout.write(`${JSON.stringify({ type: 'ready', url: `http://127.0.0.1:${port}` })}\n`);
});

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
    let start = 0;
    for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, start)) {
      const line = bytes.subarray(start, end);
      for (const socket of sockets.clients) socket.send(line, { binary: false });
      start = end + 1;
    }
    tail = bytes.subarray(start);
    stdout.pause();
    waitForAll();
  });
}

process.stdin.on('data', play);
process.on('SIGTERM', () => process.exit(0));
