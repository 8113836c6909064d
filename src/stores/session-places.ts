// Finds stored sessions, and checks whether a client path leads to one (docs/threats.md T9). Independent of the file
// format.
import { opendirSync } from 'node:fs';
import path from 'node:path';
import { markOf } from './file-cache.ts';
import { faultInWords, isDirectory, realOrNull } from './paths.ts';
import { statOf } from './verify-open-file.ts';

/** A project folder. */
export interface Project {
  readonly folder: string;
  /** Folders below it count as projects too. */
  readonly isRoot: boolean;
}

/** The locations of stored sessions. */
export interface SessionPlaces {
  /** Directories of Patchbay or of the user; they may be links. */
  readonly directories: readonly string[];
  readonly projects: readonly Project[];
  /** Folders of sessions below a project, e.g. `.tool/sessions`. Links are refused, because a project is untrusted. */
  readonly inProject: readonly string[];
  /** File extensions, with the dot. */
  readonly endings: readonly string[];
}

/** A file that may be a stored session. */
export interface FoundFile {
  /** The real path. */
  readonly file: string;
  /** Modification time, ms since 1970. */
  readonly modifiedAt: number;
  /** The mark of the file; see markOf. */
  readonly mark: string;
}

/** The limits of one listing. */
const most = { entries: 20_000, depth: 3, subfolders: 256 };

/** The real path of the file, or the fault as the rest of a sentence that starts with the path. */
export function storedFileAt(
  wish: string,
  places: SessionPlaces,
): { readonly file: string } | { readonly fault: string } {
  const fault = faultIn(wish, places.endings);
  if (fault !== null) return { fault };
  const outside = { fault: 'must be under an allowed session directory' };
  // Paths outside are not looked up: a client must not learn what exists there.
  if (!isWithin(path.normalize(wish), places, (folder) => [folder, realOrNull(folder) ?? folder])) return outside;
  const real = realOrNull(wish);
  const missing = { fault: 'must point to an existing session file' };
  if (real === null) return missing;
  if (!isWithin(real, places, (folder) => [realOrNull(folder) ?? folder])) return outside;
  return statOf(real)?.isFile() === true && hasEnding(real, places.endings) ? { file: real } : missing;
}

/** Checks in the order of docs/protocols/pi-server.md 20.3: invalid path, path outside, missing file. */
function faultIn(wish: string, endings: readonly string[]): string | null {
  if (Buffer.byteLength(wish) > 4096) return 'must not be longer than 4096 bytes';
  if (faultInWords(wish) !== null) return 'contains potentially dangerous path components';
  if (!path.isAbsolute(wish)) return 'must be an absolute path';
  return hasEnding(wish, endings) ? null : `must point to a ${endings.join(' or ')} session file`;
}

function hasEnding(file: string, endings: readonly string[]): boolean {
  return endings.some((ending) => file.endsWith(ending) && !file.endsWith(`/${ending}`));
}

function isWithin(file: string, places: SessionPlaces, forms: (folder: string) => readonly string[]): boolean {
  const isBelow = (folder: string) => file.startsWith(`${folder}/`);
  if (places.directories.flatMap(forms).some(isBelow)) return true;
  return places.projects.some(({ folder, isRoot }) =>
    forms(folder).some((base) =>
      places.inProject.some((name) =>
        isRoot ? isBelow(base) && file.slice(base.length).includes(`/${name}/`) : isBelow(`${base}/${name}`),
      ),
    ),
  );
}

/** The files of all places, newest first, within the limits. Never throws. */
export function storedFilesIn(places: SessionPlaces): FoundFile[] {
  const found = new Map<string, FoundFile>();
  const budget = { entries: most.entries };
  const folders = new Set([
    ...places.directories.map(realOrNull).filter((folder) => folder !== null),
    ...foldersInProjects(places, budget),
  ]);
  for (const folder of folders) walk(folder, 0);

  function walk(folder: string, depth: number): void {
    for (const { name, isFolder } of entriesOf(folder, budget)) {
      const file = path.join(folder, name);
      if (isFolder && depth < most.depth) walk(file, depth + 1);
      if (isFolder || !hasEnding(file, places.endings)) continue;
      const stats = statOf(file);
      if (stats?.isFile() === true) found.set(file, { file, modifiedAt: stats.mtimeMs, mark: markOf(stats) });
    }
  }

  return [...found.values()].sort((a, b) => b.modifiedAt - a.modifiedAt || (a.file < b.file ? 1 : -1));
}

function foldersInProjects({ projects, inProject }: SessionPlaces, budget: { entries: number }): string[] {
  const bases = projects.flatMap(({ folder, isRoot }) => {
    const real = realOrNull(folder);
    if (real === null) return [];
    if (!isRoot) return [real];
    const below = [...entriesOf(real, budget)].filter(({ isFolder }) => isFolder).slice(0, most.subfolders);
    return [real, ...below.map(({ name }) => path.join(real, name))];
  });
  const folders = bases.flatMap((base) => inProject.map((name) => path.join(base, name)));
  return folders.filter((folder) => realOrNull(folder) === folder && isDirectory(folder));
}

/** The files and folders of a folder; skips links and all other entries. */
function* entriesOf(folder: string, budget: { entries: number }): Generator<{ name: string; isFolder: boolean }> {
  try {
    const directory = opendirSync(folder);
    try {
      for (let entry = directory.readSync(); entry !== null && budget.entries > 0; entry = directory.readSync()) {
        budget.entries -= 1;
        if (entry.isDirectory() || entry.isFile()) yield { name: entry.name, isFolder: entry.isDirectory() };
      }
    } finally {
      directory.closeSync();
    }
  } catch {
    // Missing or unreadable.
  }
}
