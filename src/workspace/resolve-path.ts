// Resolves client paths inside the folders of a session and nowhere else (docs/threats.md T9). Opens no file.
import { lstatSync } from 'node:fs';
import path from 'node:path';
import { faultInWords, realInside, realOrNull } from '../stores/paths.ts';

/** A folder of the session. */
export interface Folder {
  /** The path as given to the session. */
  readonly given: string;
  /** The real path, resolved when the session began. */
  readonly real: string;
}

/** Something inside a folder. */
export interface Place {
  readonly folder: Folder;
  /** The real path. */
  readonly real: string;
  /** Path relative to its folder, with `/`; empty for the folder itself. */
  readonly inside: string;
}

/** Resolves the existing folders once, so that a link created later cannot redirect the session. */
export function foldersOf(folders: readonly string[]): readonly Folder[] {
  return folders.flatMap((folder) => {
    const real = path.isAbsolute(folder) ? realOrNull(folder) : null;
    return real === null || !isDirectory(real) ? [] : [{ given: path.resolve(folder), real }];
  });
}

/** The place of a client path, or a fault that completes a sentence. */
export function placeOf(given: string, folders: readonly Folder[]): Place | { readonly fault: string } {
  const [first] = folders;
  if (first === undefined) return { fault: 'this session has no folders' };
  const plain = withoutScheme(given);
  if (plain === null) return { fault: 'its path is no file URI of this machine' };
  const fault = plain === '' ? 'must not be empty' : faultInWords(plain);
  if (fault !== null) return { fault: `its path ${fault}` };
  const real = realInside(
    path.resolve(first.given, plain),
    folders.map((folder) => folder.real),
  );
  const folder = real === null ? undefined : folderAround(real, folders);
  // The same fault for missing and for outside: a client must not learn what exists outside.
  if (real === null || folder === undefined) return { fault: 'it is not there, or not in the folders of this session' };
  return { folder, real, inside: insideOf(folder, real) };
}

/**
 * The path shown to the model: relative to the first folder, the working directory of the agent, for places inside it;
 * else absolute, so that every file has a unique name.
 */
export function shownPath({ folder, inside }: Place, folders: readonly Folder[]): string {
  return folder === folders[0] ? inside || '.' : path.join(folder.given, inside);
}

/** The folders that lie in no other folder, each once. */
export function outermost(folders: readonly Folder[]): readonly Folder[] {
  const lies = (inner: Folder, outer: Folder) => inner !== outer && inner.real.startsWith(`${outer.real}${path.sep}`);
  return folders.filter(
    (folder, at) =>
      folders.findIndex(({ real }) => real === folder.real) === at && !folders.some((outer) => lies(folder, outer)),
  );
}

/** Normalises a client path for comparison. The path need not exist. */
export function comparable(given: string, folders: readonly Folder[]): string {
  return path.resolve(folders[0]?.given ?? '/', withoutScheme(given) ?? given);
}

/** The kind of the entry, without following a link; null if nothing exists. */
export function kindOf(real: string): 'file' | 'directory' | 'other' | null {
  try {
    const stats = lstatSync(real);
    return stats.isFile() ? 'file' : stats.isDirectory() ? 'directory' : 'other';
  } catch {
    return null;
  }
}

function isDirectory(real: string): boolean {
  return kindOf(real) === 'directory';
}

/** The innermost folder that contains the path, if it still is the folder that was resolved and not a link. */
function folderAround(real: string, folders: readonly Folder[]): Folder | undefined {
  return folders
    .filter((folder) => realOrNull(folder.real) === folder.real && realInside(real, [folder.real]) === real)
    .reduce<Folder | undefined>(
      (best, folder) => (best !== undefined && best.real.length >= folder.real.length ? best : folder),
      undefined,
    );
}

function insideOf(folder: Folder, real: string): string {
  return path.relative(folder.real, real).split(path.sep).join('/');
}

/** Converts a `file:` URI to a path; null for a URI of another machine. */
function withoutScheme(given: string): string | null {
  if (!/^file:/iu.test(given)) return given;
  const encoded = /^file:(?:\/\/(?:localhost)?)?(\/(?!\/)[^?#]*)$/iu.exec(given)?.[1];
  try {
    return encoded === undefined ? null : decodeURIComponent(encoded);
  } catch {
    return null;
  }
}
