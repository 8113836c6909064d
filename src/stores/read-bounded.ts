// Reads the beginning of a file that somebody else may have put there: no link is followed, nothing but a regular file is
// opened, and no more than so many bytes are taken in (threat T9). Knows no session.
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { isAt, statOf } from './opened.ts';

/** The beginning of a file. */
export interface Beginning {
  readonly text: string;
  /** Nothing comes behind it. */
  readonly isWhole: boolean;
  /** Of the whole file, bytes. */
  readonly size: number;
}

/** A pipe must not make us wait. */
const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** At most `most` bytes of a file. Null where there is none at that real path, or none that can be read. */
export function readBounded(file: string, most: number): Beginning | null {
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
    const bytes = readUpTo(descriptor, Math.min(most, stats.size));
    return { text: bytes.toString('utf8'), isWhole: bytes.length === stats.size, size: stats.size };
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
