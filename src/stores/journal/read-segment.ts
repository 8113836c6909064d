// Reads a segment from its beginning: header, snapshot, then records, marks and heads, until the first line that is damaged.
import type { StoredHead, StoredRecord, StoredSnapshot } from '../../core/contract/store/session-store.ts';
import type { Disk, DiskFile } from './disk.ts';
import { formatVersion, isHead, isObject, objectOf, type SegmentHeader } from './lines.ts';

/** Bytes that are read and parsed in one turn of the event loop. */
const chunkBytes = 128 * 1024;
/** Longest line, bytes; a longer one is damaged. The parts of a session are bounded by docs/limits.md 5.2. */
const longestLine = 400 * 1024 * 1024;
const lineFeed = 0x0a;

/** What a segment says of its session. */
export interface Segment {
  /** The latest head. */
  readonly head: StoredHead;
  readonly snapshot: StoredSnapshot | null;
  /** The highest fence. */
  readonly fence: number;
  /** Place of the last record, or of the snapshot. */
  readonly lastPlace: number;
  /** Where the records begin and where the last whole line ends, in bytes. */
  readonly from: number;
  readonly end: number;
  /** Why the line at `end` cannot be read; null if the segment ends there, or with a line that was never finished. */
  readonly corrupt: string | null;
}

/** What a segment without a whole header and snapshot is: never finished, or damaged. */
export type NoSegment = { readonly corrupt: string | null };

/** Reads a segment. Rejects with the error of the system. */
export async function readSegment(disk: Disk, file: string, session: string): Promise<Segment | NoSegment> {
  const open = await disk.open(file, 'read');
  try {
    return await scan(open, session);
  } finally {
    await open.close();
  }
}

async function scan(file: DiskFile, session: string): Promise<Segment | NoSegment> {
  const reading: Reading = { session, header: null, snapshot: undefined, head: null, fence: 0, lastPlace: 0, from: 0 };
  let end = 0;
  for await (const lines of linesOf(file, 0, Number.POSITIVE_INFINITY)) {
    for (const line of lines) {
      const value = objectOf(line);
      const fault = value === null ? 'a line is damaged' : take(reading, value);
      if (fault !== null) return outcome(reading, end, `${fault} (byte ${end})`);
      end += line.length + 1;
      if (reading.from === 0 && reading.snapshot !== undefined) reading.from = end;
    }
  }
  return outcome(reading, end, null);
}

/** What has been read so far. */
interface Reading {
  readonly session: string;
  header: SegmentHeader | null;
  /** Undefined until its line was read. */
  snapshot: StoredSnapshot | null | undefined;
  head: StoredHead | null;
  fence: number;
  lastPlace: number;
  from: number;
}

function outcome(reading: Reading, end: number, corrupt: string | null): Segment | NoSegment {
  const { head, snapshot, fence, lastPlace, from } = reading;
  if (head === null || snapshot === undefined) return { corrupt };
  return { head, snapshot, fence, lastPlace, from, end, corrupt };
}

/** Takes one line. Returns what is wrong with the line, or null. */
function take(reading: Reading, value: Readonly<Record<string, unknown>>): string | null {
  if (reading.header === null) return takeHeader(reading, value);
  if (reading.snapshot === undefined) return takeSnapshot(reading, value);
  if (isRecord(value)) {
    if (value.place !== reading.lastPlace + 1) return `record ${reading.lastPlace + 1} is missing`;
    reading.lastPlace = value.place;
  } else if (typeof value.fence === 'number') {
    reading.fence = Math.max(reading.fence, value.fence);
  } else if (isHead(value.head, reading.session)) {
    reading.head = value.head;
  }
  return null;
}

function takeHeader(reading: Reading, value: Readonly<Record<string, unknown>>): string | null {
  const { patchbay, version, session, fence, head } = value;
  if (patchbay !== 'journal' || typeof version !== 'number') return 'the first line is none of a journal';
  if (version > formatVersion) return `a later version of Patchbay has written this journal (format ${version})`;
  if (session !== reading.session || !isHead(head, reading.session)) return 'the segment belongs to another session';
  if (typeof fence !== 'number') return 'the first line has no fence';
  reading.header = { patchbay, version, session: reading.session, fence, gap: value.gap === true, head };
  reading.head = head;
  reading.fence = fence;
  return null;
}

function takeSnapshot(reading: Reading, { snapshot }: Readonly<Record<string, unknown>>): string | null {
  if (snapshot === null) {
    reading.snapshot = null;
    return null;
  }
  if (!isObject(snapshot) || typeof snapshot.place !== 'number') return 'the snapshot is missing';
  reading.snapshot = { place: snapshot.place, state: snapshot.state };
  reading.lastPlace = snapshot.place;
  return null;
}

function isRecord(value: Readonly<Record<string, unknown>>): value is Readonly<Record<string, unknown>> & StoredRecord {
  return typeof value.place === 'number';
}

/** The records of a segment between two bytes. Throws if a line is damaged, for the lines were whole when they were scanned. */
export async function* recordsOf(disk: Disk, path: string, from: number, end: number): AsyncGenerator<StoredRecord> {
  if (from === end) return;
  const file = await disk.open(path, 'read');
  try {
    for await (const lines of linesOf(file, from, end)) {
      for (const line of lines) {
        const value = objectOf(line);
        if (value === null) throw new Error('the segment has changed while it was read');
        if (isRecord(value)) yield value;
      }
    }
  } finally {
    await file.close();
  }
}

/** The whole lines between two bytes, those of one read at a time. */
async function* linesOf(file: DiskFile, from: number, end: number): AsyncGenerator<Buffer[]> {
  let at = from;
  /** The beginning of a line that is not whole yet. */
  let begun: Buffer[] = [];
  let begunBytes = 0;
  while (at < end) {
    const chunk = Buffer.allocUnsafe(Math.min(chunkBytes, end - at));
    const read = await file.read(chunk, at);
    if (read === 0) return;
    at += read;
    const lines: Buffer[] = [];
    let lineStart = 0;
    for (
      let found = chunk.indexOf(lineFeed);
      found !== -1 && found < read;
      found = chunk.indexOf(lineFeed, lineStart)
    ) {
      const rest = chunk.subarray(lineStart, found);
      lines.push(begun.length === 0 ? rest : Buffer.concat([...begun, rest]));
      begun = [];
      begunBytes = 0;
      lineStart = found + 1;
    }
    begun.push(chunk.subarray(lineStart, read));
    begunBytes += read - lineStart;
    if (begunBytes > longestLine) lines.push(Buffer.alloc(0));
    yield lines;
    if (begunBytes > longestLine) return;
  }
}
