// Sessions that are stored as files: those that the gateway keeps for agents that keep none, and those of agents that do.
// Lists them and finds the one that a client names. Part of the composition root; what is open is lives.ts's.
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { adapterOf, type Agents } from './agents.ts';
import type { AgentConfig, Config } from '../config/config.ts';
import type { StoredFormat } from '../core/contract/adapter.ts';
import { GatewayError } from '../core/model/errors.ts';
import type { SessionFile, SessionSummary } from '../core/model/outcome-data.ts';
import { mostLines, outlineOf, readSession } from '../core/log/session-lines.ts';
import {
  createSessionPersistence,
  type FoundSession,
  type SessionPersistence,
  type SessionOrigin,
} from './session-files.ts';
import type { Log } from './log.ts';
import { createFileCache } from '../stores/file-cache.ts';
import { longestFile } from '../stores/growing-file.ts';
import { realOrNull } from '../stores/paths.ts';
import { type Beginning, readBounded } from '../stores/read-bounded.ts';
import { type SessionPlaces, storedFileAt, storedFilesIn } from '../stores/session-places.ts';

/** The stored sessions of a gateway. */
export interface StoredSessions {
  /** Newest first, of very many some. `open`: ids of open sessions, by their file. */
  list(open: ReadonlyMap<string, string>): SessionSummary[];
  /**
   * The one at that path, which a client has named. `agent`: of that client, if it wants one. Throws `invalid` for a path
   * that leads to none that it may have (docs/threats.md T9), and `limit` for a file that is too large.
   */
  find(wish: string, agent: string | undefined): FoundSession;
  /** Another file with the same session, for an agent of that name; null where the agent has no second ones. */
  copy(file: string, agent: string): string | null;
  /** The file at that path without links, if it is a session that may be loaded; else null. */
  fileAt(wish: string): string | null;
  /** To be called when its id is known to be free. */
  readonly live: (opening: SessionOrigin) => SessionPersistence;
}

/** Names of session files, whoever makes them (docs/protocols/pi-server.md 20). */
const endings = ['.jsonl', '.json'];

/** How much is looked at: of a file where all have their share, and of one where only its first lines count. */
interface Share {
  readonly bytes: number;
  readonly lines: number;
}

/** For one list: of one file, of all together, and of each of those that are left when that is used up. */
const ofOne: Share = { bytes: 4 * 1024 * 1024, lines: 20_000 };
const ofAll: Share = { bytes: 32 * 1024 * 1024, lines: 200_000 };
const ofRest: Share = { bytes: 64 * 1024, lines: 200 };
const mostListed = 500;

/** What a file tells when so much of it is read; null when it is no session. */
interface Read {
  readonly summary: { readonly agent: string | null; readonly shown: SessionSummary } | null;
  readonly isWhole: boolean;
  readonly share: Share;
}

