// Sessions that are stored as files: those that the gateway keeps for agents that keep none, and those of agents that do.
// Lists them, finds the one that a client names, and keeps open ones. Part of the composition root.
import { homedir } from 'node:os';
import path from 'node:path';
import { adapterOf, type Agents } from './agents.ts';
import type { AgentConfig, Config } from './config.ts';
import type { SessionView, StoredFormat } from './core/adapter.ts';
import type { Message } from './core/content.ts';
import { GatewayError } from './core/errors.ts';
import type { Event, SessionInfo } from './core/event.ts';
import type { SessionFile, SessionSummary } from './core/outcome-data.ts';
import { outlineOf, readSession, type SessionHead, type StoredSession } from './core/session-lines.ts';
import type { Log } from './log.ts';
import { type GrowingFile, longestFile, newGrowingFile, oldGrowingFile } from './stores/growing-file.ts';
import { realOrNull } from './stores/paths.ts';
import { type Beginning, readBounded } from './stores/read-bounded.ts';
import { createKeeper, type SessionKeeper } from './stores/session-keeper.ts';
import { type SessionPlaces, storedFileAt, storedFilesIn } from './stores/session-places.ts';

/** A stored session that was found. */
export interface Found {
  /** Without links. */
  readonly file: string;
  /** The name of the agent that is to go on with it. */
  readonly agent: string;
  readonly cwd?: string | undefined;
  /** What was said in it; null where the agent reads the file itself. */
  readonly told: StoredSession | null;
  /** Of the file when it was read, bytes. */
  readonly size: number;
}

/** A session that is about to be opened. */
export interface Opening {
  readonly id: string;
  /** Its agent, by its name in the configuration. */
  readonly agent: string;
  /** Where its agent works, as its clients may know it. */
  readonly cwd: string | undefined;
  /** The same, as it is. */
  readonly place: string;
  /** ISO 8601. */
  readonly createdAt: string;
  /** It is kept as a file, unless its agent keeps its sessions itself. */
  readonly keep?: boolean | undefined;
  /** What it goes on with. */
  readonly found?: Found | undefined;
}

/** What an open session has to do with files. */
export interface Life {
  /** What is known of it before its agent has said anything. */
  readonly info: SessionInfo | undefined;
  /** What was said before. */
  readonly history: readonly Message[] | undefined;
  /** Stored sessions of its agent in its folder. */
  files(): SessionFile[];
  /** What was said in one of the gateway's own. Throws like {@link Stored.find}. */
  read(path: string): readonly Message[];
  hear(event: Event, view: SessionView): void;
  /** The session is over. */
  end(view: SessionView): void;
}

/** The stored sessions of a gateway. */
export interface Stored {
  /** Newest first, of very many some. `open`: ids of open sessions, by their file. */
  list(open: ReadonlyMap<string, string>): SessionSummary[];
  /**
   * The one at that path, which a client has named. `agent`: of that client, if it wants one. Throws `invalid` for a path
   * that leads to none that it may have (threat T9), and `limit` for a file that is too large.
   */
  find(wish: string, agent: string | undefined): Found;
  /** The file at that path without links, if it is a session that may be loaded; else null. */
  fileAt(wish: string): string | null;
  /** To be called when its id is known to be free. */
  live(opening: Opening): Life;
}

/** Names of session files, whoever makes them (seed pi-server, 20). */
const endings = ['.jsonl', '.json'];

/** How much is read for one list, bytes. */
const listed = { files: 500, ofOne: 4 * 1024 * 1024, ofAll: 32 * 1024 * 1024, ofRest: 64 * 1024 };

