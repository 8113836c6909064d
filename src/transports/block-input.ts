// Reads a file descriptor to its end in blocks of one reused buffer. `process.stdin` allocates a buffer for every 64 KiB, which costs
// several times the work of a filter.
import { fstatSync, readSync } from 'node:fs';
import { type ConnectOpts, Socket, type SocketConstructorOpts } from 'node:net';
import { isatty, ReadStream } from 'node:tty';

/** Default size of the buffer, bytes. */
const blockBytes = 1024 * 1024;

/** Takes one block. The bytes are overwritten after the return, or after the returned promise is fulfilled. */
export type TakeBlock = (block: Uint8Array) => Promise<void> | void;

/**
 * Passes the bytes of `fd` to `take` in order, one block at a time, and waits for each promise of `take`. Resolves at the end
 * of the input. Rejects with the error of `take` or of the descriptor. Closes pipes and sockets at the end; leaves files and
 * terminals open.
 */
export async function readBlocks(fd: number, take: TakeBlock, size = blockBytes): Promise<void> {
  if (isatty(fd)) return readTerminal(fd, take);
  const kind = fstatSync(fd);
  if (kind.isFIFO() || kind.isSocket()) return readPipe(fd, take, Buffer.allocUnsafeSlow(size));
  return readFile(fd, take, Buffer.allocUnsafeSlow(size));
}

/** A file never blocks for long, so it is read synchronously. */
async function readFile(fd: number, take: TakeBlock, buffer: Buffer): Promise<void> {
  for (;;) {
    const length = readSync(fd, buffer, 0, buffer.length, null);
    if (length === 0) return;
    await take(buffer.subarray(0, length));
  }
}

/** Uses the socket option `onread`, the documented way to read into a given buffer without blocking. */
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

/** Typed input is small, so its own buffers are fine. */
async function readTerminal(fd: number, take: TakeBlock): Promise<void> {
  for await (const chunk of new ReadStream(fd)) if (chunk instanceof Uint8Array) await take(chunk);
}
