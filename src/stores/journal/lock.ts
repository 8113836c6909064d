// One gateway for each journal. The lock is a file that names the process; what a dead process left is taken over.
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import type { Clock } from '../../core/contract/clock.ts';
import { GatewayError } from '../../core/model/errors.ts';
import { codeOf, statOf } from '../verify-open-file.ts';
import { isObject } from './lines.ts';
import { isRunning, placeOfProcesses, startTimeOf } from './process-identity.ts';

/** How often the owner shows that it lives, ms. */
const beatMs = 5_000;
/** Age after which a lock of another machine or container counts as left behind, ms. */
const staleMs = 30_000;

/** A lock that this process holds. */
export interface Lock {
  /** Gives the lock back, unless another process has it. */
  release(): void;
}

/**
 * Locks a folder. Throws `conflict` while another gateway has it. `lost` is called once if another gateway took the lock
 * over: it saw no sign of life from this one.
 */
export function lockFolder(folder: string, clock: Clock, lost: () => void): Lock {
  const file = path.join(folder, 'lock');
  const own = `${file}.${randomBytes(8).toString('hex')}`;
  const { pid } = process;
  const text = JSON.stringify({ patchbay: 'lock', pid, startTime: startTimeOf(pid), place: placeOfProcesses() });
  // A link appears with its whole text or not at all.
  writeFileSync(own, `${text}\n`, { flag: 'wx', mode: 0o600 });
  let inode: number | undefined;
  try {
    if (!linked(own, file)) {
      takeOver(file, own);
      if (!linked(own, file)) throw inUse(file);
    }
    inode = statOf(own)?.ino;
  } finally {
    rmSync(own, { force: true });
  }

  let isHeld = true;
  let cancel = clock.after(beatMs, beat);
  const isOurs = () => inode !== undefined && statOf(file)?.ino === inode;

  function beat(): void {
    if (isOurs()) {
      touch(file);
      cancel = clock.after(beatMs, beat);
    } else {
      isHeld = false;
      lost();
    }
  }

  return {
    release() {
      cancel();
      if (isHeld && isOurs()) rmSync(file, { force: true });
      isHeld = false;
    },
  };
}

function inUse(file: string): GatewayError {
  const pid = ownerOf(file)?.pid;
  const owner = pid === undefined ? 'another gateway' : `another gateway (process ${pid})`;
  return new GatewayError('conflict', `${owner} uses the journal ${path.dirname(file)}`);
}

/** False if the name is taken. */
function linked(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (thrown) {
    if (codeOf(thrown) === 'EEXIST') return false;
    throw thrown;
  }
}

/** Moves a lock away whose owner is dead. Throws `conflict` if the owner is alive, or another gateway was faster. */
function takeOver(file: string, own: string): void {
  const before = statOf(file);
  if (before === null) return;
  if (!isStale(file, before.mtimeMs)) throw inUse(file);
  const aside = `${own}.old`;
  try {
    renameSync(file, aside);
  } catch {
    throw inUse(file);
  }
  const isTheSame = statOf(aside)?.ino === before.ino;
  if (!isTheSame) linked(aside, file);
  rmSync(aside, { force: true });
  if (!isTheSame) throw inUse(file);
}

function isStale(file: string, touchedAt: number): boolean {
  const isSilent = Math.abs(Date.now() - touchedAt) > staleMs;
  const owner = ownerOf(file);
  // A lock that cannot be read is no lock of ours; only its age tells.
  if (owner === null) return isSilent;
  if (owner.place !== placeOfProcesses()) return isSilent;
  // Without a start time, another process may have the number by now.
  if (owner.startTime === null && isSilent) return true;
  return !isRunning(owner.pid, owner.startTime);
}

function ownerOf(file: string): { pid: number; startTime: string | null; place: string } | null {
  try {
    const descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const value: unknown = JSON.parse(readFileSync(descriptor, 'utf8'));
      if (!isObject(value) || typeof value.pid !== 'number' || typeof value.place !== 'string') return null;
      const startTime = typeof value.startTime === 'string' ? value.startTime : null;
      return { pid: value.pid, startTime, place: value.place };
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return null;
  }
}

function touch(file: string): void {
  try {
    utimesSync(file, new Date(), new Date());
  } catch {
    // A full or broken disk is told by what is written to it.
  }
}
