// Summaries of stored sessions, for lists. How much is read for one list is bounded.
import { outlineOf } from '../../core/log/session-lines.ts';
import type { SessionSummary } from '../../core/model/outcome-data.ts';
import { createFileCache } from '../../stores/file-cache.ts';
import { type Beginning, readBounded } from '../../stores/read-bounded.ts';
import { type FoundFile, storedFilesIn } from '../../stores/session-places.ts';
import type { StoredFolders } from './stored-folders.ts';

/** How much may be read. */
interface ReadBudget {
  readonly bytes: number;
  readonly lines: number;
}

/** For one file of a list. */
const perFile: ReadBudget = { bytes: 4 * 1024 * 1024, lines: 20_000 };
/** For all files of a list together. */
const perList: ReadBudget = { bytes: 32 * 1024 * 1024, lines: 200_000 };
/** For the beginning of a file: each file of a list gets so much, even if the budget of the list is used up. */
export const beginningBudget: ReadBudget = { bytes: 64 * 1024, lines: 200 };
const mostListed = 500;

/** A stored session that a list shows. */
export interface ListedSession {
  /** The agent that the file names. Null: an agent keeps the file itself. */
  readonly agent: string | null;
  /** Ms since 1970. */
  readonly modifiedAt: number;
  readonly shown: SessionSummary;
}

/** The summary of a file. Null: the file is no session. */
type Summary = Pick<ListedSession, 'agent' | 'shown'> | null;

/** What a list shows of a file, and how much of the file was read for it. */
interface CachedSession {
  /** Null: the file is no session. */
  readonly listed: ListedSession | null;
  readonly isWhole: boolean;
  readonly budget: ReadBudget;
}

/** Summaries of the stored sessions of one gateway. Looks at the disk with each call. */
export class StoredSummaries {
  readonly #folders: StoredFolders;
  readonly #cache = createFileCache<CachedSession>(2 * mostListed);

  constructor(folders: StoredFolders) {
    this.#folders = folders;
  }

  /**
   * Newest first, at most {@link mostListed}. A file that has not changed is the same object in each list: lists may be
   * kept as outcomes of commands, thousands of them (docs/limits.md 8.2).
   */
  list(): ListedSession[] {
    const left = { ...perList };
    const most = (of: keyof ReadBudget) => Math.max(beginningBudget[of], Math.min(perFile[of], left[of]));
    return storedFilesIn(this.#folders.places())
      .slice(0, mostListed)
      .flatMap((found) => this.#listedIn(found, { bytes: most('bytes'), lines: most('lines') }, left) ?? []);
  }

  /** The summary of a file with this beginning; null if the file is no session. */
  of(read: Beginning): Summary {
    // Without the whole file the number of messages is unknown.
    const counted = (messageCount: number | undefined) => (read.isWhole ? { messageCount } : {});
    const outline = outlineOf(read.text);
    if (outline !== null) {
      const { id, cwd, createdAt, agent } = outline.head;
      const { name, firstWords } = outline;
      const shown = { id, name, firstWords, cwd, createdAt, ...counted(outline.messageCount) };
      return { agent, shown };
    }
    for (const { format } of this.#folders.keepingAgents) {
      const stored = format.read(read.text);
      if (stored === null) continue;
      const { messageCount, ...shown } = stored;
      return { agent: null, shown: { ...shown, ...counted(messageCount) } };
    }
    return null;
  }

  /** A cached session costs nothing. Otherwise subtracts what was read from `left`. */
  #listedIn(
    { file, modifiedAt, mark }: FoundFile,
    budget: ReadBudget,
    left: { bytes: number; lines: number },
  ): ListedSession | null {
    const known = this.#cache.get(file, mark);
    const isEnough = (of: keyof ReadBudget) => known !== undefined && (known.isWhole || known.budget[of] >= budget[of]);
    if (known !== undefined && isEnough('bytes') && isEnough('lines')) return known.listed;
    const read = readBounded(file, budget.bytes, budget.lines);
    if (read === null) return null;
    left.bytes -= Math.min(read.size, budget.bytes);
    left.lines -= read.lines;
    const summary = this.of(read);
    const more = { file, exists: true, modifiedAt: new Date(modifiedAt).toISOString() };
    const listed = summary && { agent: summary.agent, modifiedAt, shown: { ...summary.shown, ...more } };
    // Another program may have written since the look at the folder.
    if (read.mark === mark) this.#cache.set(file, mark, { listed, isWhole: read.isWhole, budget });
    return listed;
  }
}
