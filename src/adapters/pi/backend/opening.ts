// The beginning of the first run of a pi that tells of its tools there (a system message since 0.87): the run is told behind
// its tools, for a client that is told at the beginning of a run what its agent has is told once. Knows no command.
import type { Dictionary } from '../../../core/model/content.ts';
import { isDictionary } from '../../../core/model/dictionary.ts';
import type { Outbox } from '../../../core/contract/outbox.ts';
import { createHeldLines } from './held-lines.ts';

/** What the machine lends to an opening. */
export interface OpeningPorts {
  /** How long a run may wait for its first message, ms. */
  readonly graceMs: number;
  /** Whether the next run is to tell of tools that nobody knows yet. */
  isAwaited(): boolean;
  learnTools(message: Dictionary): void;
  take(line: Dictionary): void;
}

/** The opening of one pi process. */
export interface Opening {
  /** Whether the line waits; one that does not lets all go that did. */
  holds(line: Dictionary): boolean;
  release(): void;
  /** Whether the timer was this one's. */
  wake(timer: string): boolean;
}

const timer = 'run-begin';

/** The lines of pi before its system message, in their order (recordings of 1.5.2). */
const head: ReadonlySet<unknown> = new Set(['turn_start', 'message_start']);

export function createOpening(out: Outbox, ports: OpeningPorts): Opening {
  const held = createHeldLines(ports.take, () => out.timer(timer, null));

  function isSystem({ message }: Dictionary): boolean {
    return isDictionary(message) && message.role === 'system';
  }

  function belongs(line: Dictionary): boolean {
    if (held.isEmpty) return line.type === 'agent_start' && ports.isAwaited();
    return head.has(line.type) && (line.message === undefined || isSystem(line));
  }

  return {
    holds(line) {
      if (belongs(line)) {
        if (held.isEmpty) out.timer(timer, ports.graceMs);
        held.add(line);
        return true;
      }
      if (!held.isEmpty && isDictionary(line.message) && isSystem(line)) ports.learnTools(line.message);
      held.release();
      return false;
    },
    release: held.release,
    wake(name) {
      if (name !== timer) return false;
      held.release();
      return true;
    },
  };
}
