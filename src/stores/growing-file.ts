// An append-only file: created with its first lines, readable by the user only. Never written through a link, and never
// after content that another program has appended (docs/threats.md T9).
import { closeSync, constants, fstatSync, mkdirSync, openSync, readSync, writeSync } from 'node:fs';
import path from 'node:path';
import { GatewayError } from '../core/model/errors.ts';
import { realOrNull } from './paths.ts';
import { codeOf, isAt } from './verify-open-file.ts';

/** An append-only file. */
export interface GrowingFile {
  /** The path of the file, which may not exist yet. */
  readonly file: string;
  /** The file exists. */
  readonly isMade: boolean;
  /**
   * Appends whole lines. Throws a GatewayError `internal` if the write fails, and `conflict` if the file was changed by
   * another program.
   */
  append(text: string): void;
}

const common = constants.O_APPEND | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const newFlags = common | constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY;
const oldFlags = common | constants.O_RDWR;

/** Longest file, bytes: a longer file could not be read again. */
export const longestFile = 64 * 1024 * 1024;

const lineFeed = 0x0a;

/** A file that is created, with its directories, by the first append. */
export function newGrowingFile(file: string): GrowingFile {
  return growing(file, null);
}

/** Continues an existing file that had `size` bytes when it was read. */
export function oldGrowingFile(file: string, size: number): GrowingFile {
  return growing(file, size);
}

function growing(wish: string, sizeThen: number | null): GrowingFile {
  let file = wish;
  /** Bytes of the file; null if it does not exist yet. */
  let size = sizeThen;

  function write(descriptor: number, text: string): void {
    try {
      const bytes = Buffer.from(text);
      let written = 0;
      while (written < bytes.length) written += writeSync(descriptor, bytes, written);
    } finally {
      // Also after a failed write: the next append must notice the partial line.
      size = fstatSync(descriptor).size;
    }
  }

  function make(text: string): void {
    mkdirSync(path.dirname(wish), { recursive: true, mode: 0o700 });
    file = path.join(realOrNull(path.dirname(wish)) ?? path.dirname(wish), path.basename(wish));
    const descriptor = openSync(file, newFlags, 0o600);
    try {
      if (!isAt(file, descriptor)) throw new GatewayError('conflict', 'the file was moved while it was written');
      write(descriptor, text);
    } finally {
      closeSync(descriptor);
    }
  }

  function addTo(text: string, known: number): void {
    const descriptor = openSync(file, oldFlags);
    try {
      const stats = fstatSync(descriptor);
      if (!stats.isFile() || stats.size !== known || !isAt(file, descriptor)) {
        throw new GatewayError('conflict', 'another program has changed the file');
      }
      write(descriptor, `${endsInLine(descriptor, known) ? '' : '\n'}${text}`);
    } finally {
      closeSync(descriptor);
    }
  }

  return {
    get file() {
      return file;
    },
    get isMade() {
      return size !== null;
    },
    append(text) {
      if ((size ?? 0) + Buffer.byteLength(text) > longestFile) {
        throw new GatewayError('limit', `the file would be longer than ${longestFile} bytes`);
      }
      try {
        if (size === null) make(text);
        else addTo(text, size);
      } catch (thrown) {
        if (thrown instanceof GatewayError) throw thrown;
        // Only the error code: the system's error text names our directories.
        throw new GatewayError('internal', `the file could not be written (${String(codeOf(thrown) ?? 'unknown')})`, {
          cause: thrown,
        });
      }
    },
  };
}

/** Whether the file ends with a whole line. A crash may have cut the last line. */
function endsInLine(descriptor: number, size: number): boolean {
  const last = Buffer.alloc(1);
  return size === 0 || (readSync(descriptor, last, 0, 1, size - 1) === 1 && last[0] === lineFeed);
}
