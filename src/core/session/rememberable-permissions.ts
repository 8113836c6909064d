// Which standing permissions a client may choose that does not own the machine: those that the agent has suggested. Any
// other could change its settings, or end all asking (docs/threats.md T23). Knows no protocol.
import type { Command } from '../model/command.ts';
import { jsonEqual } from '../model/json-equal.ts';
import type { Transcript } from '../model/transcript.ts';

/** The command with those alone; `dropped` is called when there were others. */
export function withRememberablePermissions(command: Command, { approvals }: Transcript, dropped: () => void): Command {
  if (command.type !== 'answer-approval' || command.remember === undefined) return command;
  const suggestions = approvals.get(command.id)?.suggestions ?? [];
  const remember = command.remember.filter((wish) => suggestions.some((suggestion) => jsonEqual(wish, suggestion)));
  // What the session keeps itself it tells itself.
  const isKeptHere = command.forSession === true && suggestions.length === 0;
  if (remember.length < command.remember.length && !isKeptHere) dropped();
  return { ...command, remember };
}
