// Which stored conversation of its agent a session of ours was, so that `patchbay-claude --resume <id>` finds it again.
// One small file for each session; what was said is kept by the agent alone. Knows no protocol.
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

/** A session that can be found again. */
export const StoredId = z.object({
  /** As the client knows it. */
  id: z.string(),
  /** The agent's name in the configuration. */
  agent: z.string(),
  cwd: z.string(),
  /** Where the agent keeps the conversation. */
  file: z.string(),
});
export type StoredId = z.infer<typeof StoredId>;

/** The sessions that were. */
export interface StoredIds {
  find(id: string): StoredId | null;
  /** The newest of that agent in that directory. */
  latest(agent: string, cwd: string): StoredId | null;
  /** The newest of that agent whose conversation lies in that file. */
  holding(agent: string, file: string): StoredId | null;
  /** Throws what the file system throws. */
  save(stored: StoredId): void;
}

/** Older ones are forgotten. */
const mostKept = 500;

/** What may be a file's name; ids come from command lines. */
const plainId = /^[\w-]{1,128}$/u;

/** Keeps them in a directory, which is made with the first one. */
export function storedIdsIn(folder: string): StoredIds {
  function read(name: string): StoredId | null {
    try {
      return StoredId.parse(JSON.parse(readFileSync(join(folder, name), 'utf8')));
    } catch {
      // Not there, or not ours.
      return null;
    }
  }

  /** Newest first. */
  function names(): string[] {
    try {
      const aged = readdirSync(folder).map((name) => {
        // Another process may just have forgotten it.
        const stats = statSync(join(folder, name), { throwIfNoEntry: false });
        return { name, at: stats?.mtimeMs ?? 0 };
      });
      return aged.sort((a, b) => b.at - a.at).map(({ name }) => name);
    } catch {
      return [];
    }
  }

  function newest(isMeant: (stored: StoredId) => boolean): StoredId | null {
    for (const name of names()) {
      const stored = read(name);
      if (stored !== null && isMeant(stored)) return stored;
    }
    return null;
  }

  return {
    find: (id) => (plainId.test(id) ? read(`${id}.json`) : null),
    latest: (agent, cwd) => newest((stored) => stored.agent === agent && stored.cwd === cwd),
    holding: (agent, file) => newest((stored) => stored.agent === agent && stored.file === file),
    save(stored) {
      if (!plainId.test(stored.id)) return;
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      for (const name of names().slice(mostKept - 1)) rmSync(join(folder, name), { force: true });
      writeFileSync(join(folder, `${stored.id}.json`), `${JSON.stringify(stored)}\n`, { mode: 0o600 });
    },
  };
}
