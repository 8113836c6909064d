// What the model of a session is told before anything is said. Agents hear of it when they are started, so it is kept until
// then, and for every agent that takes the place of one that is gone. Knows no protocol.
import type { Instructions } from '../contract/instructions.ts';
import type { CommandOf } from '../model/command.ts';
import { type Outcome, refused } from '../model/errors.ts';

/** Longest text, bytes of UTF-8: one word of a command line may have 128 KiB on Linux. */
export const longestInstructions = 128_000;

/** What the instructions of a session need. */
export interface InstructionsPorts {
  /** Its agent can be started with instructions. */
  readonly areHeard: boolean;
  isStarted(): boolean;
}

/** The instructions of one session. */
export interface SessionInstructions {
  /** For an agent that is about to be started. */
  current(): Instructions | undefined;
  set(command: CommandOf<'set-instructions'>): Outcome;
}

/** None yet. */
export function createInstructions({ areHeard, isStarted }: InstructionsPorts): SessionInstructions {
  let current: Instructions | undefined;
  return {
    current: () => current,
    set({ text, addition }) {
      if (!areHeard) return refused('unsupported', 'this agent takes no instructions');
      const fault = [text, addition].flatMap((one) => faultIn(one) ?? [])[0];
      if (fault !== undefined) return refused('limit', fault);
      // A client that greets twice says nothing new.
      if (text === current?.text && addition === current?.addition) return { ok: true };
      if (isStarted()) return refused('conflict', 'the agent was started before, with other instructions');
      current = { text, addition };
      return { ok: true };
    },
  };
}

const encoder = new TextEncoder();

function faultIn(text: string | undefined): string | null {
  if (text === undefined) return null;
  if (text.includes('\0')) return 'instructions are text without NUL';
  const { length } = encoder.encode(text);
  return length > longestInstructions ? `instructions of ${length} bytes: ${longestInstructions} is the most` : null;
}
