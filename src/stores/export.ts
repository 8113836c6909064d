// Writes exported pages. For clients on the network: into one directory and nowhere else, never through a link, never over
// anything but an older export (docs/threats.md T9). Knows no session.
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
import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { GatewayError, messageOf } from '../core/model/errors.ts';
import type { ExportPort } from '../core/export/export.ts';
import { pageMark } from '../core/export/html.ts';
import { codeOf, isAt, isSame, openedPath, statOf } from './opened.ts';
import { faultInWords, realInside } from './paths.ts';

/** Where a session's exports may go. */
export interface ExportRules {
  /** For exports without a path, and what a relative path starts from. Asked for with each export. */
  directory(): string;
  /** Names the file when the client names none. */
  readonly session: string;
  /** The client owns this process, and may name any path: it could write there itself. */
  readonly isOurs: boolean;
}

/** Longest name that file systems take, bytes. */
const longestName = 255;

/** The file itself and not what a link names; a pipe must not make us wait. */
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
        // The system's own sentence names our directories, which are no client's business.
        throw new GatewayError('internal', `the export could not be written (${codeOf(thrown) ?? 'unknown'})`, {
          cause: thrown,
        });
      }
    },
  };
}

/** A session that may be exported. */
export interface Exporter {
  readonly session: string;
  /** Where its agent works. */
  readonly cwd: string;
  /** Its client owns this process, as on stdio; all others come over the network. */
  readonly isOurs: boolean;
}

/**
 * Where the sessions of a gateway are exported to. A client that owns the process may write anywhere, and have its agent
 * do so: it could do so itself. Others write into the configured directory and nowhere else; where
 * there is none, into a new one that only we can read.
 */
export function createExportPlaces(configured: string | undefined): (exporter: Exporter) => ExportPort {
  let unnamed: string | null = null;
  const made = (directory: string) => {
    mkdirSync(directory, { recursive: true });
    return directory;
  };
  const privateDirectory = () => {
    // Cleaners of such places may have taken it, and who is there instead may be anybody.
    if (unnamed === null || !isOursAlone(unnamed)) unnamed = mkdtempSync(path.join(tmpdir(), 'patchbay-exports-'));
    return unnamed;
  };
  return ({ session, cwd, isOurs }) =>
    createExports({
      directory: () => (configured !== undefined ? made(configured) : isOurs ? cwd : privateDirectory()),
      session,
      isOurs,
    });
}

function refusal(rule: string): GatewayError {
  return new GatewayError('invalid', `export path: ${rule}`);
}

/** As a program of the user's own would write it. What is no file is left alone: a pipe would make us wait for ever. */
function writeAnywhere(file: string, html: string): string {
  try {
    const there = statSync(file, { throwIfNoEntry: false });
    if (there !== undefined && !there.isFile()) throw refusal(`${file} is no file`);
    // A conversation is nobody else's to read.
    writeFileSync(file, html, { mode: 0o600 });
    return file;
  } catch (thrown) {
    throw thrown instanceof GatewayError ? thrown : refusal(messageOf(thrown));
  }
}

/** What can be wrong with a path before any file is looked at. */
function checkWords(wish: string): void {
  const fault = faultInWords(wish);
  if (fault !== null) throw refusal(fault);
  const name = wish.slice(wish.lastIndexOf('/') + 1);
  if (!/[^.]\.html$/u.test(name)) throw refusal('must end in a file name with `.html`');
  if (Buffer.byteLength(name) > longestName) throw refusal(`must end in a name of at most ${longestName} bytes`);
}

/** The folder without links, if it is there and inside that root. */
function realFolder(folder: string, root: string): string {
  const real = realInside(folder, [root]);
  if (real !== null && statOf(real)?.isDirectory() === true) return real;
  throw refusal('must lie in an existing directory inside the export directory');
}

/** A directory that only this user can look into. */
function isOursAlone(directory: string): boolean {
  const stats = statOf(directory);
  if (stats?.isDirectory() !== true || (stats.mode & 0o077) !== 0) return false;
  return process.getuid === undefined || stats.uid === process.getuid();
}

function writePage(file: string, html: string): void {
  if (!writeNew(file, html, () => {})) replaceExport(file, html);
}

/** An older export stays whole until the new one is: a disk may be full. */
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

/** False when something of that name is there. What cannot be finished is taken away again. */
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

/** Removes a file that we made, wherever it lies by now. */
function removeOpened(file: string, descriptor: number): void {
  const place = openedPath(descriptor) ?? file;
  try {
    if (isSame(statOf(place), fstatSync(descriptor))) unlinkSync(place);
  } catch {
    // Whoever moved it may have taken our right to it as well.
  }
}

/** Null when something of that name is there. A conversation is nobody else's to read. */
function openNew(file: string): number | null {
  try {
    return openSync(file, newFlags, 0o600);
  } catch (thrown) {
    if (codeOf(thrown) === 'EEXIST') return null;
    throw thrown;
  }
}

/** An export that is there already. Looked at through what was opened, so that nothing else is overwritten. */
function openExport(file: string): number {
  const taken = refusal('there is a file of that name that is not an export');
  // Before it is opened: to open some devices is to use them.
  if (statOf(file)?.isFile() !== true) throw taken;
  const descriptor = openSync(file, constants.O_RDONLY | openFlags);
  if (isExport(descriptor)) return descriptor;
  closeSync(descriptor);
  throw taken;
}

function isExport(descriptor: number): boolean {
  const stats = fstatSync(descriptor);
  // A second name of the file may lie anywhere.
  if (!stats.isFile() || stats.nlink !== 1) return false;
  const mark = Buffer.from(pageMark);
  const begin = Buffer.alloc(mark.length);
  return readSync(descriptor, begin, 0, mark.length, 0) === mark.length && begin.equals(mark);
}
