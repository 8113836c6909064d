// The least that stands between clients and agents on WebSockets: a connection of its own to the agent for each client,
// each message passed on unread.
import { createServer } from 'node:http';
import { WebSocket, WebSocketServer } from 'ws';

const [, , agent = ''] = process.argv;
const options = { perMessageDeflate: false } as const;

const server = createServer();
new WebSocketServer({ server, ...options }).on('connection', (client) => {
  const upstream = new WebSocket(agent, options);
  const early: Buffer[] = [];
  client.on('error', () => {}).on('close', () => upstream.terminate());
  upstream.on('error', () => {}).on('close', () => client.terminate());
  client.on('message', (bytes: Buffer) => {
    if (upstream.readyState === WebSocket.OPEN) upstream.send(bytes, { binary: false });
    else early.push(bytes);
  });
  upstream.on('open', () => {
    for (const bytes of early) upstream.send(bytes, { binary: false });
  });
  upstream.on('message', (bytes: Buffer) => client.send(bytes, { binary: false }));
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  process.stdout.write(`${JSON.stringify({ type: 'ready', url: `ws://127.0.0.1:${port}` })}\n`);
});
process.on('SIGTERM', () => process.exit(0));
