// The segments of one session on disk: one that is written, and older ones until the new one is safe (decision 0025).
import path from 'node:path';
import type { StoredHead, StoredSnapshot } from '../../core/contract/store/session-store.ts';
import type { Disk, DiskFile } from './disk.ts';
import { formatVersion, jsonPieces, lineInPortions, lineOf, type SegmentHeader } from './lines.ts';
import { headName, segmentName, unfinished } from './names.ts';

/** What a new segment begins with. */
export interface Beginning {
  readonly head: StoredHead;
  readonly fence: number;
  readonly snapshot: StoredSnapshot | null;
  /** Records before the snapshot could not be written. */
  readonly gap: boolean;
}

/** The disk of a journal. */
export interface SessionsDisk extends Disk {
  /** Resolves when the folders of all sessions that were made before survive a loss of power. */
  syncSessions(): Promise<void>;
}

/** Many sessions that are made at the same time wait for one sync of the folder that they share. */
export function withSessions(disk: Disk, folder: string): SessionsDisk {
  let running: Promise<void> | null = null;
  let next: Promise<void> | null = null;
  const begin = () => {
    next = null;
    running = disk.syncFolder(folder).finally(() => {
      running = null;
    });
    return running;
  };
  return {
    ...disk,
    syncSessions() {
      if (running === null) return begin();
      // What is under way may have begun before the latest folder was made.
      next ??= running.then(begin, begin);
      return next;
    },
  };
}

/** Depth at which the parts of a snapshot become text as a whole: messages of a transcript are parts. */
const depthOfParts = 5;

/** A class: every open session has one, and nearly all of them are idle. All methods reject with the error of the system. */
export class Segments {
  readonly #disk: SessionsDisk;
  readonly #folder: string;
  /** Newest number in use; 0: no segment. */
  #number: number;
  /** Numbers of older segments. */
  #older: number[];
  /** Length of the newest segment, and of its header and snapshot, bytes. */
  #size: number;
  #sizeAtStart = 0;
  #file: DiskFile | null = null;
  /** The names of the folder and of the newest segment survive a loss of power. */
  #isNamed = false;
  /** Length that survives a loss of power, bytes. */
  #syncedSize: number;
  #opening: Promise<DiskFile> | null = null;

  /** `numbers`: the existing segments, the newest first. `size`: length of the newest one. */
  constructor(disk: SessionsDisk, folder: string, numbers: readonly number[], size: number) {
    this.#disk = disk;
    this.#folder = folder;
    this.#number = numbers[0] ?? 0;
    this.#older = numbers.slice(1);
    this.#size = size;
    this.#syncedSize = 0;
  }

  /** Bytes of records in the newest segment. */
  get recordBytes(): number {
    return this.#size - this.#sizeAtStart;
  }

  get isStored(): boolean {
    return this.#number > 0;
  }

  /** Begins a new segment. `isSafe`: it is synced, and older segments are removed. */
  async begin(beginning: Beginning, isSafe: boolean): Promise<void> {
    const isNew = await this.#disk.makeFolder(this.#folder);
    const number = this.#number + 1;
    const file = this.#path(segmentName(number));
    if (!isNew) await this.#disk.removeFile(file + unfinished);
    const open = await this.#disk.open(file + unfinished, 'create');
    let size = 0;
    try {
      for (const portion of textOf(beginning)) {
        const bytes = Buffer.from(portion);
        await open.write(bytes);
        size += bytes.length;
      }
      if (isSafe) await open.datasync();
      await this.#disk.rename(file + unfinished, file);
    } catch (thrown) {
      await open.close().catch(() => {});
      await this.#disk.removeFile(file + unfinished).catch(() => {});
      throw thrown;
    }
    await this.close();
    if (this.#number > 0) this.#older.push(this.#number);
    this.#number = number;
    this.#file = open;
    this.#size = size;
    this.#sizeAtStart = size;
    this.#isNamed = false;
    this.#syncedSize = isSafe ? size : 0;
    if (isSafe) await this.sync();
  }

  /** Appends whole lines. */
  async append(bytes: Buffer): Promise<void> {
    const file = await this.#open();
    await file.write(bytes);
    this.#size += bytes.length;
  }

  /** Marks that the records behind belong to a new owner. */
  appendFence(fence: number): Promise<void> {
    return this.append(Buffer.from(lineOf(JSON.stringify({ fence }))));
  }

  /** Resolves when everything that was appended before survives a loss of power. Others may append meanwhile. */
  async sync(): Promise<void> {
    const size = this.#size;
    if (this.#syncedSize < size) await (await this.#open()).datasync();
    this.#syncedSize = size;
    if (this.#isNamed) return;
    await this.#disk.syncFolder(this.#folder);
    await this.#disk.syncSessions();
    this.#isNamed = true;
    // A segment that cannot be removed is removed with the next one.
    const older = this.#older;
    this.#older = [];
    for (const number of older) {
      await this.#disk.removeFile(this.#path(segmentName(number))).catch(() => this.#older.push(number));
    }
  }

  /** Cuts off a line that was never finished. */
  async cut(): Promise<void> {
    const file = await this.#disk.open(this.#path(segmentName(this.#number)), 'append');
    try {
      await file.truncate(this.#size);
    } finally {
      await file.close();
    }
  }

  /** Replaces the file that lists read. */
  async writeHead(head: StoredHead): Promise<void> {
    const file = this.#path(headName);
    await this.#disk.removeFile(file + unfinished);
    const open = await this.#disk.open(file + unfinished, 'create');
    try {
      await open.write(Buffer.from(lineOf(JSON.stringify({ head }))));
    } finally {
      await open.close();
    }
    await this.#disk.rename(file + unfinished, file);
  }

  async close(): Promise<void> {
    const file = this.#file;
    this.#file = null;
    await file?.close();
  }

  async #open(): Promise<DiskFile> {
    if (this.#file !== null) return this.#file;
    this.#opening ??= this.#reopen().finally(() => {
      this.#opening = null;
    });
    return this.#opening;
  }

  async #reopen(): Promise<DiskFile> {
    const file = await this.#disk.open(this.#path(segmentName(this.#number)), 'append');
    if ((await file.size()) !== this.#size) {
      await file.close();
      throw Object.assign(new Error('another program has changed the segment'), { code: 'changed' });
    }
    this.#file = file;
    return file;
  }

  #path(name: string): string {
    return path.join(this.#folder, name);
  }
}

function* textOf({ head, fence, snapshot, gap }: Beginning): Generator<string> {
  const { session } = head;
  const header: SegmentHeader = { patchbay: 'journal', version: formatVersion, session, fence, gap, head };
  yield lineOf(JSON.stringify(header));
  yield* lineInPortions(jsonPieces({ snapshot }, depthOfParts));
}
