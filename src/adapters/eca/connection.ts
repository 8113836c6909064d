// The shared port of the parts of one connection: sending to the client, and commands to its sessions.
import type { Action, Env } from '../../core/contract/adapter/action.ts';
import type { SessionView } from '../../core/contract/adapter/projection.ts';
import type { Command } from '../../core/model/command.ts';
import type { Outcome, Problem } from '../../core/model/errors.ts';
import type { Client } from './client.ts';
import type { RpcId } from './json-rpc.ts';

/** The next actions of a connection. */
export type Actions = Action<Command>[];

/** The session that a command is for, by id or name. Null: the session that the connection belongs to. */
export type Target = string | null;

/** The connection as its parts use it. */
export interface ConnectionPorts {
  readonly env: Env;
  /** The session that the connection belongs to. Undefined if the connection carries many sessions. */
  readonly bound: SessionView | undefined;
  readonly client: Client;
  /** Sends a command to a session, or to the gateway for a new session. `then` handles the outcome. */
  ask(target: Target, command: Command, then: (outcome: Outcome) => Actions): Actions;
  /** Answers a request. */
  answer(id: RpcId, result: unknown): Actions;
  /** Refuses a request. */
  refuse(id: RpcId, problem: Problem): Actions;
  /** Sends a notification. Holds it back until the client is ready for notifications (docs/protocols/eca.md 2.3). */
  notify(method: string, params: object): Actions;
  /** Tells the user something, in the way that the client can show; see user-notices.ts. */
  show(type: 'error' | 'warning', message: string, chatId?: string): Actions;
  /** Warns the user. Repeated warnings with the same text are dropped. */
  warnOnce(message: string): Actions;
  /** Marks the client as ready and sends the notifications that were held back. */
  markReady(): Actions;
}

/** A note for the gateway's log. */
export function note(level: 'loss' | 'violation', text: string): Actions {
  return [{ do: 'note', level, text }];
}

/** Tells the user something. `chatId`: the chat that the message is about. */
export function showMessage(
  ports: ConnectionPorts,
  type: 'error' | 'warning',
  message: string,
  chatId?: string,
): Actions {
  return ports.show(type, message, chatId);
}

/**
 * Runs `then` after the session has delivered the events of its last command. Some agents send these events only after
 * their answer; they are in by the time a second command is answered.
 */
export function afterEvents(ports: ConnectionPorts, target: Target, then: () => Actions): Actions {
  return ports.ask(target, { type: 'query', subject: 'state' }, then);
}

/** Sends content of a chat that no event of the session causes. */
export function sendContent(
  ports: ConnectionPorts,
  chatId: string,
  content: object,
  role: 'system' | 'user' = 'system',
): Actions {
  return ports.notify('chat/contentReceived', { chatId, role, content });
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
