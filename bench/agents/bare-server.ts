// A server that does nothing but answer, to see what the machine itself costs.
import { createServer } from 'node:http';

const server = createServer((_request, response) => response.end('{"status":"ok"}'));
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  process.stdout.write(`${JSON.stringify({ type: 'ready', url: `http://127.0.0.1:${port}` })}\n`);
});
process.on('SIGTERM', () => process.exit(0));
