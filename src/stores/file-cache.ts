// Caches values read from files, until a file changes. Bounded.
import type { Stats } from 'node:fs';

/** Cached values by file. */
export interface FileCache<Value> {
  /** The value of the file; undefined if none is cached or the file has changed since. */
  get(file: string, mark: string): Value | undefined;
  set(file: string, mark: string, value: Value): void;
}

/** A mark that changes when the file is written or replaced. */
export function markOf({ dev, ino, size, mtimeMs, ctimeMs }: Stats): string {
  return [dev, ino, size, mtimeMs, ctimeMs].join(' ');
}

/** A cache of `most` files; evicts the least recently used one. */
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
