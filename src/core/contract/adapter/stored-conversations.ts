// The contract of agents that keep their conversations themselves.
import type { SessionSummary } from '../../model/outcome-data.ts';
import type { AgentLaunch } from './launch.ts';

/** The session files of a protocol's agents. Pure: the gateway reads and writes the files. */
export interface StoredFormat {
  /** Folders below the user's home that hold the files, directly or in subfolders, e.g. `.tool/sessions`. */
  readonly folders: readonly string[];
  /** Folders below a project that may hold such files. */
  readonly inProject?: readonly string[];
  /** File name extensions, with the dot. */
  readonly endings: readonly string[];
  /** The summary of the session in a file with that text. Null if the text is no such file. */
  read(text: string): Omit<SessionSummary, 'file' | 'exists' | 'modifiedAt'> | null;
  /**
   * Copies a session: the text of a file with the same history and this id. `from`: path of the original file. Null if
   * the text is no such file. Absent: sessions cannot be copied.
   */
  copy?(text: string, as: { readonly id: string; readonly createdAt: string; readonly from: string }): string | null;
}

/** The conversation, stored by the agent itself, that a new agent is to go on with. */
export interface Resumption {
  /** The agent's own name for it: SessionInfo.resume of an earlier agent, or what a client has named. */
  readonly name: string;
  /**
   * The session knows what was said; the agent need not tell. An agent that no longer has the conversation begins anew
   * and delivers {@link beginsAnew}. False: the agent tells what was said if it can, and fails without the conversation.
   */
  readonly isKnown: boolean;
}

/** The notice that an agent remembers nothing. */
export const beginsAnew = 'A new agent was started; it does not remember what was said before.';

/** How the agents of a protocol go on with conversations that they have stored themselves. */
export interface AgentResumption {
  /** Why no client may have an agent open that name, as the rest of a sentence; null if it may (docs/threats.md T9). */
  fault(name: string): string | null;
  /**
   * Adds the conversation to the launch of a program. The gateway starts no other agents of the protocol with one. Absent:
   * the backend opens the conversation.
   */
  launch?(start: AgentLaunch, name: string): AgentLaunch;
}
