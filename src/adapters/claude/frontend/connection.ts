// The shared port of the parts of one connection: sending to the client, and commands to the session.
import type { Action } from '../../../core/contract/adapter/action.ts';
import type { SessionView } from '../../../core/contract/adapter/projection.ts';
import type { Command } from '../../../core/model/command.ts';
import type { Outcome } from '../../../core/model/errors.ts';
import type { WireFrame } from '../wire/client.ts';
import type { ConnectionFilter } from './connection-filter.ts';

/** The next actions of a connection. */
export type Actions = Action<Command>[];

/** The connection as its parts use it. */
export interface ConnectionPorts {
  /** Absent if the connection is bound to no session. */
  readonly session: SessionView | undefined;
  readonly filter: ConnectionFilter;
  /** The frame for this client: in its dialect, with session and id. Null if the dialect has no such frame. */
  toWire(frame: WireFrame): WireFrame | null;
  /** Sends a frame. */
  send(frame: WireFrame): Actions;
  /** Reports a mistake to the client, in the client's protocol. The connection stays open (docs/faults.md F21). */
  complain(message: string): Actions;
  /** Sends a command to the session. `then` handles the outcome. */
  ask(command: Command, then: (outcome: Outcome) => Actions): Actions;
}

/** A violation, for the log. */
export function violation(text: string): Actions {
  return [{ do: 'note', level: 'violation', text }];
}

/** The faults of a value in one line: the first three issues of its schema. */
export function problems(error: {
  readonly issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[];
}): string {
  return error.issues
    .slice(0, 3)
    .map((issue) => `${issue.path.join('.') || 'value'}: ${issue.message}`)
    .join('; ');
}
