// The folders of a journal's sessions: which there are, and what is in them.
import path from 'node:path';
import type { StoredHead, StoredPast } from '../../core/contract/store/session-store.ts';
import { GatewayError } from '../../core/model/errors.ts';
import { codeOf } from '../verify-open-file.ts';
import type { Disk } from './disk.ts';
import { isHead, isObject, objectOf } from './lines.ts';
import { folderOf, headName, isHashed, segmentName, segmentsAmong, sessionOf, unfinished } from './names.ts';
import { type NoSegment, readSegment, recordsOf, type Segment } from './read-segment.ts';

/** A session as it is on disk. */
export interface StoredSession extends Segment {
  readonly past: StoredPast;
  /** Numbers of the segments; the first is the one that was read. */
  readonly numbers: readonly number[];
  /** The segment ends with a line that was never finished. */
  readonly isTorn: boolean;
}

/** The sessions of a folder. */
export interface SessionFolders {
  has(session: string): boolean;
  pathOf(session: string): string;
  add(session: string): void;
  /** At most so many ids behind that one, in order. */
  after(session: string | null, limit: number): readonly string[];
  /** The head for lists; null if nothing readable is there. */
  headOf(session: string): Promise<StoredHead | null>;
  /** Reads a session whole. Rejects with `not-found`. */
  read(session: string): Promise<StoredSession>;
  /** Removes what was never finished. */
  tidy(session: string): Promise<void>;
  /** Removes a session. */
  remove(session: string): Promise<void>;
}

/** Longest file with a head, bytes. */
const longestHead = 256 * 1024;

/** Lists the folder. Ids are in the names of the folders, so no file is opened for a session with an id of usual length. */
export async function createSessionFolders(disk: Disk, base: string): Promise<SessionFolders> {
  const known = new Set<string>();
  /** The ids in order; null after a change. */
  let sorted: string[] | null = null;
  for (const name of await disk.names(base)) {
    const session = isHashed(name) ? await hashedIn(disk, path.join(base, name)) : sessionOf(name);
    if (session !== null) known.add(session);
  }
  const pathOf = (session: string) => path.join(base, folderOf(session));

  return {
    has: (session) => known.has(session),
    pathOf,
    add(session) {
      known.add(session);
      sorted = null;
    },
    after(session, limit) {
      sorted ??= [...known].sort();
      const from = session === null ? 0 : firstBehind(sorted, session);
      return sorted.slice(from, from + limit);
    },
    headOf: async (session) =>
      (await headIn(disk, pathOf(session), session)) ??
      (await readSession(disk, pathOf(session), session).catch(() => null))?.head ??
      null,
    async read(session) {
      if (!known.has(session)) throw notFound();
      return readSession(disk, pathOf(session), session);
    },
    async tidy(session) {
      const folder = pathOf(session);
      const names = await disk.names(folder);
      await Promise.all(
        names.filter((name) => name.endsWith(unfinished)).map((name) => disk.removeFile(path.join(folder, name))),
      );
    },
    async remove(session) {
      known.delete(session);
      sorted = null;
      await removeFolder(disk, pathOf(session));
    },
  };
}

const notFound = () => new GatewayError('not-found', 'no such session is stored');

function firstBehind(sorted: readonly string[], session: string): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? '') > session) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Retried, because a new segment may take the place of the one that is about to be opened. */
async function readSession(disk: Disk, folder: string, session: string, tries = 3): Promise<StoredSession> {
  try {
    return await readOnce(disk, folder, session);
  } catch (thrown) {
    if (codeOf(thrown) !== 'ENOENT') throw thrown;
    if (tries === 1) throw notFound();
    return readSession(disk, folder, session, tries - 1);
  }
}

async function readOnce(disk: Disk, folder: string, session: string): Promise<StoredSession> {
  const numbers = segmentsAmong(await disk.names(folder));
  let damage: string | null = null;
  for (const [index, number] of numbers.entries()) {
    const file = path.join(folder, segmentName(number));
    const segment = await readSegment(disk, file, session);
    // A segment is named when its beginning is written. Without the sync, a loss of power may still have cut the beginning.
    if (isSegment(segment)) return storedOf(disk, file, segment, numbers.slice(index), await lengthOf(disk, file));
    damage ??= segment.corrupt;
  }
  const head = await headIn(disk, folder, session);
  if (damage === null || head === null) throw notFound();
  const nothing: Segment = { head, snapshot: null, fence: 0, lastPlace: 0, from: 0, end: 0, corrupt: damage };
  return storedOf(disk, '', nothing, numbers, 0);
}

const isSegment = (read: Segment | NoSegment): read is Segment => 'head' in read;

function storedOf(
  disk: Disk,
  file: string,
  segment: Segment,
  numbers: readonly number[],
  length: number,
): StoredSession {
  const { head, snapshot, from, end, corrupt } = segment;
  const past: StoredPast = { head, snapshot, corrupt, records: () => recordsOf(disk, file, from, end) };
  return { ...segment, numbers, isTorn: length > end, past };
}

async function lengthOf(disk: Disk, file: string): Promise<number> {
  const open = await disk.open(file, 'read');
  try {
    return await open.size();
  } finally {
    await open.close();
  }
}

/** The head in the file for lists; null if the file is missing or damaged. */
async function headIn(disk: Disk, folder: string, session: string): Promise<StoredHead | null> {
  const line = await beginningOf(disk, path.join(folder, headName)).catch(() => null);
  const head = line === null ? null : objectOf(line)?.head;
  return isHead(head, session) ? head : null;
}

/** The first line of a file. */
async function beginningOf(disk: Disk, file: string): Promise<Buffer> {
  const open = await disk.open(file, 'read');
  try {
    const bytes = Buffer.alloc(Math.min(longestHead, await open.size()));
    const read = await open.read(bytes, 0);
    const end = bytes.indexOf(0x0a);
    return bytes.subarray(0, end === -1 ? read : end);
  } finally {
    await open.close();
  }
}

/** The id of a session whose folder does not hold the id; null if its files do not say it either. */
async function hashedIn(disk: Disk, folder: string): Promise<string | null> {
  const names = await disk.names(folder).catch(() => []);
  const files = [headName, ...segmentsAmong(names).map(segmentName)];
  for (const name of files) {
    const line = await beginningOf(disk, path.join(folder, name)).catch(() => null);
    const head = line === null ? null : objectOf(line)?.head;
    if (isObject(head) && typeof head.session === 'string' && folderOf(head.session) === path.basename(folder)) {
      return head.session;
    }
  }
  return null;
}

/** Segments go oldest first and the head last: what a crash leaves is the whole session or none. */
async function removeFolder(disk: Disk, folder: string): Promise<void> {
  const names = await disk.names(folder).catch(() => []);
  const segments = segmentsAmong(names).reverse().map(segmentName);
  const others = names.filter((name) => !segments.includes(name));
  for (const name of [...segments, ...others]) await disk.removeFile(path.join(folder, name));
  if (names.length > 0) await disk.removeFolder(folder);
}
