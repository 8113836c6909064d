// Decides whether a command may wait for another, and words the refusals (docs/protocols/common.md 4).
import { type Outcome, type Problem, refused } from '../model/errors.ts';
import type { Work } from './work.ts';

/** Looks up commands that are under way. */
export interface UnderWay {
  find(id: string): Work | undefined;
  /** See Lanes. */
  ahead(work: Work): Work | undefined;
}

/**
 * Whether the dependency can only end after the command that would wait for it. What the dependency needs itself counts
 * too, so the first command that would close a circle of waits finds the circle.
 */
function isBehind(dependency: Work, work: Work, underWay: UnderWay): boolean {
  // Commands that must succeed before the dependency can.
  const needed = new Set([dependency]);
  /** No command is visited twice, so the search ends soon, whatever waits for what. */
  const visited = new Set<Work>();
  for (const one of needed) {
    // Commands that must end before this one can.
    let other: Work | undefined = one;
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

/** Why a command must not wait for that dependency; null when it may. */
export function deadlock(dependency: Work, work: Work, underWay: UnderWay): Outcome | null {
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

/** Refusal: nothing is known of the dependency, or not any more. */
export function unknownDependency(id: string): Outcome {
  return refused('not-found', `Dependency '${id}' is unknown`);
}

/** Refusal: the dependency takes too long. */
export function slowDependency(id: string, ms: number): Outcome {
  return refused('timeout', `Command 'dependsOn:${id}' timed out after ${ms}ms`);
}

/** Longest cause that is quoted, characters: each link of a chain of failures makes the sentence longer. */
const longestCause = 1000;

/** Refusal: the dependency has failed. */
export function failedDependency(id: string, { message }: Problem): Outcome {
  const cause = message.length > longestCause ? `${message.slice(0, longestCause)}…` : message;
  return refused('conflict', `Dependency '${id}' failed: ${cause}`);
}
