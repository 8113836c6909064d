// What the parts of one connection share: how it speaks to its client, and how it asks the session. Knows no frame by name.
import type { Action, SessionView } from '../../../core/contract/adapter.ts';
import type { Command } from '../../../core/model/command.ts';
import type { Outcome } from '../../../core/model/errors.ts';
import type { Dressing } from './dressing.ts';
import type { WireFrame } from '../wire/client.ts';

/** What a connection does next. */
export type Actions = Action<Command>[];

/** A connection, as its parts see it. */
export interface ConnectionPorts {
  /** Absent where a connection is bound to no session. */
  readonly session: SessionView | undefined;
  readonly dressing: Dressing;
  /** The frame as this client is told it: in its dialect, with its envelope. Null where the dialect has none such. */
  sealed(frame: WireFrame): WireFrame | null;
  /** Sends it. */
  say(frame: WireFrame): Actions;
  /** What the client did wrong, in its own protocol; the connection goes on (docs/faults.md F21). */
  complain(message: string): Actions;
  /** Asks the session; what to do with the outcome comes with the question. */
  ask(command: Command, then: (outcome: Outcome) => Actions): Actions;
}

/** A violation, for the log. */
export function violation(text: string): Actions {
  return [{ do: 'note', level: 'violation', text }];
}

/** What is wrong with a value, in one line: the first three complaints of its schema. */
export function problems(error: {
  readonly issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[];
}): string {
  return error.issues
    .slice(0, 3)
    .map((issue) => `${issue.path.join('.') || 'value'}: ${issue.message}`)
    .join('; ');
}
