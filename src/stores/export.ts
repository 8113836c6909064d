// Writes exported pages: into one directory and nowhere else, never through a link, never over anything but an older
// export (threat T9). Knows no session.
import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readlinkSync,
  readSync,
  realpathSync,
  type Stats,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { GatewayError, messageOf } from '../core/errors.ts';
import type { ExportPort } from '../core/export.ts';
import { pageMark } from '../core/html.ts';

/** Where a session's exports may go. */
export interface ExportRules {
  /** For exports without a path, and what a relative path starts from. Asked for with each export. */
  directory(): string;
  /** Directories that a path may lie in as well. */
  readonly alsoInside?: readonly string[];
  /** Names the file when the client names none. */
  readonly session: string;
  /** See ExportPort. */
  readonly pathsForAgent: boolean;
}

/** Longest path that is looked at, bytes. */
const longestPath = 4096;

/** The file itself and not what a link names; a pipe must not make us wait. */
const openFlags = constants.O_RDWR | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** The exports of one session. */
export function createExports(rules: ExportRules): ExportPort {
  return {
    pathsForAgent: rules.pathsForAgent,
    write(html, wish) {
      if (wish !== undefined) checkWords(wish);
      try {
        const directory = rules.directory();
        const target = path.resolve(directory, wish ?? `session-${rules.session.replace(/[^\w-]/gu, '_')}.html`);
        const folder = realFolder(path.dirname(target), [directory, ...(rules.alsoInside ?? [])]);
        const file = path.join(folder, path.basename(target));
        writePage(file, html);
        return file;
      } catch (thrown) {
        if (thrown instanceof GatewayError) throw thrown;
        throw new GatewayError('internal', `the export could not be written: ${messageOf(thrown)}`, { cause: thrown });
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
 * Where the sessions of a gateway are exported to. A client that owns the process may write where it works, and have
 * its agent write anywhere: it could do so itself. Others write into the configured directory and nowhere else; where
 * there is none, into a new one that only we can read.
 */
export function createExportPlaces(configured: string | undefined): (exporter: Exporter) => ExportPort {
  let unnamed: string | null = null;
  const made = (directory: string) => {
    mkdirSync(directory, { recursive: true });
    return directory;
  };
  const privateDirectory = () => {
    unnamed ??= mkdtempSync(path.join(tmpdir(), 'patchbay-exports-'));
    return unnamed;
  };
  return ({ session, cwd, isOurs }) =>
    createExports({
      directory: () => (configured !== undefined ? made(configured) : isOurs ? cwd : privateDirectory()),
      alsoInside: isOurs ? [cwd] : [],
      session,
      pathsForAgent: isOurs,
    });
}

function refusal(rule: string): GatewayError {
  return new GatewayError('invalid', `export path: ${rule}`);
}

/** What can be wrong with a path before any file is looked at. */
function checkWords(wish: string): void {
  if (Buffer.byteLength(wish) > longestPath) throw refusal(`must not be longer than ${longestPath} bytes`);
  if (/[\p{Cc}\\]/u.test(wish)) throw refusal('must not hold control characters or backslashes');
  const segments = wish.split('/');
  if (segments.includes('..')) throw refusal('must not hold `..`');
  if (wish.startsWith('~')) throw refusal('must not begin with `~`, which is not expanded');
  if (!/[^.]\.html$/u.test(segments.at(-1) ?? '')) throw refusal('must end in a file name with `.html`');
}

/** The folder without links, if it is there and inside one of the roots. */
function realFolder(folder: string, roots: readonly string[]): string {
  const outside = refusal('must lie in an existing directory inside the export directory');
  const real = realOrNull(folder);
  if (real === null || statOf(real)?.isDirectory() !== true) throw outside;
  const isInside = roots.some((root) => {
    const base = realOrNull(root);
    return base !== null && (real === base || real.startsWith(base.endsWith(path.sep) ? base : base + path.sep));
  });
  if (!isInside) throw outside;
  return real;
}

function realOrNull(file: string): string | null {
  try {
    return realpathSync(file);
  } catch {
    return null;
  }
}

function writePage(file: string, html: string): void {
  const descriptor = openNew(file) ?? openExport(file);
  try {
    if (!isAt(file, descriptor)) throw refusal('changed while the export was being written');
    ftruncateSync(descriptor, 0);
    writeFileSync(descriptor, html);
  } finally {
    closeSync(descriptor);
  }
}

/** Whoever moves folders about while we look must not lead us elsewhere: what was opened is what was meant. */
function isAt(file: string, descriptor: number): boolean {
  const found = statOf(file);
  const opened = fstatSync(descriptor);
  const isSame = found !== null && found.ino === opened.ino && found.dev === opened.dev;
  return isSame && realOrNull(file) === file && (openedPath(descriptor) ?? file) === file;
}

/** Where the kernel says that an open file lies; null on systems that do not say. */
function openedPath(descriptor: number): string | null {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`);
  } catch {
    return null;
  }
}

/** Null when something of that name is there. A conversation is nobody else's to read. */
function openNew(file: string): number | null {
  try {
    return openSync(file, constants.O_CREAT | constants.O_EXCL | openFlags, 0o600);
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
  const descriptor = openSync(file, openFlags);
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

function statOf(file: string): Stats | null {
  try {
    return lstatSync(file);
  } catch {
    return null;
  }
}

function codeOf(thrown: unknown): unknown {
  return typeof thrown === 'object' && thrown !== null && 'code' in thrown ? thrown.code : undefined;
}
