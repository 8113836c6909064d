// Kills a child together with everything it started, and knows which groups still live. Knows no protocol.

/** Leaders of groups that may still have members. A grandchild outlives its leader here (docs/threats.md T27). */
const living = new Set<number>();

/** A child process and its descendants; the child must have been spawned `detached`. POSIX only. */
export interface ProcessGroup {
  /** Sends a signal to every member. */
  signal(signal: 'SIGTERM' | 'SIGKILL'): void;
  /** The leader has exited: asks the rest to go, and kills them `graceMs` later. */
  dissolve(graceMs: number): void;
}

/** Keeps the group in the register until it is dissolved. */
export function adoptGroup(leader: number): ProcessGroup {
  living.add(leader);
  return {
    signal: (signal) => {
      signalGroup(leader, signal);
    },
    dissolve(graceMs) {
      if (!signalGroup(leader, 'SIGTERM')) return;
      // Not a reason to stay alive: who leaves earlier calls killAllChildren.
      setTimeout(() => {
        signalGroup(leader, 'SIGKILL');
        living.delete(leader);
      }, graceMs).unref();
    },
  };
}

/** Resolves when no child is left, or after `limitMs`. */
export async function whenChildrenAreGone(limitMs: number): Promise<void> {
  const until = performance.now() + limitMs;
  // Asked now and then: a group can end without telling anybody here.
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

/** Kills every group that is left, at once. For the composition root's `process.on('exit')`; synchronous. */
export function killAllChildren(): void {
  for (const leader of living) signalGroup(leader, 'SIGKILL');
  living.clear();
}

/** False when nobody is left; the group is then forgotten, since its number may come again. */
function signalGroup(leader: number, signal: 'SIGTERM' | 'SIGKILL'): boolean {
  if (!living.has(leader)) return false;
  try {
    return process.kill(-leader, signal);
  } catch {
    living.delete(leader);
    return false;
  }
}
