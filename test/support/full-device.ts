// A disk whose files are the device /dev/full for a while: the kernel itself refuses each write with ENOSPC.
import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { type Disk, systemDisk } from '../../src/stores/journal/disk.ts';

const device = '/dev/full';

/** Whether this machine has the device: Linux and some others. */
export const hasFullDevice = existsSync(device);

/** A disk of this machine. While `isFull`, what is written to its files goes to the device in their place. */
export function createFullDevice(): Disk & { isFull: boolean } {
  const disk = {
    ...systemDisk,
    isFull: false,
    async open(...[file, mode]: Parameters<Disk['open']>) {
      const opened = await systemDisk.open(file, mode);
      const write: typeof opened.write = async (bytes) => {
        if (!disk.isFull) return opened.write(bytes);
        const full = await open(device, 'w');
        try {
          await full.write(bytes);
        } finally {
          await full.close();
        }
      };
      return { ...opened, write };
    },
  };
  return disk;
}
