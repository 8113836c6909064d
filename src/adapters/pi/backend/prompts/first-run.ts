// The start of the first run of a pi that lists its tools there (in a system message, since 0.87). The first lines of
// the run wait until the tools are known, so that clients get one complete description of the agent at the start of the
// run.

import type { Outbox } from '../../../../core/contract/adapter/outbox.ts';
import type { Dictionary } from '../../../../core/model/content.ts';
import { isDictionary } from '../../../../core/model/dictionary.ts';
import { createHeldLines } from '../decode/held-lines.ts';

/** The functions of the backend that this part uses. */
export interface FirstRunPorts {
  /** How long a run may wait for its first message, ms. */
  readonly graceMs: number;
  /** Whether the next run will list tools that are not yet known. */
  isAwaited(): boolean;
  learnTools(message: Dictionary): void;
  take(line: Dictionary): void;
}

/** The opening of one pi process. */
export interface FirstRun {
  /** Whether the line waits. A line that does not wait releases all held lines. */
  holds(line: Dictionary): boolean;
  release(): void;
  /** Handles a timer. Returns whether the timer belongs to this part. */
  onTimer(timer: string): boolean;
}

const timer = 'run-begin';

/** The lines before pi's system message, in order (recordings of 1.5.2). */
const head: ReadonlySet<unknown> = new Set(['turn_start', 'message_start']);

export function createFirstRun(out: Outbox, ports: FirstRunPorts): FirstRun {
  const held = createHeldLines(ports.take, () => out.timer(timer, null));

  function isSystem({ message }: Dictionary): boolean {
    return isDictionary(message) && message.role === 'system';
  }

  function belongs(line: Dictionary): boolean {
    if (held.isEmpty()) return line.type === 'agent_start' && ports.isAwaited();
    return head.has(line.type) && (line.message === undefined || isSystem(line));
  }

  return {
    holds(line) {
      if (belongs(line)) {
        if (held.isEmpty()) out.timer(timer, ports.graceMs);
        held.add(line);
        return true;
      }
      if (!held.isEmpty() && isDictionary(line.message) && isSystem(line)) ports.learnTools(line.message);
      held.release();
      return false;
    },
    release: held.release,
    onTimer(name) {
      if (name !== timer) return false;
      held.release();
      return true;
    },
  };
}
