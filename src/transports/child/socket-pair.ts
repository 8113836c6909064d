// Two sockets of this process that are connected to each other: a child gets one as its stdout, and we read the other into
// one buffer for all children. A pipe of `spawn` gets 64 KiB of new memory for each read, also for a line of 300 bytes.
import { randomBytes } from 'node:crypto';
import { connect, createServer, type Socket } from 'node:net';

/** Takes what was read; the bytes are valid until it returns. False stops reading until `ours.resume()`. */
export type TakeRead = (bytes: Buffer) => boolean;

/** The two ends of one connection. */
export interface SocketPair {
  /** Paused. Emits no `data`. */
  readonly ours: Socket;
  /** For the child. To be destroyed here once the child has it. */
  readonly theirs: Socket;
  /** Says who takes what `ours` reads. To be called before `ours.resume()`. */
  hear(take: TakeRead): void;
}

/** As much as Node reads at once from a pipe. All sockets share the buffer, because none keeps bytes behind its call. */
const buffer = Buffer.allocUnsafeSlow(64 * 1024);

/**
 * Connects a pair, or resolves with null where that cannot be. Never rejects. `listen` and `dial` are parameters for tests.
 *
 * Node has no call for a pair, so this process connects to itself, by a name that is no file. Only Linux has such names. Every
 * user of the machine can read the name and connect first, so the pair counts only if what we write into the one end comes
 * out of the other (docs/threats.md T36).
 */
export function openSocketPair(listen = createServer, dial = connect): Promise<SocketPair | null> {
  if (process.platform !== 'linux') return Promise.resolve(null);
  const path = `\0${randomBytes(32).toString('hex')}`;
  const proof = randomBytes(32);
  return new Promise((resolve) => {
    let heard = Buffer.alloc(0);
    let theirs: Socket | null = null;
    const ear = createEar(prove);
    const server = listen({ pauseOnConnect: true }, (socket) => {
      // The first connection is ours or the attempt has failed: nobody else has any business here.
      server.close();
      theirs = socket.on('error', fail);
      socket.write(proof);
    });
    server.on('error', fail).listen(path);
    const ours = dial({ path, onread: ear.onread }).on('error', fail).on('close', fail);

    function prove(bytes: Buffer): boolean {
      heard = Buffer.concat([heard, bytes]);
      if (heard.length < proof.length) return true;
      if (theirs === null || !heard.equals(proof)) fail();
      else succeed(theirs);
      return false;
    }

    function succeed(other: Socket): void {
      ours.off('error', fail).off('close', fail).on('error', ignored).pause();
      other.off('error', fail).on('error', ignored);
      resolve({ ours, theirs: other, hear: ear.hear });
    }

    function fail(): void {
      server.close();
      ours.destroy();
      theirs?.destroy();
      resolve(null);
    }
  });
}

/** What an open socket keeps must know nothing of how the pair came about: the server and the other end are not needed any more. */
function createEar(first: TakeRead) {
  let take = first;
  return {
    onread: { buffer, callback: (length: number) => take(buffer.subarray(0, length)) },
    hear(next: TakeRead): void {
      take = next;
    },
  };
}

/** The end of the socket is told by `close`. */
function ignored(): void {}

/** Ends a pair that no child gets. */
export function dropSocketPair(pair: SocketPair | null): void {
  pair?.ours.destroy();
  pair?.theirs.destroy();
}
