// Drains a child's stderr and remembers its end. Unread, the child would block after 64 KiB. Knows no protocol.
import type { Readable } from 'node:stream';
import { lastBytes, printable } from './printable.ts';

const tailBytes = 2048;

/** Reads the stream to its end, whatever its length (fault F8), and returns its printable last 2 KiB when asked. */
export function followStderr(stream: Readable): () => string {
  let tail: Uint8Array = Buffer.alloc(0);
  stream.on('data', (chunk: Buffer) => {
    tail = Buffer.concat([tail, chunk.subarray(-tailBytes)]).subarray(-tailBytes);
  });
  // Errors of the pipe end it; the exit of the process tells the story.
  stream.on('error', () => {});
  return () => lastBytes(printable(withoutBrokenStart(tail).trim()), tailBytes);
}

/** The cut may have gone through a character. */
function withoutBrokenStart(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes).replace(/^\ufffd+/, '');
}
