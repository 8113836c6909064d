// The folders of a session, and where a path that a client named leads in them: there and nowhere else (docs/threats.md T9). Opens
// nothing.
import { lstatSync } from 'node:fs';
import path from 'node:path';
import { faultInWords, realInside, realOrNull } from '../stores/paths.ts';

/** A folder that the user works in. */
export interface Folder {
  /** As the session was given it. */
  readonly said: string;
  /** Without links, as it was when the session began. */
  readonly real: string;
}

/** Something inside a folder. */
export interface Place {
  readonly folder: Folder;
  /** Without links. */
  readonly real: string;
  /** From its folder, with `/`; empty for the folder itself. */
  readonly inside: string;
}

/** The folders that are there, without links. What becomes of their names later does not lead us elsewhere. */
export function foldersOf(said: readonly string[]): readonly Folder[] {
  return said.flatMap((folder) => {
    const real = path.isAbsolute(folder) ? realOrNull(folder) : null;
    return real === null || !isDirectory(real) ? [] : [{ said: path.resolve(folder), real }];
  });
}

/** Where that path leads, or what is wrong with it, as the end of a sentence. */
export function placeOf(said: string, folders: readonly Folder[]): Place | { readonly fault: string } {
  const [first] = folders;
  if (first === undefined) return { fault: 'this session has no folders' };
  const plain = withoutScheme(said);
  if (plain === null) return { fault: 'its path is no file URI of this machine' };
  const fault = plain === '' ? 'must not be empty' : faultInWords(plain);
  if (fault !== null) return { fault: `its path ${fault}` };
  const real = realInside(
    path.resolve(first.said, plain),
    folders.map((folder) => folder.real),
  );
  const folder = real === null ? undefined : folderAround(real, folders);
  // Whether something is outside is nothing that a client should learn.
  if (real === null || folder === undefined) return { fault: 'it is not there, or not in the folders of this session' };
  return { folder, real, inside: insideOf(folder, real) };
}

/**
 * How the model is told of it: from the first folder, which is where agents work, if it lies there; else as an absolute
 * path, so that no two files have one name.
 */
export function shownPath({ folder, inside }: Place, folders: readonly Folder[]): string {
  return folder === folders[0] ? inside || '.' : path.join(folder.said, inside);
}

/** The folders that lie in none of the others, each once. */
export function outermost(folders: readonly Folder[]): readonly Folder[] {
  const lies = (inner: Folder, outer: Folder) => inner !== outer && inner.real.startsWith(`${outer.real}${path.sep}`);
  return folders.filter(
    (folder, at) =>
      folders.findIndex(({ real }) => real === folder.real) === at && !folders.some((outer) => lies(folder, outer)),
  );
}

/** A path as a client may have said it, made comparable; it need not lead anywhere. */
export function comparable(said: string, folders: readonly Folder[]): string {
  return path.resolve(folders[0]?.said ?? '/', withoutScheme(said) ?? said);
}

/** What is there, without following a link; null for nothing. */
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

/** The innermost, which is there still: where it was, somebody may have put a link. */
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

/** A path in place of a `file:` URI; null for one of another machine. */
function withoutScheme(said: string): string | null {
  if (!/^file:/iu.test(said)) return said;
  const encoded = /^file:(?:\/\/(?:localhost)?)?(\/(?!\/)[^?#]*)$/iu.exec(said)?.[1];
  try {
    return encoded === undefined ? null : decodeURIComponent(encoded);
  } catch {
    return null;
  }
}
