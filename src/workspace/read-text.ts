// Reads the beginning of a text file, bounded, and only the very file that was looked at before: no link, no pipe, no
// device (docs/threats.md T9). Knows no context.
import { closeSync, constants, fstatSync, lstatSync, openSync, readlinkSync, readSync } from 'node:fs';

/** The beginning of a file. */
export interface TextRead {
  readonly text: string;
  /** It goes on behind that; the text then ends with a line, unless its first is longer than the limit. */
  readonly isCut: boolean;
}

/** The file itself and not what a link names; a pipe must not make us wait. */
const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

const lineFeed = 0x0a;

/** `file`: a path without links. The fault is the end of a sentence. */
export function readText(file: string, mostBytes: number): TextRead | { readonly fault: string } {
  let bytes: Buffer | null;
  try {
    bytes = readBytes(file, mostBytes + 1);
  } catch {
    // The system's own sentence names places that are no client's business.
    bytes = null;
  }
  if (bytes === null) return { fault: 'it cannot be read' };
  const isCut = bytes.length > mostBytes;
  const text = decoded(isCut ? bytes.subarray(0, cutAt(bytes, mostBytes)) : bytes);
  return text === null ? { fault: 'it is not a text in UTF-8' } : { text, isCut };
}

/** Null when something else is there than a plain file, or than was there a moment ago. */
function readBytes(file: string, most: number): Buffer | null {
  const found = lstatSync(file);
  // Before it is opened: to open some devices is to use them.
  if (!found.isFile()) return null;
  const descriptor = openSync(file, flags);
  try {
    const opened = fstatSync(descriptor);
    const isSame = opened.isFile() && opened.ino === found.ino && opened.dev === found.dev;
    if (!isSame || (openedPath(descriptor) ?? file) !== file) return null;
    const buffer = Buffer.alloc(Math.min(most, opened.size + 1));
    let length = 0;
    while (length < buffer.length) {
      const count = readSync(descriptor, buffer, length, buffer.length - length, length);
      if (count === 0) break;
      length += count;
    }
    return buffer.subarray(0, length);
  } finally {
    closeSync(descriptor);
  }
}

/** Where the kernel says that an open file lies; null on systems that do not say. */
function openedPath(descriptor: number): string | null {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`);
  } catch {
    return null;
  }
}

/** Behind the last line that fits, or else behind the last character. */
function cutAt(bytes: Buffer, most: number): number {
  const line = bytes.lastIndexOf(lineFeed, most - 1);
  if (line !== -1) return line + 1;
  let end = most;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return end;
}

function decoded(bytes: Uint8Array): string | null {
  // UTF-8 by its letter, and yet no text.
  if (bytes.includes(0)) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}
