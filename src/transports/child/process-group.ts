// Kills a child process together with its descendants, and registers the living groups.

/** Leaders of groups that may still have members. A grandchild outlives its leader here (docs/threats.md T27). */
const living = new Set<number>();

/** A child process and its descendants; the child must have been spawned `detached`. POSIX only. */
export interface ProcessGroup {
  /** Sends a signal to every member. */
  signal(signal: 'SIGTERM' | 'SIGKILL'): void;
  /** After the exit of the leader: sends SIGTERM to the rest of the group, and SIGKILL after `graceMs`. */
  dissolve(graceMs: number): void;
}

/** Registers the group until it is dissolved. */
export function adoptGroup(leader: number): ProcessGroup {
  living.add(leader);
  return {
    signal: (signal) => {
      signalGroup(leader, signal);
    },
    dissolve(graceMs) {
      if (!signalGroup(leader, 'SIGTERM')) return;
      // The timer must not keep the process alive: an earlier exit calls killAllChildren.
      setTimeout(() => {
        signalGroup(leader, 'SIGKILL');
        living.delete(leader);
      }, graceMs).unref();
    },
  };
}

/** Resolves when no group is left, or after `limitMs`. */
export async function whenChildrenAreGone(limitMs: number): Promise<void> {
  const until = performance.now() + limitMs;
  // Polled, because the end of a group causes no event.
  while (performance.now() < until) {
    for (const leader of living) if (!isAlive(leader)) living.delete(leader);
    if (living.size === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function isAlive(leader: number): boolean {
  try {
    return process.kill(-leader, 0);
  } catch {
    return false;
  }
}

/** Kills all remaining groups at once. Synchronous, for `process.on('exit')` of the composition root. */
export function killAllChildren(): void {
  for (const leader of living) signalGroup(leader, 'SIGKILL');
  living.clear();
}

/** False if no member is left. Then forgets the group, because its id may be reused. */
function signalGroup(leader: number, signal: 'SIGTERM' | 'SIGKILL'): boolean {
  if (!living.has(leader)) return false;
  try {
    return process.kill(-leader, signal);
  } catch {
    living.delete(leader);
    return false;
  }
}
