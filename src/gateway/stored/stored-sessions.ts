// Lists, finds and copies sessions that the gateway or an agent has stored as files.
import { randomUUID } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Config } from '../../config/config.ts';
import { owner } from '../../core/contract/principal.ts';
import { mostLines, outlineOf, readSession, type StoredSession } from '../../core/log/session-lines.ts';
import { GatewayError } from '../../core/model/errors.ts';
import type { SessionFile, SessionSummary } from '../../core/model/outcome-data.ts';
import { longestFile } from '../../stores/growing-file.ts';
import { realOrNull } from '../../stores/paths.ts';
import { readBounded } from '../../stores/read-bounded.ts';
import { storedFileAt } from '../../stores/session-places.ts';
import type { Agents } from '../agents.ts';
import type { StoredFolders } from './stored-folders.ts';
import { beginningBudget, type StoredSummaries } from './stored-summaries.ts';

/** A stored session that was found. */
export interface FoundSession {
  /** Path without links. */
  readonly file: string;
  /** Name of the agent that is to continue the session. */
  readonly agent: string;
  readonly cwd?: string | undefined;
  /** Its history. Null: the agent reads the file itself. */
  readonly stored: StoredSession | null;
  /** Size of the file when it was read, bytes. */
  readonly size: number;
}

/** What stored sessions need from the gateway. */
export interface StoredSessionsPorts {
  readonly config: Pick<Config, 'agents'>;
  readonly agents: Pick<Agents, 'named'>;
  readonly folders: StoredFolders;
  readonly summaries: StoredSummaries;
}

const missing = 'must point to an existing session file';

/** The stored sessions of a gateway. Looks at the disk with each call. */
export class StoredSessions {
  readonly #ports: StoredSessionsPorts;

  constructor(ports: StoredSessionsPorts) {
    this.#ports = ports;
  }

