// What a session needs of the folders that its user works in: a port, for core reads no files. Knows no protocol.
import type { Context } from '../model/command.ts';

/** A context that was read, or why it could not be. */
export interface ContextReading {
  readonly context: Context;
  /** What the model is to see; null when there is nothing. */
  readonly text: string | null;
  /** One sentence for the user, where it is not, or not whole, what the context names. */
  readonly problem?: string;
}

/** The folders of one session. Nothing outside of them is read. */
export interface WorkspacePort {
  /** Reads each context now, bounded. Never throws. */
  read(contexts: readonly Context[]): readonly ContextReading[];
  /** What a user may choose that typed so much, best first, bounded; without those that were chosen. Never throws. */
  find(typed: string, chosen: readonly Context[], settle: (contexts: readonly Context[]) => void): void;
}
