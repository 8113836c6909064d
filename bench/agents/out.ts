// How a made-up agent writes: it blocks while the pipe is full, as a program with plain writes does.
import { writeSync } from 'node:fs';

const nap = new Int32Array(new SharedArrayBuffer(4));
/** Does nothing for so long. */
export const sleep = (ms: number) => void Atomics.wait(nap, 0, 0, ms);

/** All of the bytes to stdout, however long that takes. */
export function write(bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(1, bytes, at);
    } catch (thrown) {
      if (!(thrown instanceof Error && 'code' in thrown && thrown.code === 'EAGAIN')) throw thrown;
      sleep(1);
    }
  }
}

/** The lines with their line ends. */
export const bytesOf = (lines: readonly string[]) => Buffer.from(lines.map((line) => `${line}\n`).join(''));
