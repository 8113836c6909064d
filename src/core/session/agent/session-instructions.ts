// The instructions for the model of a session. Agents take instructions only at their start, so the session keeps the
// instructions for its first agent and each replacement.
import type { Instructions } from '../../contract/adapter/instructions.ts';
import type { CommandOf } from '../../model/command.ts';
import { type Outcome, refused } from '../../model/errors.ts';

/** Longest text, bytes of UTF-8. One argument of a command line may have 128 KiB on Linux. */
export const longestInstructions = 128_000;

/** The dependencies of the instructions of a session. */
export interface InstructionsPorts {
  /** Whether the agent can be started with instructions. */
  readonly areHeard: boolean;
  isStarted(): boolean;
}

/** The instructions of a session. */
export interface SessionInstructions {
  /** The instructions for an agent that is about to start. */
  current(): Instructions | undefined;
  set(command: CommandOf<'set-instructions'>): Outcome;
}

/** Creates a session's instructions, with none set. */
export function createInstructions({ areHeard, isStarted }: InstructionsPorts): SessionInstructions {
  let current: Instructions | undefined;
  return {
    current: () => current,
    set({ text, addition }) {
      if (!areHeard) return refused('unsupported', 'this agent takes no instructions');
      const fault = [text, addition].flatMap((one) => faultIn(one) ?? [])[0];
      if (fault !== undefined) return refused('limit', fault);
      // A client may repeat its greeting with the same instructions.
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
