// Which folders a client may have its agent work in (docs/threats.md T8, T9).
import path from 'node:path';
import { insideRoots } from '../../config/config.ts';
import { GatewayError } from '../../core/model/errors.ts';
import { faultInWords, isDirectory } from '../../stores/paths.ts';

/** Whose folders are checked. */
export interface FolderScope {
  /** The client owns this process and may name any folder. */
  readonly isOurs: boolean;
  /** Folders inside which other clients may name one. */
  readonly roots: readonly string[];
}

/** The usable folders of a client, and sentences for its user about the rest. */
export interface UsableFolders {
  readonly folders: readonly string[];
  readonly problems: readonly string[];
}

/** Folders of one session that are used. */
const mostFolders = 64;

/** The folder at that path. Throws `invalid` without saying what is where (docs/threats.md T8, T9). */
export function folderAt(named: string, { isOurs, roots }: FolderScope): string {
  if (isOurs ? isFolder(named) : path.isAbsolute(named) && faultInWords(named) === null) {
    return isOurs ? named : insideRoots(named, roots);
  }
  throw new GatewayError('invalid', 'cwd must be the absolute path of an existing directory');
}

/** Leaves out folders that are missing or not allowed: an editor names every folder that it has open. */
export function usableFolders(named: readonly string[], scope: FolderScope): UsableFolders {
  const folders = new Set<string>();
  const problems: string[] = [];
  for (const [index, folder] of named.entries()) {
    try {
      if (index >= mostFolders) throw new GatewayError('limit', `more than ${mostFolders} folders`);
      folders.add(folderAt(folder, scope));
    } catch {
      const why = scope.isOurs ? 'it is not there' : 'it is not among those that may be used';
      if (index <= mostFolders) problems.push(`The folder ${JSON.stringify(folder)} was left out: ${why}.`);
    }
  }
  return { folders: [...folders], problems };
}

/** Never throws: a path from a client may be anything. */
function isFolder(named: string): boolean {
  try {
    return path.isAbsolute(named) && isDirectory(named);
  } catch {
    return false;
  }
}
