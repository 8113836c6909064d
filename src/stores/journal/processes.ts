// Remembers the agents' processes, so that the next start can end those that outlived a killed gateway (docs/threats.md T28).
import { closeSync, constants, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import path from 'node:path';
import type { Clock } from '../../core/contract/clock.ts';
import { isObject } from './lines.ts';
import { isRunning, placeOfProcesses } from './process-identity.ts';

/** The processes of the agents of this gateway. */
export interface ProcessNotes {
  /** Notes the leader of a process group. `startTime`: {@link startTimeOf} the process. Never throws. */
  note(pid: number, startTime: string | null): void;
  /** The process has ended. Never throws. */
  forget(pid: number): void;
  /** The gateway ends; its processes are ended by their owners. */
  close(): void;
}

/** Lines after which the file is written anew. */
const mostLines = 2_000;
const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

const fileIn = (folder: string): string => path.join(folder, 'processes.jsonl');

/** Begins a new file of notes. Orphans of the file before must have been ended. */
export function openProcessNotes(folder: string): ProcessNotes {
  const file = fileIn(folder);
  const living = new Map<number, string | null>();
  let descriptor: number | null = null;
  let lines = 0;
  renew();

  /** Writes a whole new file and puts it in the place of the old one. */
  function renew(): void {
    try {
      rmSync(`${file}.new`, { force: true });
      const fresh = openSync(`${file}.new`, flags, 0o600);
      close();
      descriptor = fresh;
      lines = 0;
      write({ patchbay: 'processes', version: 1, place: placeOfProcesses() });
      for (const [pid, startTime] of living) write({ pid, startTime });
      renameSync(`${file}.new`, file);
    } catch {
      // Without notes orphans are not found; nothing else depends on them.
    }
  }

  // Synchronous: the note must be there before the agent has done anything, and starting a process costs far more.
  function write(line: object): void {
    if (descriptor === null) return;
    lines += 1;
    try {
      writeSync(descriptor, `${JSON.stringify(line)}\n`);
    } catch {
      // See above.
    }
  }

  function close(): void {
    if (descriptor !== null) closeSync(descriptor);
    descriptor = null;
  }

  function change(line: object): void {
    if (lines >= mostLines + living.size) renew();
    else write(line);
  }

  return {
    note(pid, startTime) {
      living.set(pid, startTime);
      change({ pid, startTime });
    },
    forget(pid) {
      if (living.delete(pid)) change({ forget: pid });
    },
    close,
  };
}

/** Time between SIGTERM and SIGKILL, and between two looks, ms. */
const graceMs = 2_000;
const lookMs = 50;

/**
 * Ends the process groups that a killed gateway left: those whose leader has the noted number and start time. Resolves
 * with their number when they are gone. Does nothing on systems without /proc.
 */
export async function endOrphans(folder: string, clock: Clock): Promise<number> {
  const orphans = notedIn(folder).filter(([pid, startTime]) => startTime !== null && isRunning(pid, startTime));
  const living = () => orphans.filter(([pid, startTime]) => isRunning(pid, startTime));
  for (const [pid] of orphans) signal(pid, 'SIGTERM');
  // Polled, because the end of a process that is no child causes no event.
  for (let waited = 0; waited < graceMs && living().length > 0; waited += lookMs) {
    await new Promise<void>((resolve) => void clock.after(lookMs, resolve));
  }
  // Also members that have outlived their leader.
  for (const [pid] of orphans) signal(pid, 'SIGKILL');
  return orphans.length;
}

/** The processes of a file that were not forgotten. */
function notedIn(folder: string): [number, string | null][] {
  let text = '';
  try {
    const descriptor = openSync(fileIn(folder), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      text = readFileSync(descriptor, 'utf8');
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return [];
  }
  const [first, ...rest] = text.split('\n').map(parsed);
  const living = new Map<number, string | null>();
  if (first?.patchbay !== 'processes' || first.place !== placeOfProcesses()) return [];
  for (const line of rest) {
    if (typeof line?.forget === 'number') living.delete(line.forget);
    const pid = line?.pid;
    if (typeof pid === 'number' && Number.isInteger(pid) && pid > 1) {
      living.set(pid, typeof line?.startTime === 'string' ? line.startTime : null);
    }
  }
  return [...living];
}

function parsed(line: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function signal(leader: number, name: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(-leader, name);
  } catch {
    // The group is gone, or the process leads none.
  }
}
