// What was read of files, for as long as they stay as they are: of so many and no more. Knows no session.
import type { Stats } from 'node:fs';

/** Values by their file. */
export interface FileCache<Value> {
  /** What was kept for that very file; undefined when there is nothing, or the file has changed. */
  get(file: string, mark: string): Value | undefined;
  set(file: string, mark: string, value: Value): void;
}

/** The same as long as nobody has written to a file or put another in its place. */
export function markOf({ dev, ino, size, mtimeMs, ctimeMs }: Stats): string {
  return [dev, ino, size, mtimeMs, ctimeMs].join(' ');
}

/** Of `most` files; who has not been looked at for longest goes first. */
export function createFileCache<Value>(most: number): FileCache<Value> {
  const known = new Map<string, { readonly mark: string; readonly value: Value }>();

  function put(file: string, entry: { readonly mark: string; readonly value: Value }): void {
    known.delete(file);
    known.set(file, entry);
    const [oldest] = known.keys();
    if (known.size > most && oldest !== undefined) known.delete(oldest);
  }

  return {
    get(file, mark) {
      const entry = known.get(file);
      if (entry?.mark !== mark) return undefined;
      put(file, entry);
      return entry.value;
    },
    set: (file, mark, value) => put(file, { mark, value }),
  };
}
