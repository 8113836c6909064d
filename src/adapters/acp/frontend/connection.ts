// The shared port of the parts of one client's connection.
import type { Action, Env } from '../../../core/contract/adapter/action.ts';
import type { SessionView } from '../../../core/contract/adapter/projection.ts';
import type { Command } from '../../../core/model/command.ts';
import type { Outcome, Problem } from '../../../core/model/errors.ts';
import { errorMessage, notificationMessage, type RpcId, rpcCodes } from '../json-rpc.ts';
import type { Dialect } from './dialect.ts';

/** The next actions of a connection. */
export type Actions = Action<Command>[];

/** The session that a command is for; null: the session of the connection, or the gateway. */
export type Target = string | null;

/** The connection as its parts use it. */
export interface ConnectionPorts {
  readonly env: Env;
  /** The session that the connection belongs to. Undefined if the connection carries many sessions. */
  readonly bound: SessionView | undefined;
  /** What the client has declared. */
  dialect(): Dialect;
  /** Sends a command. `then` handles the outcome. */
  ask(target: Target, command: Command, then: (outcome: Outcome) => Actions): Actions;
  answer(id: RpcId, result: object): Actions;
  refuse(id: RpcId, problem: Problem): Actions;
}

/** A frame for the client. */
export function frame(message: object): Actions {
  return [{ do: 'send', frame: JSON.stringify(message) }];
}

/** An error as the answer to a request. */
export function errorAnswer(id: RpcId, code: number, message: string, data?: unknown): Actions {
  return frame(errorMessage(id, code, message, data));
}

/** An update that no event of the session causes. */
export function update(sessionId: string, content: object): Actions {
  return frame(notificationMessage('session/update', { sessionId, update: content }));
}

/** A note for the gateway's log. */
export function note(level: 'loss' | 'violation', text: string): Actions {
  return [{ do: 'note', level, text }];
}

/** The code of a refusal (docs/protocols/acp.md 1.8). */
export function rpcCodeOf({ code }: Problem): number {
  switch (code) {
    case 'invalid':
      return rpcCodes.invalidParams;
    case 'not-found':
      return rpcCodes.notFound;
    case 'unauthorized':
      return rpcCodes.loginNeeded;
    case 'aborted':
      return rpcCodes.cancelled;
    default:
      return rpcCodes.internal;
  }
}

/** The refusal of a session that this connection has not opened. */
export function noSession(id: string): Problem {
  return { code: 'not-found', message: `session ${JSON.stringify(id.slice(0, 256))} is not open on this connection` };
}

/** The faults of a value in one line: the first three issues of its schema. */
export function problems(error: {
  readonly issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[];
}): string {
  return error.issues
    .slice(0, 3)
    .map((issue) => `${issue.path.join('.') || 'params'}: ${issue.message}`)
    .join('; ');
}
