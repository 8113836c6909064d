// A TCP proxy that ends each connection after so many bytes of its answers: a network that cuts anywhere.
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** A way to a port on this machine. */
export interface ByteProxy {
  readonly port: number;
  /** Bytes that each new connection passes to its client before it ends. Asked for with each connection. */
  budget: () => number;
  /** Connections that were ended. */
  readonly cuts: number;
  /** Bytes that the newest connection has passed to its client. */
  readonly passed: number;
  /** Ends the connections of now. */
  cut(): void;
  /** The connections of now pass nothing more to their clients, and are not ended either. */
  stall(): void;
  close(): void;
}

/** Starts a proxy that cuts nothing at first. */
export async function createByteProxy(target: () => number): Promise<ByteProxy> {
  const sockets = new Set<Socket>();
  let cuts = 0;
  let passed = 0;
  let stalls = 0;

  const server = createServer((near) => {
    const far = connect(target(), '127.0.0.1');
    let left = proxy.budget();
    const born = stalls;
    const isStalled = () => born < stalls;
    passed = 0;
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('end', () => isStalled() || other.end());
      socket.on('close', () => {
        sockets.delete(socket);
        if (!isStalled()) other.destroy();
      });
    }
    near.on('data', (chunk) => far.write(chunk));
    far.on('data', (chunk: Buffer) => {
      if (left < 0 || isStalled()) return;
      passed += Math.min(chunk.length, left);
      if (chunk.length <= left) near.write(chunk);
      else {
        cuts += 1;
        near.end(chunk.subarray(0, left));
      }
      left -= chunk.length;
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const proxy = {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    budget: () => Number.POSITIVE_INFINITY,
    get cuts() {
      return cuts;
    },
    get passed() {
      return passed;
    },
    stall() {
      stalls += 1;
    },
    cut() {
      for (const socket of sockets) socket.destroy();
    },
    close() {
      proxy.cut();
      server.close();
    },
  };
  return proxy;
}
