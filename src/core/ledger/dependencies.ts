// Whether a command may wait for another one, and the sentences for those that may not (docs/protocols/common.md 4). Pure.
import { type Outcome, type Problem, refused } from '../model/errors.ts';
import type { Work } from './work.ts';

/** What is known of the commands that are under way. */
export interface UnderWay {
  find(id: string): Work | undefined;
  /** See Lanes. */
  ahead(work: Work): Work | undefined;
}

/**
 * Whether that dependency can only come to its end behind the command that would wait for it. What it needs itself is
 * looked at too, so that a circle is found by the first that would wait in it.
 */
function isBehind(dependency: Work, work: Work, underWay: UnderWay): boolean {
  // Those that have to succeed before it can.
  const needed = new Set([dependency]);
  /** Nothing is looked at twice, so that this ends, and soon, whatever waits for what. */
  const passed = new Set<Work>();
  for (const one of needed) {
    // Those that have to come to an end before that one can.
    let other: Work | undefined = one;
    while (other !== undefined && !passed.has(other)) {
      if (other === work) return true;
      passed.add(other);
      other = other.awaits ?? underWay.ahead(other);
    }
    if (one.stage === 'running') continue;
    for (const id of one.ticket.dependsOn.slice(one.satisfied)) {
      const other = underWay.find(id);
      if (other !== undefined) needed.add(other);
    }
  }
  return false;
}

/** Why a command must not wait for that one; null when it may. */
export function deadlock(dependency: Work, work: Work, underWay: UnderWay): Outcome | null {
  if (!isBehind(dependency, work, underWay)) return null;
  const name = `Dependency '${dependency.ticket.id ?? ''}'`;
  return underWay.ahead(dependency) === work
    ? refused('conflict', `${name} is queued in the same lane and cannot be awaited from this command`)
    : refused('conflict', `${name} waits for this command and cannot be awaited from it`);
}

/** It depends on itself. */
export function dependsOnItself(id: string): Outcome {
  return refused('invalid', `Command '${id}' cannot depend on itself`);
}

/** Nobody knows of it, or not any more. */
export function unknownDependency(id: string): Outcome {
  return refused('not-found', `Dependency '${id}' is unknown`);
}

/** It takes too long. */
export function slowDependency(id: string, ms: number): Outcome {
  return refused('timeout', `Command 'dependsOn:${id}' timed out after ${ms}ms`);
}

/** Longest cause that is repeated, characters: with each link of a chain of failures the sentence gets longer. */
const longestCause = 1000;

/** It has failed. */
export function failedDependency(id: string, { message }: Problem): Outcome {
  const cause = message.length > longestCause ? `${message.slice(0, longestCause)}…` : message;
  return refused('conflict', `Dependency '${id}' failed: ${cause}`);
}
