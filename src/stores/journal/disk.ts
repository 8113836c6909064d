// What the journal asks of a disk. Tests put a full or slow disk in its place.
import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, rename, rm, rmdir } from 'node:fs/promises';

/** An open file. */
export interface DiskFile {
  /** Appends all bytes. */
  write(bytes: Buffer): Promise<void>;
  /** Resolves when the bytes that were written before survive a loss of power. */
  datasync(): Promise<void>;
  truncate(length: number): Promise<void>;
  /** Reads at most as many bytes as the buffer has; 0 at the end of the file. */
  read(into: Buffer, position: number): Promise<number>;
  /** Length in bytes. */
  size(): Promise<number>;
  close(): Promise<void>;
}

/** `create`: a file that did not exist. `append`: an existing file. */
export type OpenMode = 'create' | 'append' | 'read';

/** A disk. All functions reject with the error of the system. No link is followed at the end of a path. */
export interface Disk {
  open(file: string, mode: OpenMode): Promise<DiskFile>;
  /** Creates a folder for this user alone, unless it exists. Returns whether it did not exist. */
  makeFolder(folder: string): Promise<boolean>;
  rename(from: string, to: string): Promise<void>;
  removeFile(file: string): Promise<void>;
  /** Removes an empty folder. */
  removeFolder(folder: string): Promise<void>;
  /** The names in a folder; a link to a folder is none. */
  names(folder: string): Promise<string[]>;
  /** Resolves when the names in a folder survive a loss of power. */
  syncFolder(folder: string): Promise<void>;
}

const { O_APPEND, O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_RDWR, O_WRONLY } = constants;
const flagsOf: Readonly<Record<OpenMode, number>> = {
  create: O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW,
  append: O_RDWR | O_APPEND | O_NOFOLLOW | O_NONBLOCK,
  read: O_RDONLY | O_NOFOLLOW | O_NONBLOCK,
};

/** The disks of this machine. */
export const systemDisk: Disk = {
  async open(file, mode) {
    const handle = await open(file, flagsOf[mode], 0o600);
    if ((await handle.stat()).isFile()) return fileOf(handle);
    await handle.close();
    throw Object.assign(new Error('not a regular file'), { code: 'EINVAL' });
  },
  async makeFolder(folder) {
    try {
      await mkdir(folder, { mode: 0o700 });
      return true;
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST') throw thrown;
    }
    const handle = await open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    await handle.close();
    return false;
  },
  rename,
  removeFile: (file) => rm(file, { force: true }),
  removeFolder: (folder) => rmdir(folder),
  async names(folder) {
    const handle = await open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    await handle.close();
    return readdir(folder);
  },
  async syncFolder(folder) {
    const handle = await open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  },
};

function fileOf(handle: FileHandle): DiskFile {
  return {
    async write(bytes) {
      let done = 0;
      while (done < bytes.length) done += (await handle.write(bytes, done, bytes.length - done)).bytesWritten;
    },
    datasync: () => handle.datasync(),
    truncate: (length) => handle.truncate(length),
    read: async (into, position) => (await handle.read(into, 0, into.length, position)).bytesRead,
    size: async () => (await handle.stat()).size,
    close: () => handle.close(),
  };
}
