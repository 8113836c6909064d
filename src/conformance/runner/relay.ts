// Writes a small program that a client can start as its agent. The program relays stdio to the judging agent over a
// local socket.
import { chmodSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import type { Channel } from '../../core/contract/channel.ts';
import type { Framing } from '../../transports/framing/framing.ts';
import { stdioChannel } from '../../transports/stdio.ts';

/** The program that clients can start. */
export interface Relay {
  /** Path of the executable, which Node can run as well. */
  readonly path: string;
  close(): Promise<void>;
}

/** The folder for the program, and the receiver of its channels. */
export interface RelayOptions {
  /** A folder that holds nothing else. */
  readonly folder: string;
  readonly framing: Framing;
  take(channel: Channel): void;
  /** How long `close` waits for open connections, ms; default 1000. */
  readonly closeGraceMs?: number;
}

/** Resolves when the program is ready. Clients may start it any number of times. */
export async function createRelay({ folder, framing, take, closeGraceMs = 1000 }: RelayOptions): Promise<Relay> {
  const socketPath = join(folder, 'relay.sock');
  const path = join(folder, 'agent.mjs');
  let count = 0;
  const open = new Set<Socket>();
  // A client may end its input and still read.
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    count += 1;
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    take(stdioChannel({ input: socket, output: socket, label: `stdio ${count}`, framing }));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(socketPath, resolve);
  });
  writeFileSync(path, programText(socketPath));
  chmodSync(path, 0o755);
  return {
    path,
    close: () =>
      new Promise((resolve) => {
        const force = () => {
          for (const socket of open) socket.destroy();
        };
        const grace = setTimeout(force, closeGraceMs);
        server.close(() => {
          clearTimeout(grace);
          resolve();
        });
      }),
  };
}

function programText(socketPath: string): string {
  return `#!${process.execPath}
// Stands in for an agent: relays to the patchbay that has made it.
import { connect } from 'node:net';
const socket = connect(${JSON.stringify(socketPath)});
process.stdin.pipe(socket);
socket.pipe(process.stdout);
process.stdout.on('error', () => process.exit());
socket.on('error', () => process.exit(1)).on('close', () => process.exit());
`;
}
