// Reads the beginning of a text file, bounded. Opens only the very file that was checked before: no link, no pipe, no
// device (docs/threats.md T9).
import { closeSync, constants, fstatSync, lstatSync, openSync, readlinkSync, readSync } from 'node:fs';

/** The beginning of a file. */
export interface TextRead {
  readonly text: string;
  /** The file is longer. The text then ends after a whole line, unless the first line exceeds the limit. */
  readonly isCut: boolean;
}

/** Follow no link, and do not block on a pipe. */
const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

const lineFeed = 0x0a;

/** Reads at most `mostBytes` of `file`, a real path. The fault completes a sentence. */
export function readText(file: string, mostBytes: number): TextRead | { readonly fault: string } {
  let bytes: Buffer | null;
  try {
    bytes = readBytes(file, mostBytes + 1);
  } catch {
    // The system's error text is dropped: it may name paths outside the folders.
    bytes = null;
  }
  if (bytes === null) return { fault: 'it cannot be read' };
  const isCut = bytes.length > mostBytes;
  const text = decoded(isCut ? bytes.subarray(0, cutAt(bytes, mostBytes)) : bytes);
  return text === null ? { fault: 'it is not a text in UTF-8' } : { text, isCut };
}

/** Null if the path is not a plain file, or if the file was replaced while it was opened. */
function readBytes(file: string, most: number): Buffer | null {
  const found = lstatSync(file);
  // Checked before the open, because opening some devices has an effect.
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

/** The path of an open file according to the kernel; null on systems without this information. */
function openedPath(descriptor: number): string | null {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`);
  } catch {
    return null;
  }
}

/** The offset after the last line that fits, or else after the last character that fits. */
function cutAt(bytes: Buffer, most: number): number {
  const line = bytes.lastIndexOf(lineFeed, most - 1);
  if (line !== -1) return line + 1;
  let end = most;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return end;
}

function decoded(bytes: Uint8Array): string | null {
  // NUL is valid UTF-8 but marks a binary file.
  if (bytes.includes(0)) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}
