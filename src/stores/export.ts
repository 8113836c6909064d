// Writes exported pages. Network clients may write into one directory only, never through a link, and may overwrite
// only an older export (docs/threats.md T9).

import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ExportFile, ExportPort } from '../core/export/export.ts';
import { GatewayError, messageOf } from '../core/model/errors.ts';
import { openAnywhere, openPage, refusal } from './export-file.ts';
import { faultInWords, realInside } from './paths.ts';
import { codeOf, statOf } from './verify-open-file.ts';

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

/** The exports of one session. */
export function createExports(rules: ExportRules): ExportPort {
  return {
    pathsForAgent: rules.isOurs,
    open(wish) {
      if (wish !== undefined && rules.isOurs) {
        const file = path.resolve(rules.directory(), wish);
        return translated(
          () => openAnywhere(file),
          (thrown) => refusal(messageOf(thrown), thrown),
        );
      }
      if (wish !== undefined) checkWords(wish);
      return translated(() => {
        const directory = rules.directory();
        const target = path.resolve(directory, wish ?? `session-${rules.session.replace(/[^\w-]/gu, '_')}.html`);
        const folder = realFolder(path.dirname(target), directory);
        return openPage(path.join(folder, path.basename(target)));
      }, unwritten);
    },
  };
}

/** Only the error code: the system's error text names our directories. */
function unwritten(thrown: unknown): GatewayError {
  const words = `the export could not be written (${codeOf(thrown) ?? 'unknown'})`;
  return new GatewayError('internal', words, { cause: thrown });
}

/** The file, with the errors of the system in words for clients. */
function translated(open: () => ExportFile, wordsFor: (thrown: unknown) => GatewayError): ExportFile {
  return intercepted(open, (thrown) => {
    throw thrown instanceof GatewayError ? thrown : wordsFor(thrown);
  });
}

/** The file, with `failed` in the place of what opening, writing or finishing throws. */
function intercepted(open: () => ExportFile, failed: (thrown: unknown) => never): ExportFile {
  function attempt<Result>(act: () => Result): Result {
    try {
      return act();
    } catch (thrown) {
      return failed(thrown);
    }
  }
  const file = attempt(open);
  return {
    write: (html) => attempt(() => file.write(html)),
    finish: () => attempt(() => file.finish()),
    abandon: () => file.abandon(),
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
  function failed(thrown: unknown): never {
    const code = thrown instanceof Error ? codeOf(thrown.cause) : undefined;
    if (typeof code === 'string') ended(code);
    throw thrown;
  }
  return {
    ...port,
    open(wish) {
      const file = intercepted(() => port.open(wish), failed);
      return {
        ...file,
        finish() {
          const place = file.finish();
          ended(null);
          return place;
        },
      };
    },
  };
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
