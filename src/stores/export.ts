// Writes exported pages. Network clients may write into one directory only, never through a link, and may overwrite
// only an older export (docs/threats.md T9).

import { randomUUID } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readSync,
  renameSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ExportPort } from '../core/export/export.ts';
import { pageMark } from '../core/export/html.ts';
import { GatewayError, messageOf } from '../core/model/errors.ts';
import { faultInWords, realInside } from './paths.ts';
import { codeOf, isAt, isSame, openedPath, statOf } from './verify-open-file.ts';

/** The rules for the exports of one session. */
export interface ExportRules {
  /** Directory for exports without a path, and base of relative paths. Called for each export. */
  directory(): string;
  /** The session id; names the file if the client names none. */
  readonly session: string;
  /** The client owns this process and may name any path, because it could write there itself. */
  readonly isOurs: boolean;
}

/** Longest file name that file systems accept, bytes. */
const longestName = 255;

/** Follow no link, and do not block on a pipe. */
const openFlags = constants.O_NOFOLLOW | constants.O_NONBLOCK;
const newFlags = constants.O_CREAT | constants.O_EXCL | constants.O_RDWR | openFlags;

/** The exports of one session. */
export function createExports(rules: ExportRules): ExportPort {
  return {
    pathsForAgent: rules.isOurs,
    write(html, wish) {
      if (wish !== undefined && rules.isOurs) return writeAnywhere(path.resolve(rules.directory(), wish), html);
      if (wish !== undefined) checkWords(wish);
      try {
        const directory = rules.directory();
        const target = path.resolve(directory, wish ?? `session-${rules.session.replace(/[^\w-]/gu, '_')}.html`);
        const folder = realFolder(path.dirname(target), directory);
        const file = path.join(folder, path.basename(target));
        writePage(file, html);
        return file;
      } catch (thrown) {
        if (thrown instanceof GatewayError) throw thrown;
        // Only the error code: the system's error text names our directories.
        throw new GatewayError('internal', `the export could not be written (${codeOf(thrown) ?? 'unknown'})`, {
          cause: thrown,
        });
      }
    },
  };
}

/** The session to export. */
export interface Exporter {
  readonly session: string;
  /** The working directory of the agent. */
  readonly cwd: string;
  /** The client owns this process (stdio); false for clients on the network. */
  readonly isOurs: boolean;
}

/** Learns how each export has ended: null when it is written, the system's error code when the system refused. */
export type ExportListener = (code: string | null) => void;

/**
 * The export ports for the sessions of a gateway. A client that owns the process may write anywhere, because it could
 * do so itself. Other clients write only into the configured directory; without one, into a new private directory.
 */
export function createExportPlaces(
  configured: string | undefined,
  ended: ExportListener = () => {},
): (exporter: Exporter) => ExportPort {
  let unnamed: string | null = null;
  const made = (directory: string) => {
    mkdirSync(directory, { recursive: true });
    return directory;
  };
  const privateDirectory = () => {
    // A cleaner may have removed the temporary directory, and another user may have created one with the same name.
    if (unnamed === null || !isOursAlone(unnamed)) unnamed = mkdtempSync(path.join(tmpdir(), 'patchbay-exports-'));
    return unnamed;
  };
  return ({ session, cwd, isOurs }) =>
    toldTo(
      ended,
      createExports({
        directory: () => (configured !== undefined ? made(configured) : isOurs ? cwd : privateDirectory()),
        session,
        isOurs,
      }),
    );
}

function toldTo(ended: ExportListener, port: ExportPort): ExportPort {
  return {
    ...port,
    write(html, wish) {
      try {
        const file = port.write(html, wish);
        ended(null);
        return file;
      } catch (thrown) {
        const code = thrown instanceof Error ? codeOf(thrown.cause) : undefined;
        if (typeof code === 'string') ended(code);
        throw thrown;
      }
    },
  };
}

function refusal(rule: string, cause?: unknown): GatewayError {
  return new GatewayError('invalid', `export path: ${rule}`, { cause });
}

/** Writes anywhere, as a program of the user would. Refuses anything but a plain file: a pipe would block forever. */
function writeAnywhere(file: string, html: string): string {
  try {
    const there = statSync(file, { throwIfNoEntry: false });
    if (there !== undefined && !there.isFile()) throw refusal(`${file} is no file`);
    // A conversation is private to the user.
    writeFileSync(file, html, { mode: 0o600 });
    return file;
  } catch (thrown) {
    throw thrown instanceof GatewayError ? thrown : refusal(messageOf(thrown), thrown);
  }
}

/** Throws for a path that is invalid in itself. */
function checkWords(wish: string): void {
  const fault = faultInWords(wish);
  if (fault !== null) throw refusal(fault);
  // Such characters turn what a person reads around: `fdp.html` for a name that ends otherwise.
  if (/[\p{Bidi_Control}\p{Zl}\p{Zp}]/u.test(wish))
    throw refusal('must not hold characters that change how a name is read');
  const name = wish.slice(wish.lastIndexOf('/') + 1);
  if (!/[^.]\.html$/u.test(name)) throw refusal('must end in a file name with `.html`');
  // Programs take such a file for their settings, and a folder does not show it.
  if (name.startsWith('.')) throw refusal('must not end in a name with a leading dot, which folders do not show');
  if (Buffer.byteLength(name) > longestName) throw refusal(`must end in a name of at most ${longestName} bytes`);
}

/** The real path of the folder. Throws unless it exists inside the root. */
function realFolder(folder: string, root: string): string {
  const real = realInside(folder, [root]);
  if (real !== null && statOf(real)?.isDirectory() === true) return real;
  throw refusal('must lie in an existing directory inside the export directory');
}

/** Whether the directory belongs to this user and is closed to others. */
function isOursAlone(directory: string): boolean {
  const stats = statOf(directory);
  if (stats?.isDirectory() !== true || (stats.mode & 0o077) !== 0) return false;
  return process.getuid === undefined || stats.uid === process.getuid();
}

function writePage(file: string, html: string): void {
  if (!writeNew(file, html, () => {})) replaceExport(file, html);
}

/** Replaces an older export, which stays intact until the new one is complete: the disk may be full. */
function replaceExport(file: string, html: string): void {
  const older = openExport(file);
  try {
    const beside = path.join(path.dirname(file), `.patchbay-export-${randomUUID()}`);
    writeNew(beside, html, () => {
      checkPlace(file, older);
      renameSync(beside, file);
    });
  } finally {
    closeSync(older);
  }
}

/** Writes a new file. False if the name is taken. Removes the file again if it cannot be finished. */
function writeNew(file: string, html: string, finish: () => void): boolean {
  const descriptor = openNew(file);
  if (descriptor === null) return false;
  try {
    checkPlace(file, descriptor);
    writeFileSync(descriptor, html);
    checkPlace(file, descriptor);
    finish();
    return true;
  } catch (thrown) {
    removeOpened(file, descriptor);
    throw thrown;
  } finally {
    closeSync(descriptor);
  }
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