  /** Newest first; the number is bounded. `open`: ids of open sessions, by their file. */
  list(open: ReadonlyMap<string, string>): SessionSummary[] {
    const taken = new Set(open.values());
    return this.#ports.summaries.list().map(({ shown }) => {
      const { file = '' } = shown;
      // A session may have several files: only one of them is listed under its id.
      const id = open.get(file) ?? (taken.has(shown.id) ? path.parse(file).name : shown.id);
      taken.add(id);
      return id === shown.id ? shown : { ...shown, id };
    });
  }

  /**
   * The session at a path that a client has named. `agent`: the agent that the client prefers. Throws `invalid` for a
   * path that the client may not have (docs/threats.md T9), and `limit` for a file that is too large.
   */
  find(wanted: string, agent: string | undefined): FoundSession {
    const { folders } = this.#ports;
    const place = storedFileAt(wanted, folders.places());
    if ('fault' in place) throw refusal(place.fault, folders.describe());
    const { file } = place;
    const beginning = readBounded(file, beginningBudget.bytes, beginningBudget.lines);
    if (beginning === null) throw refusal(missing);
    if (outlineOf(beginning.text) !== null) return this.#findOwn(file, agent);
    for (const { name, format } of folders.inOrder(agent)) {
      // An agent may empty a file that is not in its format.
      const summary = format.read(beginning.text);
      if (summary !== null) return { file, agent: name, cwd: summary.cwd, stored: null, size: beginning.size };
    }
    throw refusal(missing);
  }

  /**
   * The session at an absolute path, as {@link StoredSessions.find}, or the newest one with that id. Null if no session
   * has the id.
   */
  named(name: string, agent: string | undefined): FoundSession | null {
    if (path.isAbsolute(name)) return this.find(name, agent);
    const { summaries } = this.#ports;
    const [file] = summaries.list().flatMap(({ shown }) => (shown.id === name ? (shown.file ?? []) : []));
    return file === undefined ? null : this.find(file, agent);
  }

  /** The session in a file that this gateway keeps itself; null if there is none that can be read. */
  own(file: string): FoundSession | null {
    const { folders } = this.#ports;
    const place = storedFileAt(file, folders.places());
    if ('fault' in place || !folders.isOwn(place.file)) return null;
    try {
      return this.#findOwn(place.file, undefined);
    } catch (thrown) {
      if (thrown instanceof GatewayError) return null;
      throw thrown;
    }
  }

  /** Copies the session in a file of that agent. Returns the path; null if the agent's sessions cannot be copied. */
  copy(file: string, agent: string): string | null {
    const { folders } = this.#ports;
    const format = folders.keepingAgents.find(({ name }) => name === agent)?.format;
    const place = storedFileAt(file, folders.places());
    const read = 'file' in place ? readBounded(place.file, longestFile, mostLines) : null;
    if (!('file' in place) || read?.isWhole !== true) return null;
    const as = { id: randomUUID(), createdAt: new Date().toISOString(), from: place.file };
    const text = format?.copy?.(read.text, as) ?? null;
    if (text === null) return null;
    // Named like the files of such agents: time, then id.
    const name = `${as.createdAt.replaceAll(/[:.]/gu, '-')}_${as.id}${path.extname(place.file)}`;
    const copy = path.join(path.dirname(place.file), name);
    writeFileSync(copy, text, { flag: 'wx', mode: 0o600 });
    return copy;
  }

  /** Deletes the file of a session that is not open. A file elsewhere stays (docs/threats.md T9). */
  remove(file: string): void {
    const place = storedFileAt(file, this.#ports.folders.places());
    if ('file' in place) rmSync(place.file, { force: true });
  }

  /** The path without links, if a session is there that the client may load; else null. */
  fileAt(wanted: string): string | null {
    const { folders, summaries } = this.#ports;
    const place = storedFileAt(wanted, folders.places());
    const read = 'file' in place ? readBounded(place.file, beginningBudget.bytes, beginningBudget.lines) : null;
    return 'file' in place && read !== null && summaries.of(read) !== null ? place.file : null;
  }

  /** Files of that agent's sessions in that folder, newest first. */
  filesOf({ agent, cwd, place }: { agent: string; cwd: string | undefined; place: string }): SessionFile[] {
    const { folders, summaries } = this.#ports;
    const keepsFiles = folders.keepingAgents.some(({ name }) => name === agent);
    const sameFolder = new Set([cwd, place, realOrNull(place) ?? place]);
    return summaries.list().flatMap(({ agent: of, modifiedAt, shown: { file, cwd: at } }) => {
      const isTheirs = keepsFiles ? of === null : of === agent;
      if (!isTheirs || !sameFolder.has(at) || file === undefined) return [];
      return [{ path: file, name: path.basename(file), modifiedAt: new Date(modifiedAt).toISOString() }];
    });
  }

  /** A session that a gateway wrote. A file from elsewhere does not choose among the agents. */
  #findOwn(file: string, preferred: string | undefined): FoundSession {
    const { agents, folders } = this.#ports;
    const read = readBounded(file, longestFile, mostLines + 1);
    const stored = read === null ? null : readSession(read.text);
    if (read === null || stored === null) throw refusal(missing);
    if (read.size > longestFile)
      throw new GatewayError('limit', `the session file is larger than ${longestFile} bytes`);
    if (stored.isCut || !read.isWhole) throw new GatewayError('limit', 'the session file holds more than can be read');
    const agent = folders.isOwn(file) ? this.#agentFor(stored.head.agent) : agents.named(preferred, owner)[0];
    return { file, agent, cwd: stored.head.cwd, stored, size: read.size };
  }

  /** The agent that a file names, if still configured; else the default agent. */
  #agentFor(name: string): string {
    const { agents, config } = this.#ports;
    return Object.hasOwn(config.agents, name) ? name : agents.named(undefined, owner)[0];
  }
}

function refusal(fault: string, allowed?: string): GatewayError {
  const isOutside = fault.includes('under an allowed') && allowed !== undefined;
  return new GatewayError('invalid', `sessionPath ${fault}${isOutside ? ` (${allowed})` : ''}`);
}
