// Tells from outside whether processes live and what happens to them: each holds a socket to us until it dies.
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { type Arrivals, createArrivals } from './arrivals.ts';

export interface Lifeline {
  readonly port: number;
  /** What the processes reported, one word a line. */
  readonly words: Arrivals<string>;
  /** One for each process that has died. */
  readonly deaths: Arrivals<true>;
  close(): void;
}

export async function createLifeline(): Promise<Lifeline> {
  const words = createArrivals<string>();
  const deaths = createArrivals<true>();
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.setEncoding('utf8');
    socket.on('data', (text: string) => {
      for (const word of text.split('\n')) if (word !== '') words.add(word);
    });
    socket.on('error', () => {});
    socket.on('close', () => deaths.add(true));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    words,
    deaths,
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/** Source of a Node program that holds the lifeline, then does `body` with `say(word)` and `line` at hand. */
export function onLifeline({ port }: Lifeline, body: string): readonly [string, ...string[]] {
  const program = `
    const line = require('node:net').connect(${port}, '127.0.0.1');
    const say = (word, then) => line.write(word + '\\n', then);
    line.on('error', () => {});
    line.on('connect', () => { ${body} });
  `;
  return [process.execPath, '-e', program];
}
