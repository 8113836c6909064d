// Lookups while the user types: contexts, files, commands (docs/protocols/eca.md 8.7). A chat without a session uses
// the connection's initial session.
import type { Command } from '../../../core/model/command.ts';
import type { Outcome } from '../../../core/model/errors.ts';
import { QueryData } from '../../../core/model/outcome-data.ts';
import type { CommandInfo } from '../../../core/model/session-info.ts';
import type { Actions, ConnectionPorts } from '../connection.ts';
import { contextOf, wireContextOf } from '../contexts.ts';
import type { RpcId } from '../json-rpc.ts';
import type { QueryParams } from '../wire/client.ts';
import type { Chats } from './chats.ts';
import { gatewayCommands } from './gateway-commands.ts';
import type { InitialSession } from './initial-session.ts';

/** The lookups of one connection. */
export interface Queries {
  contexts(id: RpcId, params: QueryParams): Actions;
  files(id: RpcId, params: QueryParams): Actions;
  commands(id: RpcId, params: QueryParams): Actions;
}

/** `chats` and `initialSession`: the sessions to ask. */
export function createQueries(ports: ConnectionPorts, chats: Chats, initialSession: InitialSession): Queries {
  /** Answers with the data of the session, or with nothing if the session has none. */
  function look(id: RpcId, { chatId }: QueryParams, command: Command, answerOf: (outcome: Outcome) => object): Actions {
    const chat = typeof chatId === 'string' ? { chatId } : {};
    const answer = (outcome: Outcome) => ports.answer(id, { ...chat, ...answerOf(outcome) });
    const target = typeof chatId === 'string' ? chats.get(chatId)?.target : undefined;
    if (target !== undefined) return ports.ask(target, command, answer);
    return initialSession.get((opened) =>
      'problem' in opened ? answer({ ok: false, error: opened.problem }) : ports.ask(opened.target, command, answer),
    );
  }

  function found({ query, contexts }: QueryParams): Command {
    return { type: 'query', subject: 'contexts', text: query ?? '', contexts: (contexts ?? []).map(contextOf) };
  }

  return {
    contexts: (id, params) => look(id, params, found(params), (outcome) => ({ contexts: contextsIn(outcome) })),
    files: (id, params) =>
      look(id, params, found(params), (outcome) => ({
        files: contextsIn(outcome).filter((context) => 'type' in context && context.type === 'file'),
      })),
    commands: (id, params) =>
      look(id, params, { type: 'query', subject: 'commands', text: params.query ?? '' }, (outcome) => {
        const known = outcome.ok ? (QueryData.commands.safeParse(outcome.data).data?.commands ?? []) : [];
        const chat = typeof params.chatId === 'string' ? chats.get(params.chatId) : undefined;
        const own = gatewayCommands(chat?.view?.agent?.commands ?? initialSession.can, known);
        const typed = (params.query ?? '').replace(/^\//u, '').toLowerCase();
        const wanted = [...own, ...known].filter(({ name }) => name.toLowerCase().includes(typed));
        return { commands: wanted.map((command) => wireCommandOf(command, ports.client.isModern)) };
      }),
  };
}

function contextsIn(outcome: Outcome): object[] {
  const known = outcome.ok ? (QueryData.contexts.safeParse(outcome.data).data?.contexts ?? []) : [];
  return known.flatMap((context) => wireContextOf(context) ?? []);
}

const modernKinds: ReadonlyMap<string | undefined, string> = new Map([
  ['mcp-prompt', 'mcpPrompt'],
  ['mcpPrompt', 'mcpPrompt'],
  ['customPrompt', 'customPrompt'],
  ['prompt', 'customPrompt'],
  ['skill', 'skill'],
]);

/** Clients of the first era know two types of commands; two more came with 0.107. */
function wireCommandOf({ name, description = '', kind, arguments: parameters = [] }: CommandInfo, isModern: boolean) {
  const modern = modernKinds.get(kind) ?? 'native';
  const type = isModern ? modern : modern === 'mcpPrompt' ? 'mcp-prompt' : 'native';
  return { name: name.replace(/^\//u, ''), description, type, arguments: parameters };
}
