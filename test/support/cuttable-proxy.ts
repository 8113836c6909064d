// An HTTP proxy that a test cuts: what a network does to connections. Knows requests by how they begin, and no protocol.
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { within } from '../../src/conformance/bounded-wait.ts';

/** A way to a port on this machine. */
export interface CuttableProxy {
  readonly port: number;
  /** Requests so far that began with these words. */
  count(start: string): number;
  /** Destroys the connections of requests that began with these words; returns how many those were. */
  cut(start: string): number;
  /** The next answer to a request that began with these words never arrives: its connection ends instead. */
  loseAnswer(start: string): void;
  /** Resolves when there have been so many requests that began with these words. */
  asked(start: string, count: number): Promise<void>;
  close(): void;
}

/** One connection, and how the request began that it carries. */
interface Line {
  readonly near: Socket;
  readonly far: Socket;
  request: string;
}

const requestStart = /^(?:GET|POST|DELETE) \S+/;

/** Starts a proxy in front of that port, which is asked for when somebody connects. */
export async function createCuttableProxy(target: () => number): Promise<CuttableProxy> {
  const lines = new Set<Line>();
  const requests: string[] = [];
  const watchers = new Set<() => void>();
  let lost: string | null = null;

  function destroy(line: Line): void {
    lines.delete(line);
    line.near.resetAndDestroy();
    line.far.destroy();
  }

  function heard(line: Line, chunk: Buffer): void {
    const [request] = requestStart.exec(chunk.toString('latin1', 0, 1024)) ?? [];
    line.far.write(chunk);
    if (request === undefined) return;
    line.request = request;
    requests.push(request);
    for (const watcher of [...watchers]) watcher();
  }

  function answered(line: Line, chunk: Buffer): void {
    if (lost !== null && line.request.startsWith(lost)) {
      lost = null;
      destroy(line);
    } else line.near.write(chunk);
  }

  const server = createServer((near) => {
    const line: Line = { near, far: connect(target(), '127.0.0.1'), request: '' };
    lines.add(line);
    near.on('data', (chunk) => heard(line, chunk));
    line.far.on('data', (chunk) => answered(line, chunk));
    for (const socket of [near, line.far]) {
      socket.on('error', () => {});
      socket.on('end', () => (socket === near ? line.far : near).end());
      socket.on('close', () => destroy(line));
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const count = (start: string) => requests.filter((request) => request.startsWith(start)).length;
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    count,
    cut(start) {
      const cut = [...lines].filter(({ request }) => request.startsWith(start));
      cut.forEach(destroy);
      return cut.length;
    },
    loseAnswer(start) {
      lost = start;
    },
    async asked(start, times) {
      await within(`${times} requests with ${start}`, watchers, () => (count(start) >= times ? true : undefined));
    },
    close() {
      for (const line of lines) destroy(line);
      server.close();
    },
  };
}
