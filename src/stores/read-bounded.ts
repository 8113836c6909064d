// Reads the beginning of an untrusted file: follows no link, opens only regular files, and reads a bounded number of
// bytes (docs/threats.md T9).
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { markOf } from './file-cache.ts';
import { isAt, statOf } from './verify-open-file.ts';

/** The beginning of a file. */
export interface Beginning {
  readonly text: string;
  /** This is the whole file. */
  readonly isWhole: boolean;
  /** Size of the whole file, bytes. */
  readonly size: number;
  /** Number of complete lines in the text. */
  readonly lines: number;
  /** The mark of the file; see markOf. */
  readonly mark: string;
}

const lineFeed = 0x0a;

/** Follow no link, and do not block on a pipe. */
const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Reads at most `most` bytes and `mostLines` lines. Null if no readable file exists at this real path. */
export function readBounded(file: string, most: number, mostLines: number): Beginning | null {
  // Checked before the open, because opening some devices has an effect.
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

/** The end of the first `most` lines, or of all lines. */
function endOfLines(bytes: Buffer, most: number): { readonly end: number; readonly lines: number } {
  let lines = 0;
  for (let at = bytes.indexOf(lineFeed); at !== -1; at = bytes.indexOf(lineFeed, at + 1)) {
    lines += 1;
    if (lines >= most) return { end: at + 1, lines };
  }
  return { end: bytes.length, lines };
}
