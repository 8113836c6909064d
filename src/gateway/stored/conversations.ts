// Conversations that only their agents keep, under the ids that clients of this user know: a gateway without a store finds
// them again after a restart (decision 0027).
import type { SessionSummary } from '../../core/model/outcome-data.ts';
import type { SessionTitle } from './session-title.ts';

/** A session whose agent keeps the conversation. */
export interface Conversation extends SessionTitle {
  /** The id of the session. */
  readonly id: string;
  /** The agent's name in the configuration. */
  readonly agent: string;
  readonly cwd: string;
  /** What the agent calls the conversation: an id, or the path of its file. */
  readonly file: string;
}

/** The conversations that were noted. */
export interface Conversations {
  find(id: string): Conversation | null;
  /** Newest first. */
  list(): readonly Conversation[];
  /** May throw the errors of the file system. */
  save(conversation: Conversation): void;
  /** Forgets the session; the agent keeps what it has. May throw the errors of the file system. */
  remove(id: string): void;
}

/** The conversations for a list of stored sessions; `listed`: the sessions that are in the list already. */
export function summariesOf(
  conversations: readonly Conversation[],
  listed: readonly SessionSummary[],
): readonly SessionSummary[] {
  const known = new Set(listed.flatMap(({ id, file }) => [id, file ?? '']));
  return conversations.flatMap(({ id, cwd, file, name, firstWords }) =>
    known.has(id) || known.has(file) ? [] : [{ id, cwd, name, firstWords }],
  );
}
