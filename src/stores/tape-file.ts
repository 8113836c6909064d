// The file of a tape: made new, readable by the user only, appended to in whole lines. A tape holds whatever was said, also
// secrets.
import { closeSync, constants, mkdirSync, openSync, writeSync } from 'node:fs';
import path from 'node:path';
import { GatewayError, messageOf } from '../core/model/errors.ts';
import { codeOf } from './verify-open-file.ts';

/** An open tape. */
export interface TapeFile {
  /** Queues whole lines; all lines of one turn of the event loop are written together. Never throws. */
  append(text: string): void;
  /** Writes what is queued, and closes the file. */
  close(): void;
}

/** How a tape is written. */
export interface TapeFileOptions {
  /** An existing file is replaced. Default: an existing file is an error. */
  readonly replaces?: boolean;
  /** The file ends before a line that would make it longer than this, bytes. Default: no bound. */
  readonly mostBytes?: number;
  /** Called once when a line cannot be written. The tape ends there. */
  failed(reason: TapeFailure): void;
}

/** Why a tape ended early. */
export type TapeFailure =
  | { readonly type: 'full' }
  | {
      readonly type: 'unwritten';
      /** E.g. `ENOSPC`. */
      readonly code: string;
    };

const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_APPEND;

/** Opens the file, and its folder if that is missing. Throws `invalid` if the file exists or cannot be made. */
export function openTapeFile(file: string, options: TapeFileOptions): TapeFile {
  const { replaces = false, mostBytes = Number.POSITIVE_INFINITY, failed } = options;
  const descriptor = open(file, replaces);
  let queued: string[] = [];
  let size = 0;
  let isOpen = true;

  function write(): void {
    const texts = queued;
    queued = [];
    if (!isOpen) return;
    try {
      const bytes = Buffer.from(texts.join(''));
      let written = 0;
      while (written < bytes.length) written += writeSync(descriptor, bytes, written);
    } catch (thrown) {
      stop({ type: 'unwritten', code: String(codeOf(thrown) ?? 'unknown') });
    }
  }

  function stop(reason: TapeFailure): void {
    if (!isOpen) return;
    isOpen = false;
    closeSync(descriptor);
    failed(reason);
  }

  return {
    append(text) {
      if (!isOpen) return;
      size += Buffer.byteLength(text);
      if (size > mostBytes) {
        write();
        return stop({ type: 'full' });
      }
      if (queued.length === 0) setImmediate(write);
      queued.push(text);
    },
    close() {
      write();
      if (isOpen) closeSync(descriptor);
      isOpen = false;
    },
  };
}

function open(file: string, replaces: boolean): number {
  try {
    mkdirSync(path.dirname(path.resolve(file)), { recursive: true, mode: 0o700 });
    return openSync(file, flags | (replaces ? constants.O_TRUNC : constants.O_EXCL), 0o600);
  } catch (thrown) {
    const reason = codeOf(thrown) === 'EEXIST' ? `${file} exists` : `cannot write ${file}: ${messageOf(thrown)}`;
    throw new GatewayError('invalid', reason, { cause: thrown });
  }
}
