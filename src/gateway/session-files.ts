// What open sessions have to do with files: each that is kept has one that grows, and goes on in another when its conversation is
// another one. Part of the composition root.
import path from 'node:path';
import type { SessionView } from '../core/contract/adapter.ts';
import type { Message } from '../core/model/content.ts';
import { GatewayError } from '../core/model/errors.ts';
import type { Event, SessionInfo } from '../core/model/event.ts';
import type { SessionFile } from '../core/model/outcome-data.ts';
import type { SessionHead, StoredSession } from '../core/log/session-lines.ts';
import type { Log } from './log.ts';
import { type GrowingFile, newGrowingFile, oldGrowingFile } from '../stores/growing-file.ts';
import { statOf } from '../stores/opened.ts';
import { createKeeper, type SessionKeeper } from '../stores/session-keeper.ts';

/** A stored session that was found. */
export interface FoundSession {
  /** Without links. */
  readonly file: string;
  /** The name of the agent that is to go on with it. */
  readonly agent: string;
  readonly cwd?: string | undefined;
  /** What was said in it; null where the agent reads the file itself. */
  readonly stored: StoredSession | null;
  /** Of the file when it was read, bytes. */
  readonly size: number;
}

/** A session that is about to be opened. */
export interface SessionOrigin {
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
  readonly found?: FoundSession | undefined;
}

/** What an open session has to do with files. */
export interface SessionPersistence {
  /** What is known of it before its agent has said anything. */
  readonly info: SessionInfo | undefined;
  /** What was said before. */
  readonly history: readonly Message[] | undefined;
  /** Stored sessions of its agent in its folder. */
  files(): SessionFile[];
  /** What was said in one of the gateway's own. Throws what Stored.find does. */
  read(path: string): readonly Message[];
  /** Hears each event but deltas when the log has it. Another conversation has another file and name: it says which. */
  logged(event: Event, view: SessionView): SessionInfo | undefined;
  /** The session is over. */
  end(view: SessionView): void;
}

/** What they need of the stored ones. */
export interface SessionPersistencePorts {
  /** Of the gateway's own files, without links. */
  directory(): string;
  /** Whether that agent keeps nothing itself and can be told what was said; by its name. */
  isForgetful(agent: string): boolean;
  /** See Stored. */
  find(wish: string, agent: string | undefined): FoundSession;
  filesOf(opening: SessionOrigin): SessionFile[];
  readonly log: Log;
}

/** Returns what gives a session its life. */
export function createSessionPersistence({
  directory,
  isForgetful,
  find,
  filesOf,
  log,
}: SessionPersistencePorts): (opening: SessionOrigin) => SessionPersistence {
  /** Files of open sessions: two must not write into one. */
  const used = new Set<string>();
  const isOwn = (file: string) => file.startsWith(`${directory()}${path.sep}`);

  function growingFile({ id, createdAt, found }: SessionOrigin): GrowingFile {
    if (found?.stored && isOwn(found.file) && !used.has(found.file)) return oldGrowingFile(found.file, found.size);
    // There are protocols that have no path with two dots, wherever they are.
    const name = `${createdAt}_${id.slice(0, 128)}`.replaceAll(/[:.]/gu, '-');
    const stem = path.join(directory(), name);
    let file = `${stem}.jsonl`;
    // A session may begin again within a millisecond.
    for (let number = 2; used.has(file) || statOf(file) !== null; number += 1) file = `${stem}-${number}.jsonl`;
    return newGrowingFile(file);
  }

  /**
   * Null where nothing is to be kept, or its agent does that itself. `items`: of the transcript that are none of its
   * conversation.
   */
  function keep(opening: SessionOrigin, items = 0): { readonly file: string; readonly keeper: SessionKeeper } | null {
    const { id, agent, cwd, createdAt, found } = opening;
    if (opening.keep !== true || !isForgetful(agent)) return null;
    const file = growingFile(opening);
    const told = found?.stored ?? null;
    const fresh: SessionHead = { type: 'patchbay-session', version: 1, id, agent, cwd, createdAt };
    const keeper = createKeeper({
      head: { ...(file.isMade && told !== null ? told.head : fresh), name: told?.name },
      file,
      known: items + (file.isMade ? (told?.messages.length ?? 0) : 0),
      lines: file.isMade ? (told?.lines ?? 0) : 0,
      soon: (callback) => void setImmediate(callback),
      failed: (reason) => log('error', 'the session is not kept any more', { session: id, reason }),
    });
    used.add(file.file);
    return { file: file.file, keeper };
  }

  function live(opening: SessionOrigin): SessionPersistence {
    let kept = keep(opening);
    /** What its client has told it to go on with. */
    let wanted: FoundSession | undefined;
    const told = opening.found?.stored ?? null;
    const info: SessionInfo = {
      ...(opening.cwd === undefined ? {} : { cwd: opening.cwd }),
      ...(kept === null ? {} : { file: kept.file }),
      ...(opening.keep === true ? { createdAt: opening.createdAt } : {}),
      ...(told?.name === undefined ? {} : { name: told.name }),
    };

    /** What was said until now stays as it is, for whoever wants it again. */
    function goOn({ transcript }: SessionView, found: FoundSession | undefined): SessionInfo | undefined {
      if (kept === null) return undefined;
      kept.keeper.write();
      used.delete(kept.file);
      kept = keep({ ...opening, createdAt: new Date().toISOString(), found }, transcript.items.length);
      const name = found?.stored?.name ?? '';
      return { ...(kept && { file: kept.file }), ...(name === (transcript.info.name ?? '') ? {} : { name }) };
    }

    return {
      info: Object.keys(info).length === 0 ? undefined : info,
      history: told?.messages,
      files: () => filesOf(opening),
      read(wish) {
        // It may be its own.
        kept?.keeper.write();
        const found = find(wish, opening.agent);
        const read = found.stored;
        if (read === null) throw new GatewayError('unsupported', 'only the agent that wrote that session can read it');
        wanted = found;
        return read.messages;
      },
      logged(event, view) {
        if (event.type === 'history-reset') {
          const found = event.reason === 'switched' ? wanted : undefined;
          wanted = undefined;
          return goOn(view, found);
        }
        kept?.keeper.hear(event, view);
        return undefined;
      },
      end(view) {
        kept?.keeper.flush(view);
        if (kept !== null) used.delete(kept.file);
      },
    };
  }

  return live;
}
