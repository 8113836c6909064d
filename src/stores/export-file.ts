// The file of an export while it is written: in portions, removed when it cannot be finished, and never in the place of
// anything but an older export (docs/threats.md T9).

import { randomUUID } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readSync,
  renameSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import type { ExportFile } from '../core/export/export.ts';
import { pageMark } from '../core/export/html.ts';
import { GatewayError } from '../core/model/errors.ts';
import { codeOf, isAt, isSame, openedPath, statOf } from './verify-open-file.ts';

/** Follow no link, and do not block on a pipe. */
const openFlags = constants.O_NOFOLLOW | constants.O_NONBLOCK;
const newFlags = constants.O_CREAT | constants.O_EXCL | constants.O_RDWR | openFlags;

/** The refusal of a path that a client has chosen. */
export function refusal(rule: string, cause?: unknown): GatewayError {
  return new GatewayError('invalid', `export path: ${rule}`, { cause });
}

/** Begins a file anywhere, as a program of the user would. Refuses anything but a plain file: a pipe would block. */
export function openAnywhere(file: string): ExportFile {
  const there = statSync(file, { throwIfNoEntry: false });
  if (there !== undefined && !there.isFile()) throw refusal(`${file} is no file`);
  // A conversation is private to the user.
  return growing({ file, descriptor: openSync(file, 'w', 0o600), check() {}, finish: () => file, close() {} });
}

/** Begins an export at a path without links. An older one there stays intact until the new one is complete. */
export function openPage(file: string): ExportFile {
  const descriptor = openNew(file);
  if (descriptor === null) return openReplacement(file);
  const check = () => checkPlace(file, descriptor);
  return growing({ file, descriptor, check, finish: () => file, close() {} });
}

/** The disk may be full: the new export is written beside the older one. */
function openReplacement(file: string): ExportFile {
  const older = openExport(file);
  try {
    const beside = path.join(path.dirname(file), `.patchbay-export-${randomUUID()}`);
    const descriptor = openSync(beside, newFlags, 0o600);
    return growing({
      file: beside,
      descriptor,
      check: () => checkPlace(beside, descriptor),
      finish() {
        checkPlace(file, older);
        renameSync(beside, file);
        return file;
      },
      close: () => closeSync(older),
    });
  } catch (thrown) {
    closeSync(older);
    throw thrown;
  }
}

/** A file that was opened for writing. */
interface Opened {
  readonly file: string;
  readonly descriptor: number;
  /** Throws if the file is not in its place any more. */
  check(): void;
  /** Returns the place of the whole file. */
  finish(): string;
  /** The file was closed. */
  close(): void;
}

function growing({ file, descriptor, check, finish, close }: Opened): ExportFile {
  let isOpen = true;

  function end(): void {
    isOpen = false;
    closeSync(descriptor);
    close();
  }

  function abandon(): void {
    if (!isOpen) return;
    removeOpened(file, descriptor);
    end();
  }

  function orAbandon<Result>(act: () => Result): Result {
    try {
      return act();
    } catch (thrown) {
      abandon();
      throw thrown;
    }
  }

  try {
    check();
  } catch (thrown) {
    removeOpened(file, descriptor);
    closeSync(descriptor);
    throw thrown;
  }
  return {
    write: (html) => orAbandon(() => writeFileSync(descriptor, html)),
    finish() {
      const place = orAbandon(() => {
        check();
        return finish();
      });
      end();
      return place;
    },
    abandon,
  };
}

function checkPlace(file: string, descriptor: number): void {
  if (!isAt(file, descriptor)) throw refusal('changed while the export was being written');
}

/** Removes a file of ours, even if it was moved in the meantime. */
function removeOpened(file: string, descriptor: number): void {
  const place = openedPath(descriptor) ?? file;
  try {
    if (isSame(statOf(place), fstatSync(descriptor))) unlinkSync(place);
  } catch {
    // The file may have been moved to a place where we have no permission.
  }
}

/** Creates a file, readable by the user only. Null if the name is taken. */
function openNew(file: string): number | null {
  try {
    return openSync(file, newFlags, 0o600);
  } catch (thrown) {
    if (codeOf(thrown) === 'EEXIST') return null;
    throw thrown;
  }
}

/** Opens an existing export. Checks the open descriptor, so that no other file is overwritten. */
function openExport(file: string): number {
  const taken = refusal('there is a file of that name that is not an export');
  // Checked before the open, because opening some devices has an effect.
  if (statOf(file)?.isFile() !== true) throw taken;
  const descriptor = openSync(file, constants.O_RDONLY | openFlags);
  if (isExport(descriptor)) return descriptor;
  closeSync(descriptor);
  throw taken;
}

function isExport(descriptor: number): boolean {
  const stats = fstatSync(descriptor);
  // A hard link to the file may be anywhere.
  if (!stats.isFile() || stats.nlink !== 1) return false;
  const mark = Buffer.from(pageMark);
  const begin = Buffer.alloc(mark.length);
  return readSync(descriptor, begin, 0, mark.length, 0) === mark.length && begin.equals(mark);
}
