// Reads the beginning of a file that somebody else may have put there: no link is followed, nothing but a regular file is
// opened, and no more than so many bytes are taken in (docs/threats.md T9). Knows no session.
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { markOf } from './file-cache.ts';
import { isAt, statOf } from './opened.ts';

/** The beginning of a file. */
export interface Beginning {
  readonly text: string;
  /** Nothing comes behind it. */
  readonly isWhole: boolean;
  /** Of the whole file, bytes. */
  readonly size: number;
  /** Lines of the text that have an end. */
  readonly lines: number;
  /** See markOf. */
  readonly mark: string;
}

const lineFeed = 0x0a;

/** A pipe must not make us wait. */
const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** At most `most` bytes and lines of a file. Null where there is none at that real path, or none that can be read. */
export function readBounded(file: string, most: number, mostLines: number): Beginning | null {
  // Before it is opened: to open some devices is to use them.
  if (statOf(file)?.isFile() !== true) return null;
  let descriptor: number;
  try {
    descriptor = openSync(file, flags);
  } catch {
    return null;
  }
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile() || !isAt(file, descriptor)) return null;
    const read = readUpTo(descriptor, Math.min(most, stats.size));
    const { end, lines } = endOfLines(read, mostLines);
    const isWhole = end === stats.size;
    return { text: read.toString('utf8', 0, end), isWhole, size: stats.size, lines, mark: markOf(stats) };
  } catch {
    return null;
  } finally {
    closeSync(descriptor);
  }
}

function readUpTo(descriptor: number, most: number): Buffer {
  const bytes = Buffer.alloc(most);
  let length = 0;
  while (length < most) {
    const read = readSync(descriptor, bytes, length, most - length, length);
    if (read === 0) break;
    length += read;
  }
  return bytes.subarray(0, length);
}

/** Where that many lines end, or all of them. */
function endOfLines(bytes: Buffer, most: number): { readonly end: number; readonly lines: number } {
  let lines = 0;
  for (let at = bytes.indexOf(lineFeed); at !== -1; at = bytes.indexOf(lineFeed, at + 1)) {
    lines += 1;
    if (lines >= most) return { end: at + 1, lines };
  }
  return { end: bytes.length, lines };
}
