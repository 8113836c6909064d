// Maps session ids to the conversations of agents, so that stand-ins find a conversation again under the id that their
// client knows. One small file per session, with the title. The conversation itself is stored only by the agent.
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';

/** A session that can be resumed. */
export const StoredId = z.object({
  /** The session id the client knows. */
  id: z.string(),
  /** The agent's name in the configuration. */
  agent: z.string(),
  cwd: z.string(),
  /** What the agent calls the conversation: the path of its file, or an id. */
  file: z.string(),
  /** The title of the conversation in lists: its name, and its first words. */
  name: z.string().optional(),
  firstWords: z.string().optional(),
});
export type StoredId = z.infer<typeof StoredId>;

/** The recorded sessions. */
export interface StoredIds {
  find(id: string): StoredId | null;
  /** All sessions, newest first. */
  list(): readonly StoredId[];
  /** The newest session of the agent in the directory `cwd`. */
  latest(agent: string, cwd: string): StoredId | null;
  /** The newest session of the agent whose conversation is in `file`. */
  holding(agent: string, file: string): StoredId | null;
  /** Throws the errors of the file system. Ignores an id that is not safe as a file name. */
  save(stored: StoredId): void;
  /** Throws the errors of the file system. */
  remove(id: string): void;
}

/** Number of sessions kept; older ones are deleted. */
const mostKept = 500;

/** Ids that are safe as a file name; ids come from command lines. */
const plainId = /^[\w-]{1,128}$/u;

/** Stores the sessions in `folder`, which is created with the first session. */
export function storedIdsIn(folder: string): StoredIds {
  function read(name: string): StoredId | null {
    try {
      return StoredId.parse(JSON.parse(readFileSync(join(folder, name), 'utf8')));
    } catch {
      // Missing, or not a file of ours.
      return null;
    }
  }

  /** File names, newest first. */
  function names(): string[] {
    try {
      const aged = readdirSync(folder).map((name) => {
        // Another process may have deleted the file in the meantime.
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
    list: () => names().flatMap((name) => read(name) ?? []),
    latest: (agent, cwd) => newest((stored) => stored.agent === agent && stored.cwd === cwd),
    holding: (agent, file) => newest((stored) => stored.agent === agent && stored.file === file),
    save(stored) {
      if (!plainId.test(stored.id)) return;
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      for (const name of names().slice(mostKept - 1)) rmSync(join(folder, name), { force: true });
      writeFileSync(join(folder, `${stored.id}.json`), `${JSON.stringify(stored)}\n`, { mode: 0o600 });
    },
    remove(id) {
      if (plainId.test(id)) rmSync(join(folder, `${id}.json`), { force: true });
    },
  };
}

/** The directory for state that survives the process (XDG base directories). */
export function stateFolder(name: string): string {
  return join(process.env.XDG_STATE_HOME || join(homedir(), '.local', 'state'), 'agent-patchbay', name);
}
