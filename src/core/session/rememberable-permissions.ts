// Filters the permissions that a network client may have remembered: only those that the agent has suggested. Any other
// permission could change the agent's settings or end all approvals (docs/threats.md T23).
import type { Command } from '../model/command.ts';
import { jsonEqual } from '../model/json-equal.ts';
import type { Transcript } from '../model/transcript.ts';

/** Removes all other permissions from a command. Calls `dropped` if there were any. */
export function withRememberablePermissions(command: Command, { approvals }: Transcript, dropped: () => void): Command {
  if (command.type !== 'answer-approval' || command.remember === undefined) return command;
  const suggestions = approvals.get(command.id)?.suggestions ?? [];
  const remember = command.remember.filter((wish) => suggestions.some((suggestion) => jsonEqual(wish, suggestion)));
  // No warning if the session remembers the approval itself.
  const isKeptHere = command.forSession === true && suggestions.length === 0;
  if (remember.length < command.remember.length && !isKeptHere) dropped();
  return { ...command, remember };
}
