// What the parts of one connection share: how it speaks to its client, and how it asks its sessions. Knows no method by
// name.
import type { Action, Env, SessionView } from '../../core/contract/adapter.ts';
import type { Command } from '../../core/model/command.ts';
import type { Outcome, Problem } from '../../core/model/errors.ts';
import type { Client } from './client.ts';
import type { RpcId } from './json-rpc.ts';

/** What a connection does next. */
export type Actions = Action<Command>[];

/** Which session a command is for, by its id or name; null: the one that the connection belongs to. */
export type Target = string | null;

/** A connection, as its parts see it. */
export interface ConnectionPorts {
  readonly env: Env;
  /** The session that the connection belongs to; undefined where it carries many. */
  readonly bound: SessionView | undefined;
  readonly client: Client;
  /** Asks a session, or for a new one; what to do with the outcome comes with the question. */
  ask(target: Target, command: Command, then: (outcome: Outcome) => Actions): Actions;
  /** Answers a request. */
  answer(id: RpcId, result: unknown): Actions;
  /** Refuses a request. */
  refuse(id: RpcId, problem: Problem): Actions;
  /** A notification of ours. It waits while the client is not ready to be told anything (docs/protocols/eca.md 2.3). */
  tell(method: string, params: object): Actions;
  /** A sentence for the user, where the client shows it; see Messages. */
  show(type: 'error' | 'warning', message: string, chatId?: string): Actions;
  /** A warning to the user that is said once, however often there is a reason. */
  warnOnce(message: string): Actions;
  /** The client is ready: what waited, now. */
  release(): Actions;
}

/** Something for the log. */
export function note(level: 'loss' | 'violation', text: string): Actions {
  return [{ do: 'note', level, text }];
}

/** A sentence for the user; `chatId`: the chat that the sentence is about. */
export function showMessage(
  ports: ConnectionPorts,
  type: 'error' | 'warning',
  message: string,
  chatId?: string,
): Actions {
  return ports.show(type, message, chatId);
}

/**
 * Goes on when the session has told what came of its last command: some agents tell it only behind their answer, and what
 * comes behind the next answer is told by then.
 */
export function whenTold(ports: ConnectionPorts, target: Target, then: () => Actions): Actions {
  return ports.ask(target, { type: 'query', subject: 'state' }, then);
}

/** Content of a chat that is ours to say, for no event of its session says it. */
export function tellContent(
  ports: ConnectionPorts,
  chatId: string,
  content: object,
  role: 'system' | 'user' = 'system',
): Actions {
  return ports.tell('chat/contentReceived', { chatId, role, content });
}

/** What is wrong with a value, in one line: the first three complaints of its schema. */
export function problems(error: {
  readonly issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[];
}): string {
  return error.issues
    .slice(0, 3)
    .map((issue) => `${issue.path.join('.') || 'params'}: ${issue.message}`)
    .join('; ');
}
