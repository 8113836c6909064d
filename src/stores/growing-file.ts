// A file that grows: made with its first lines, then only added to, readable by nobody else. Never
// through a link, and never behind what somebody else has written (docs/threats.md T9). Knows no line.
import { closeSync, constants, fstatSync, mkdirSync, openSync, readSync, writeSync } from 'node:fs';
import path from 'node:path';
import { GatewayError } from '../core/model/errors.ts';
import { codeOf, isAt } from './opened.ts';
import { realOrNull } from './paths.ts';

/** A file that grows. */
export interface GrowingFile {
  /** Where it lies, or will lie. */
  readonly file: string;
  /** It is there. */
  readonly isMade: boolean;
  /**
   * Adds text, whole lines. Throws a GatewayError `internal` when it cannot be written, and `conflict` when the file is not
   * as we left it.
   */
  append(text: string): void;
}

const common = constants.O_APPEND | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const newFlags = common | constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY;
const oldFlags = common | constants.O_RDWR;

/** Longest file, bytes: what cannot be read again need not be kept. */
export const longestFile = 64 * 1024 * 1024;

const lineFeed = 0x0a;

/** A file that is made, with its directories, when there is something to write. */
export function newGrowingFile(file: string): GrowingFile {
  return growing(file, null);
}

/** A file that is there, and was of that size when it was read: it goes on. */
export function oldGrowingFile(file: string, size: number): GrowingFile {
  return growing(file, size);
}

function growing(wish: string, sizeThen: number | null): GrowingFile {
  let file = wish;
  /** Null: there is none. */
  let size = sizeThen;

  function write(descriptor: number, text: string): void {
    try {
      const bytes = Buffer.from(text);
      let written = 0;
      while (written < bytes.length) written += writeSync(descriptor, bytes, written);
    } finally {
      // Of what could not be written whole the next line must not become a part.
      size = fstatSync(descriptor).size;
    }
  }

  function make(text: string): void {
    mkdirSync(path.dirname(wish), { recursive: true, mode: 0o700 });
    file = path.join(realOrNull(path.dirname(wish)) ?? path.dirname(wish), path.basename(wish));
    const descriptor = openSync(file, newFlags, 0o600);
    try {
      if (!isAt(file, descriptor)) throw new GatewayError('conflict', 'the file was moved while it was made');
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
        throw new GatewayError('conflict', 'the file is not as it was left');
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
        // The system's own sentence names our directories, which are no client's business.
        throw new GatewayError('internal', `it could not be written (${String(codeOf(thrown) ?? 'unknown')})`, {
          cause: thrown,
        });
      }
    },
  };
}

/** A crash may have cut the last line. */
function endsInLine(descriptor: number, size: number): boolean {
  const last = Buffer.alloc(1);
  return size === 0 || (readSync(descriptor, last, 0, 1, size - 1) === 1 && last[0] === lineFeed);
}
