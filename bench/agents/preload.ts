// Loaded into a server with --import, for comparisons of memory: collects garbage when told to by SIGUSR2, and lets
// more connections in than the server's own limit.
import { Server } from 'node:net';

Object.defineProperty(Server.prototype, 'maxConnections', { get: () => undefined, set: () => {} });

process.on('SIGUSR2', () => {
  globalThis.gc?.();
  globalThis.gc?.();
});
