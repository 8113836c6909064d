// Decides whether a command may wait for another one, and words the refusals (docs/protocols/common.md 4).
import { type Outcome, type Problem, refused } from '../model/errors.ts';
import type { AdmittedCommand } from './admitted-command.ts';

/** Looks up commands in flight. */
export interface UnderWay {
  find(id: string): AdmittedCommand | undefined;
  /** See `ahead` in command-lanes.ts. */
  ahead(work: AdmittedCommand): AdmittedCommand | undefined;
}

/**
 * Whether the dependency itself waits for `work`, directly or through other commands. If `work` waited for such a
 * dependency, neither would ever end.
 */
function isBehind(dependency: AdmittedCommand, work: AdmittedCommand, underWay: UnderWay): boolean {
  // Commands that must succeed before the dependency can succeed.
  const needed = new Set([dependency]);
  /** Each command is visited once, so the search ends. */
  const visited = new Set<AdmittedCommand>();
  for (const one of needed) {
    // Follow the commands that must end before this one can begin.
    let other: AdmittedCommand | undefined = one;
    while (other !== undefined && !visited.has(other)) {
      if (other === work) return true;
      visited.add(other);
      other = (other.stage.is === 'waiting' ? other.stage.awaits : null) ?? underWay.ahead(other);
    }
    if (one.stage.is === 'running') continue;
    const satisfied = one.stage.is === 'waiting' ? one.stage.satisfied : 0;
    for (const id of one.ticket.dependsOn.slice(satisfied)) {
      const other = underWay.find(id);
      if (other !== undefined) needed.add(other);
    }
  }
  return false;
}

/** Why the command must not wait for this dependency; null if it may. */
export function deadlock(dependency: AdmittedCommand, work: AdmittedCommand, underWay: UnderWay): Outcome | null {
  if (!isBehind(dependency, work, underWay)) return null;
  const name = `Dependency '${dependency.ticket.id ?? ''}'`;
  return underWay.ahead(dependency) === work
    ? refused('conflict', `${name} is queued in the same lane and cannot be awaited from this command`)
    : refused('conflict', `${name} waits for this command and cannot be awaited from it`);
}

/** Refusal: the command depends on itself. */
export function dependsOnItself(id: string): Outcome {
  return refused('invalid', `Command '${id}' cannot depend on itself`);
}

/** Refusal: the dependency is unknown or forgotten. */
export function unknownDependency(id: string): Outcome {
  return refused('not-found', `Dependency '${id}' is unknown`);
}

/** Refusal: the dependency takes too long. */
export function slowDependency(id: string, ms: number): Outcome {
  return refused('timeout', `Command 'dependsOn:${id}' timed out after ${ms}ms`);
}

/** Longest quoted cause, characters. In a chain of failures, each sentence quotes the one before. */
const longestCause = 1000;

/** Refusal: the dependency has failed. */
export function failedDependency(id: string, { message }: Problem): Outcome {
  const cause = message.length > longestCause ? `${message.slice(0, longestCause)}…` : message;
  return refused('conflict', `Dependency '${id}' failed: ${cause}`);
}
