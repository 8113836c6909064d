// Queries about an ECA server, answered from what it reported or by a request (docs/protocols/eca.md 8.7). The session
// answers the other queries.
import type { CommandOf } from '../../../core/model/command.ts';
import { without } from '../../../core/model/dictionary.ts';
import { type Outcome, refused } from '../../../core/model/errors.ts';
import type { CommandInfo } from '../../../core/model/session-info.ts';
import { contextOf, wireContextOf } from '../contexts.ts';
import { CommandsResult, ContextsResult } from '../wire/server.ts';
import type { AgentInfo } from './agent-info.ts';
import { ecaExtra } from './decode/values.ts';
import { type Answer, outcomeOf } from './requests.ts';

/** The dependencies of the queries. */
export interface QueryPorts {
  readonly info: AgentInfo;
  /** The chat, once the server knows it. */
  chat(): { readonly chatId?: string };
  ask(method: string, params: object, done: (answer: Answer) => void): void;
  /** Calls back when the server has reported its models, or will not. */
  whenKnown(done: () => void): void;
  isRunning(): boolean;
}

/** Answers a query. */
export type AgentQueries = (command: CommandOf<'query'>, settle: (outcome: Outcome) => void) => void;

export function createAgentQueries({ info, chat, ask, whenKnown, isRunning }: QueryPorts): AgentQueries {
  const tell = (data: object | undefined): Outcome =>
    data === undefined ? refused('unsupported', 'the agent has not told yet') : { ok: true, data };

  function askCommands(
    text: string | undefined,
    settle: (outcome: Outcome) => void,
    make: (all: CommandInfo[]) => object,
  ) {
    ask('chat/queryCommands', { ...chat(), query: text ?? '' }, (answer) => {
      settle(
        outcomeOf(answer, (result) => {
          const { data } = CommandsResult.safeParse(result);
          return data === undefined ? undefined : make(data.commands.map(commandOf));
        }),
      );
    });
  }

  return ({ subject, text, contexts = [] }, settle) => {
    switch (subject) {
      case 'models':
        return whenKnown(() => settle(tell(info.known.models && { models: info.known.models })));
      case 'state':
        return whenKnown(() => settle(tell({ changes: info.known, running: isRunning() })));
      case 'thinking-levels':
        return whenKnown(() => settle(tell(info.variants.length === 0 ? undefined : { levels: [...info.variants] })));
      case 'tools':
        return whenKnown(() => settle(tell(info.known.tools && { tools: info.known.tools })));
      case 'tool-servers':
        return whenKnown(() => settle(tell({ servers: [...info.servers] })));
      case 'commands':
        return askCommands(text, settle, (commands) => ({ commands }));
      case 'skills':
        return askCommands(text, settle, (all) => ({ skills: all.filter(({ kind }) => kind === 'skill') }));
      case 'contexts': {
        const chosen = contexts.flatMap((context) => wireContextOf(context) ?? []);
        const params = { ...chat(), query: text ?? '', contexts: chosen };
        return ask('chat/queryContext', params, (answer) => {
          settle(
            outcomeOf(answer, (result) => {
              const { data } = ContextsResult.safeParse(result);
              return data === undefined ? undefined : { contexts: data.contexts.map(contextOf) };
            }),
          );
        });
      }
      case 'context-usage':
      case 'messages':
      case 'statistics':
      case 'last-text':
      case 'fork-points':
      case 'session-files':
      case 'history':
      case 'metrics':
      case 'health':
        return settle(refused('unsupported', `an ECA server cannot be asked for ${subject}`));
      default:
        return subject satisfies never;
    }
  };
}

type WireCommand = (typeof CommandsResult)['_output']['commands'][number];

function commandOf(command: WireCommand): CommandInfo {
  const { name, description, type: kind, arguments: parameters } = command;
  return {
    name,
    ...(typeof description === 'string' ? { description } : {}),
    ...(typeof kind === 'string' ? { kind } : {}),
    arguments: (parameters ?? []).map(({ name: parameter, description: about, required }) => ({
      name: parameter,
      ...(typeof about === 'string' ? { description: about } : {}),
      required: required ?? false,
    })),
    ...ecaExtra(without(command, 'name', 'description', 'type', 'arguments')),
  };
}
