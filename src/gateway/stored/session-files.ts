// The files of open sessions: a kept session writes to a file of its own, and continues in another file when its
// conversation is replaced.
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { SessionView } from '../../core/contract/adapter/projection.ts';
import { messagesOf } from '../../core/log/messages.ts';
import { lineOfMessage, type SessionHead, type SessionLine } from '../../core/log/session-lines.ts';
import type { Message } from '../../core/model/content.ts';
import { type GrowingFile, newGrowingFile, oldGrowingFile } from '../../stores/growing-file.ts';
import { createKeeper, type KeeperPorts, type SessionKeeper } from '../../stores/session-keeper.ts';
import { statOf } from '../../stores/verify-open-file.ts';
import type { Agents } from '../agents.ts';
import type { Log } from '../log.ts';
import type { StoredFolders } from './stored-folders.ts';
import type { FoundSession } from './stored-sessions.ts';

/** A session that is about to open. */
export interface SessionOrigin {
  readonly id: string;
  /** Name of the agent in the configuration. */
  readonly agent: string;
  /** The working directory, if clients may know it. */
  readonly cwd: string | undefined;
  /** The working directory of the agent. */
  readonly place: string;
  /** ISO 8601. */
  readonly createdAt: string;
  /** Keep the session as a file, unless the agent keeps sessions itself. */
  readonly keep?: boolean | undefined;
  /** The stored session to continue. */
  readonly found?: FoundSession | undefined;
  /** The session is made again from a store. */
  readonly isBack?: boolean | undefined;
  /** Calls back once the log of the session is kept so far. Not if another gateway has the session by then. */
  whenKept(callback: () => void): void;
}

/** The file of a kept session, and its writer. */
export interface KeptFile {
  readonly session: string;
  readonly file: string;
  readonly keeper: SessionKeeper;
}

/** The dependencies of the files of open sessions. */
export interface SessionFilesPorts {
  readonly folders: Pick<StoredFolders, 'directory' | 'isOwn'>;
  readonly agents: Pick<Agents, 'acceptsHistory'>;
  readonly log: Log;
  /** The own session in that file; null if it cannot be read. */
  read(file: string): FoundSession | null;
  /** The session is not kept any more. */
  unkept(session: string): void;
  /** The session no longer writes into its file. */
  released(session: string): void;
}

/** The files of all open sessions. */
export class SessionFiles {
  readonly #ports: SessionFilesPorts;
  /** Paths in use: two sessions must not write into one file. */
  readonly #used = new Set<string>();

  constructor(ports: SessionFilesPorts) {
    this.#ports = ports;
  }

  /**
   * A file for the session. Null if the session is not to be kept or its agent keeps sessions itself. `items`: number
   * of transcript items that do not belong to the conversation in the file.
   */
  keep(origin: SessionOrigin, items = 0): KeptFile | null {
    if (!this.#isWanted(origin)) return null;
    const file = this.#growingFile(origin);
    const past = (file.isMade && origin.found?.stored) || null;
    return this.#start(origin, file, { known: items + (past?.messages.length ?? 0), missing: [] });
  }

  /**
   * The file of a session that is made again from its log. The file gets what it lacks of the conversation. A file that
   * holds something else stays as it is, and the conversation gets a new one.
   */
  goOn(origin: SessionOrigin, { transcript, timeOrigin }: SessionView): KeptFile | null {
    if (!this.#isWanted(origin)) return null;
    const open = transcript.items.findIndex((item) => item.kind === 'message' && item.message.end === undefined);
    const known = open === -1 ? transcript.items.length : open;
    const messages = messagesOf({ items: transcript.items.slice(0, known) }, timeOrigin);
    const { file: named, name } = transcript.info;
    const there = named === undefined ? null : this.#ports.read(named);
    const found = there !== null && isBeginning(there.stored?.messages ?? [], messages) ? there : undefined;
    const file = this.#growingFile({ ...origin, found });
    const past = (file.isMade && found?.stored) || null;
    const missing: SessionLine[] = messages.slice(past?.messages.length ?? 0).map(lineOfMessage);
    if (past !== null && (past.name ?? '') !== (name ?? ''))
      missing.push({ type: 'session-changed', changes: { name: name ?? '' } });
    const kept = this.#start({ ...origin, found }, file, { known, missing, name });
    kept.keeper.write();
    return kept;
  }

  #isWanted({ keep, agent }: SessionOrigin): boolean {
    return keep === true && this.#ports.agents.acceptsHistory(agent);
  }

  #start(
    { id, agent, cwd, createdAt, found, whenKept }: SessionOrigin,
    file: GrowingFile,
    { known, missing, name }: Pick<KeeperPorts, 'known' | 'missing'> & { readonly name?: string | undefined },
  ): KeptFile {
    const { log } = this.#ports;
    const past = found?.stored ?? null;
    const fresh: SessionHead = { type: 'patchbay-session', version: 1, id, agent, cwd, createdAt };
    const keeper = createKeeper({
      head: { ...(file.isMade && past !== null ? past.head : fresh), name: name ?? past?.name },
      file,
      known,
      missing,
      lines: file.isMade ? (past?.lines ?? 0) : 0,
      soon: (callback) => void setImmediate(callback),
      whenKept,
      failed: (reason) => {
        log('error', 'the session is not kept any more', { session: id, reason });
        this.#ports.unkept(id);
      },
    });
    this.#used.add(file.file);
    return { session: id, file: file.file, keeper };
  }

  /** The session no longer writes into the file. */
  release({ session, file }: KeptFile): void {
    this.#used.delete(file);
    this.#ports.released(session);
  }

  #growingFile({ id, createdAt, found }: SessionOrigin): GrowingFile {
    const { folders } = this.#ports;
    if (found?.stored && folders.isOwn(found.file) && !this.#used.has(found.file)) {
      return oldGrowingFile(found.file, found.size);
    }
    // Some protocols refuse any path with two dots in a row.
    const name = `${createdAt}_${id.slice(0, 128)}`.replaceAll(/[:.]/gu, '-');
    const stem = path.join(folders.directory(), name);
    let file = `${stem}.jsonl`;
    // A conversation may be replaced twice within a millisecond.
    for (let number = 2; this.#used.has(file) || statOf(file) !== null; number += 1) file = `${stem}-${number}.jsonl`;
    return newGrowingFile(file);
  }
}

/** Whether the conversation begins with these messages. Times and origins differ once a history was loaded. */
function isBeginning(beginning: readonly Message[], messages: readonly Message[]): boolean {
  const gistOf = ({ role, call, content }: Message): unknown => JSON.parse(JSON.stringify({ role, call, content }));
  return beginning.every((message, at) => {
    const other = messages[at];
    return other !== undefined && isDeepStrictEqual(gistOf(message), gistOf(other));
  });
}
