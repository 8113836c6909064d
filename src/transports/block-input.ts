// Reads a file descriptor to its end in blocks of one reused buffer: `process.stdin` makes a new buffer for each 64 KiB
// and costs several times what a filter does with them. Knows no framing and no protocol.
import { fstatSync, readSync } from 'node:fs';
import { type ConnectOpts, Socket, type SocketConstructorOpts } from 'node:net';
import { isatty, ReadStream } from 'node:tty';

/** Default size of the buffer, bytes. */
const blockBytes = 1024 * 1024;

/** Takes one block. Its bytes are overwritten once it returns, or once its promise is kept. */
export type TakeBlock = (block: Uint8Array) => Promise<void> | void;

/**
 * Gives the bytes of `fd` to `take`, in order and one block at a time; while a promise of `take` is open nothing is
 * read. Resolves at the end of the input; rejects with what `take` threw or with the error of the descriptor. Pipes and
 * sockets are closed at the end, files and terminals are left as they are.
 */
export async function readBlocks(fd: number, take: TakeBlock, size = blockBytes): Promise<void> {
  if (isatty(fd)) return readTerminal(fd, take);
  const kind = fstatSync(fd);
  if (kind.isFIFO() || kind.isSocket()) return readPipe(fd, take, Buffer.allocUnsafeSlow(size));
  return readFile(fd, take, Buffer.allocUnsafeSlow(size));
}

/** A file never makes us wait, so nothing is won by asking for it from afar. */
async function readFile(fd: number, take: TakeBlock, buffer: Buffer): Promise<void> {
  for (;;) {
    const length = readSync(fd, buffer, 0, buffer.length, null);
    if (length === 0) return;
    await take(buffer.subarray(0, length));
  }
}

/** The documented way to a buffer of one's own: the socket option `onread`. It also waits where a read would block. */
function readPipe(fd: number, take: TakeBlock, buffer: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (thrown: unknown) => {
      socket.destroy();
      reject(thrown instanceof Error ? thrown : new Error(String(thrown)));
    };
    const callback = (length: number): boolean => {
      try {
        const pending = take(buffer.subarray(0, length));
        if (pending === undefined) return true;
        pending.then(() => socket.resume(), fail);
      } catch (thrown) {
        fail(thrown);
      }
      return false;
    };
    const options: SocketConstructorOpts & ConnectOpts = {
      fd,
      readable: true,
      writable: false,
      onread: { buffer, callback },
    };
    const socket = new Socket(options);
    socket.on('error', reject).on('end', resolve).resume();
  });
}

/** What somebody types is little, and arrives in buffers of its own. */
async function readTerminal(fd: number, take: TakeBlock): Promise<void> {
  for await (const chunk of new ReadStream(fd)) if (chunk instanceof Uint8Array) await take(chunk);
}