/** Looks at the disk whenever it is asked. */
export function createStoredSessions(config: Config, agents: Agents, log: Log): StoredSessions {
  const own = config.sessionDirectory ?? defaultDirectory();
  const cache = createFileCache<Read>(2 * mostListed);
  /** Agents that keep files on this machine, with what is known of them. */
  const keepers = Object.entries(config.agents).flatMap(([name, agent]) => {
    const format = agent.command === undefined ? undefined : adapterOf(agent.protocol).agent?.stored;
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

  function find(wish: string, agent: string | undefined): FoundSession {
    const place = storedFileAt(wish, places());
    if ('fault' in place) throw refusal(place.fault, allowed());
    const { file } = place;
    const beginning = readBounded(file, ofRest.bytes, ofRest.lines);
    if (beginning === null) throw refusal('must point to an existing session file');
    if (outlineOf(beginning.text) !== null) return findOwn(file, agent);
    for (const { name, format } of inOrder(agent)) {
      // An agent may empty a file that is none of its own.
      const summary = format.read(beginning.text);
      if (summary !== null) return { file, agent: name, cwd: summary.cwd, stored: null, size: beginning.size };
    }
    throw refusal('must point to an existing session file');
  }

  /** One of those that gateways write. Who brought it from elsewhere does not choose among the agents. */
  function findOwn(file: string, wish: string | undefined): FoundSession {
    const read = readBounded(file, longestFile, mostLines + 1);
    const stored = read === null ? null : readSession(read.text);
    if (read === null || stored === null) throw refusal('must point to an existing session file');
    if (read.size > longestFile)
      throw new GatewayError('limit', `the session file is larger than ${longestFile} bytes`);
    if (stored.isCut || !read.isWhole) throw new GatewayError('limit', 'the session file holds more than can be read');
    const agent = isOwn(file) ? agentFor(stored.head.agent) : agents.named(wish)[0];
    return { file, agent, cwd: stored.head.cwd, stored, size: read.size };
  }

  function summaries(): {
    readonly agent: string | null;
    readonly modifiedAt: number;
    readonly shown: SessionSummary;
  }[] {
    const left = { ...ofAll };
    const share = (of: keyof Share) => Math.max(ofRest[of], Math.min(ofOne[of], left[of]));
    return storedFilesIn(places())
      .slice(0, mostListed)
      .flatMap(({ file, modifiedAt, mark }) => {
        const summary = summaryIn(file, mark, { bytes: share('bytes'), lines: share('lines') }, left);
        return summary === null
          ? []
          : [
              {
                agent: summary.agent,
                modifiedAt,
                shown: { ...summary.shown, file, exists: true, modifiedAt: new Date(modifiedAt).toISOString() },
              },
            ];
      });
  }

  /** What is known of it already costs nothing; else what was read is taken from what is left. */
  function summaryIn(
    file: string,
    mark: string,
    share: Share,
    left: { bytes: number; lines: number },
  ): Read['summary'] {
    const known = cache.get(file, mark);
    const isEnough = (of: keyof Share) => known !== undefined && (known.isWhole || known.share[of] >= share[of]);
    if (known !== undefined && isEnough('bytes') && isEnough('lines')) return known.summary;
    const read = readBounded(file, share.bytes, share.lines);
    if (read === null) return null;
    left.bytes -= Math.min(read.size, share.bytes);
    left.lines -= read.lines;
    const summary = summaryOf(read);
    cache.set(file, read.mark, { summary, isWhole: read.isWhole, share });
    return summary;
  }

  function summaryOf(read: Beginning): Read['summary'] {
    // How many there are behind what was read, nobody knows.
    const counted = (messageCount: number | undefined) => (read.isWhole ? { messageCount } : {});
    const outline = outlineOf(read.text);
    if (outline !== null) {
      const { id, cwd, createdAt, agent } = outline.head;
      const { name, firstWords } = outline;
      const shown = { id, name, firstWords, cwd, createdAt, ...counted(outline.messageCount) };
      return { agent, shown };
    }
    for (const { format } of keepers) {
      const stored = format.read(read.text);
      if (stored === null) continue;
      const { messageCount, ...shown } = stored;
      return { agent: null, shown: { ...shown, ...counted(messageCount) } };
    }
    return null;
  }

  function isOwn(file: string): boolean {
    return file.startsWith(`${directory()}${path.sep}`);
  }

  function directory(): string {
    return realOrNull(own) ?? own;
  }

  /** Of that agent, by the folder that they say they are of. */
  function filesOf({ agent, cwd, place }: SessionOrigin): SessionFile[] {
    const isKeeper = keepers.some(({ name }) => name === agent);
    const folders = new Set([cwd, place, realOrNull(place) ?? place]);
    return summaries().flatMap(({ agent: of, modifiedAt, shown: { file, cwd: at } }) => {
      const isTheirs = isKeeper ? of === null : of === agent;
      if (!isTheirs || !folders.has(at) || file === undefined) return [];
      return [{ path: file, name: path.basename(file), modifiedAt: new Date(modifiedAt).toISOString() }];
    });
  }

  return {
    list(open) {
      const taken = new Set(open.values());
      return summaries().map(({ shown }) => {
        const { file = '' } = shown;
        // A session may have left other files: only one of them is listed under its id.
        const id = open.get(file) ?? (taken.has(shown.id) ? path.parse(file).name : shown.id);
        taken.add(id);
        return { ...shown, id };
      });
    },
    find,
    copy(file, agent) {
      const format = keepers.find(({ name }) => name === agent)?.format;
      const place = storedFileAt(file, places());
      const read = 'file' in place ? readBounded(place.file, longestFile, mostLines) : null;
      if (!('file' in place) || read?.isWhole !== true) return null;
      const as = { id: randomUUID(), createdAt: new Date().toISOString(), from: place.file };
      const text = format?.copy?.(read.text, as) ?? null;
      if (text === null) return null;
      // As such agents name them: the time, then the id.
      const name = `${as.createdAt.replaceAll(/[:.]/gu, '-')}_${as.id}${path.extname(place.file)}`;
      const copy = path.join(path.dirname(place.file), name);
      writeFileSync(copy, text, { flag: 'wx', mode: 0o600 });
      return copy;
    },
    fileAt(wish) {
      const place = storedFileAt(wish, places());
      const read = 'file' in place ? readBounded(place.file, ofRest.bytes, ofRest.lines) : null;
      return 'file' in place && read !== null && summaryOf(read) !== null ? place.file : null;
    },
    live: createSessionPersistence({
      directory,
      isForgetful: agents.isForgetful,
      find,
      filesOf,
      log,
    }),
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