/** Looks at the disk whenever it is asked. */
export function createStored(config: Config, agents: Agents, log: Log): Stored {
  const own = config.sessionDirectory ?? defaultDirectory();
  /** Files of open sessions: two must not write into one. */
  const used = new Set<string>();
  /** Agents that keep files on this machine, with what is known of them. */
  const keepers = Object.entries(config.agents).flatMap(([name, agent]) => {
    const format = agent.command === undefined ? undefined : adapterOf(agent.protocol).stored;
    return format === undefined ? [] : [{ name, agent, format }];
  });

  function places(): SessionPlaces {
    return {
      directories: [own, ...new Set(keepers.flatMap(({ agent, format }) => foldersOf(agent, format)))],
      projects: [{ folder: process.cwd(), isRoot: false }, ...config.roots.map((folder) => ({ folder, isRoot: true }))],
      inProject: [...new Set(keepers.flatMap(({ format }) => format.inProject ?? []))],
      endings,
    };
  }

  function allowed(): string {
    const folders = keepers.flatMap(({ format }) => [
      ...format.folders.map((folder) => `~/${folder}/`),
      ...(format.inProject ?? []).map((folder) => `${folder}/`),
    ]);
    return ['those that the gateway keeps itself', ...new Set(folders)].join(', ');
  }

  /** Those first whom the client has chosen, then those to whom others go. */
  function inOrder(wish: string | undefined) {
    const rank = (name: string) => (name === wish ? 0 : name === config.defaultAgent ? 1 : 2);
    return [...keepers].sort((a, b) => rank(a.name) - rank(b.name));
  }

  function agentFor(name: string): string {
    return Object.hasOwn(config.agents, name) ? name : agents.named(undefined)[0];
  }

  function find(wish: string, agent: string | undefined): Found {
    const place = storedFileAt(wish, places());
    if ('fault' in place) throw refusal(place.fault, allowed());
    const { file } = place;
    const read = readBounded(file, longestFile);
    if (read === null) throw refusal('must point to an existing session file');
    const told = readSession(read.text);
    if (told !== null) {
      if (!read.isWhole) throw new GatewayError('limit', `the session file is larger than ${longestFile} bytes`);
      return { file, agent: agentFor(told.head.agent), cwd: told.head.cwd, told, size: read.size };
    }
    for (const { name, format } of inOrder(agent)) {
      // An agent may empty a file that is none of its own.
      const summary = format.read(read.text);
      if (summary !== null) return { file, agent: name, cwd: summary.cwd, told: null, size: read.size };
    }
    throw refusal('must point to an existing session file');
  }

  function summaries(): {
    readonly agent: string | null;
    readonly modifiedAt: number;
    readonly shown: SessionSummary;
  }[] {
    let left = listed.ofAll;
    return storedFilesIn(places())
      .slice(0, listed.files)
      .flatMap(({ file, modifiedAt }) => {
        const read = readBounded(file, Math.max(listed.ofRest, Math.min(listed.ofOne, left)));
        if (read === null) return [];
        left -= read.text.length;
        const summary = summaryOf(read);
        return summary === null
          ? []
          : [{ agent: summary.agent, modifiedAt, shown: { ...summary.shown, file, exists: true } }];
      });
  }

  function summaryOf(read: Beginning): { readonly agent: string | null; readonly shown: SessionSummary } | null {
    // How many there are behind what was read, nobody knows.
    const counted = (messageCount: number | undefined) => (read.isWhole ? { messageCount } : {});
    const outline = outlineOf(read.text);
    if (outline !== null) {
      const { id, cwd, createdAt, agent } = outline.head;
      const shown = { id, name: outline.name, cwd, createdAt, ...counted(outline.messageCount) };
      return { agent, shown };
    }
    for (const { format } of keepers) {
      const told = format.read(read.text);
      if (told === null) continue;
      const { messageCount, ...shown } = told;
      return { agent: null, shown: { ...shown, ...counted(messageCount) } };
    }
    return null;
  }

  function growingFile({ id, createdAt, found }: Opening): GrowingFile {
    if (found?.told && isOwn(found.file) && !used.has(found.file)) return oldGrowingFile(found.file, found.size);
    const name = `${createdAt.replaceAll(/[:.]/gu, '-')}_${id.slice(0, 128)}.jsonl`;
    return newGrowingFile(path.join(realOrNull(own) ?? own, name));
  }

  function isOwn(file: string): boolean {
    return file.startsWith(`${realOrNull(own) ?? own}${path.sep}`);
  }

  /** Of that agent, by the folder that they say they are of. */
  function filesOf({ agent, cwd, place }: Opening): SessionFile[] {
    const isKeeper = keepers.some(({ name }) => name === agent);
    const folders = new Set([cwd, place, realOrNull(place) ?? place]);
    return summaries().flatMap(({ agent: of, modifiedAt, shown: { file, cwd: at } }) => {
      const isTheirs = isKeeper ? of === null : of === agent;
      if (!isTheirs || !folders.has(at) || file === undefined) return [];
      return [{ path: file, name: path.basename(file), modifiedAt: new Date(modifiedAt).toISOString() }];
    });
  }

  /** Null where nothing is to be kept, or its agent does that itself. */
  function keep(opening: Opening): { readonly file: string; readonly keeper: SessionKeeper } | null {
    const { id, agent, cwd, createdAt, found } = opening;
    if (opening.keep !== true || !agents.isForgetful(agent)) return null;
    const file = growingFile(opening);
    const told = found?.told ?? null;
    const fresh: SessionHead = { type: 'patchbay-session', version: 1, id, agent, cwd, createdAt };
    const keeper = createKeeper({
      head: { ...(file.isMade && told !== null ? told.head : fresh), name: told?.name },
      file,
      known: file.isMade ? (told?.messages.length ?? 0) : 0,
      soon: (callback) => void setImmediate(callback),
      failed: (reason) => log('error', 'the session is not kept any more', { session: id, reason }),
    });
    return { file: file.file, keeper };
  }

  function live(opening: Opening): Life {
    const kept = keep(opening);
    const told = opening.found?.told ?? null;
    if (kept !== null) used.add(kept.file);
    const info: SessionInfo = {
      ...(opening.cwd === undefined ? {} : { cwd: opening.cwd }),
      ...(kept === null ? {} : { file: kept.file }),
      ...(opening.keep === true ? { createdAt: opening.createdAt } : {}),
      ...(told?.name === undefined ? {} : { name: told.name }),
    };
    return {
      info: Object.keys(info).length === 0 ? undefined : info,
      history: told?.messages,
      files: () => filesOf(opening),
      read(wish) {
        const read = find(wish, opening.agent).told;
        if (read === null) throw new GatewayError('unsupported', 'only the agent that wrote that session can read it');
        return read.messages;
      },
      hear(event, view) {
        kept?.keeper.hear(event, view);
      },
      end(view) {
        kept?.keeper.flush(view);
        if (kept !== null) used.delete(kept.file);
      },
    };
  }

  return {
    list: (open) => summaries().map(({ shown }) => ({ ...shown, id: open.get(shown.file ?? '') ?? shown.id })),
    find,
    fileAt(wish) {
      const place = storedFileAt(wish, places());
      const read = 'file' in place ? readBounded(place.file, listed.ofRest) : null;
      return 'file' in place && read !== null && summaryOf(read) !== null ? place.file : null;
    },
    live,
  };
}

function refusal(fault: string, allowed?: string): GatewayError {
  const isOutside = fault.includes('under an allowed') && allowed !== undefined;
  return new GatewayError('invalid', `sessionPath ${fault}${isOutside ? ` (${allowed})` : ''}`);
}

/** Of its user; a program may be given another home than ours. */
function foldersOf({ env }: AgentConfig, format: StoredFormat): string[] {
  const home = env?.HOME ?? homedir();
  return path.isAbsolute(home) ? format.folders.map((folder) => path.join(home, folder)) : [];
}

/** Where programs keep what they know: XDG Base Directory Specification. */
function defaultDirectory(): string {
  const state = process.env.XDG_STATE_HOME;
  const base = state !== undefined && path.isAbsolute(state) ? state : path.join(homedir(), '.local', 'state');
  return path.join(base, 'patchbay', 'sessions');
}
