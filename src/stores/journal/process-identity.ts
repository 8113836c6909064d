// Tells a process from a later one with the same number, by what Linux says in /proc. Elsewhere nothing is known.
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** When a process started, in a form that is only compared; null if it has ended, or on systems without /proc. */
export function startTimeOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name of the program stands in parentheses and may hold anything. Field 22 is the 20th after it.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // A zombie has ended.
    return fields[0] === 'Z' ? null : (fields[19] ?? null);
  } catch {
    return null;
  }
}

/** Where numbers of processes mean the same: this machine since its start, and this container. */
export function placeOfProcesses(): string {
  const read = (look: () => string) => {
    try {
      return look().trim();
    } catch {
      return '';
    }
  };
  const boot = read(() => readFileSync('/proc/sys/kernel/random/boot_id', 'latin1'));
  const space = read(() => readlinkSync('/proc/self/ns/pid'));
  return [hostname(), boot, space].join(' ');
}

/** Whether this process, and no later one of its number, is running. */
export function isRunning(pid: number, startTime: string | null): boolean {
  if (startTime !== null) return startTimeOf(pid) === startTime;
  try {
    return process.kill(pid, 0);
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === 'EPERM';
  }
}
