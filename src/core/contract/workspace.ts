// A session's access to the folders that its user works in. A port, because core reads no files.
import type { Context } from '../model/content.ts';

/** The result of reading one context. */
export interface ContextReading {
  readonly context: Context;
  /** Text for the model; null if there is none. */
  readonly text: string | null;
  /** One sentence for the user, if the text is missing or incomplete. */
  readonly problem?: string;
}

/** The folders of one session. Nothing outside these folders is read. */
export interface WorkspacePort {
  /** Reads each context at once, with bounds. Never throws. */
  read(contexts: readonly Context[]): readonly ContextReading[];
  /** Contexts that match the typed text, best first, bounded in number; without the chosen ones. Never throws. */
  find(typed: string, chosen: readonly Context[], settle: (contexts: readonly Context[]) => void): void;
}
