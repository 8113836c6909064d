// The methods that a client may call: tables of requests and notifications (docs/protocols/eca.md 8, 2.16). Each
// message is read by its schema and passed to the part that handles it.
import type { z } from 'zod';
import { foldersAfter, showsMessages } from '../client.ts';
import { type Actions, type ConnectionPorts, note, problems as problemsIn, showMessage } from '../connection.ts';
import { errorFrame, type RpcId, rpcCodes } from '../json-rpc.ts';
import { ForkParams, ListParams, RollbackParams } from '../wire/chats.ts';
import {
  ChatParams,
  ClearParams,
  FoldersChangedParams,
  InitializeParams,
  PromptParams,
  paramsOf,
  QueryParams,
  SelectedAgentParams,
  SelectedModelParams,
  ServerParams,
  SteerParams,
  ToolCallParams,
  UpdateParams,
} from '../wire/client.ts';
import type { ChatForks } from './chat-forks.ts';
import type { ChatLists } from './chat-lists.ts';
import type { ChatRequests } from './chat-requests.ts';
import type { Prompts } from './prompts.ts';
import type { Queries } from './queries.ts';
import type { Answers } from './questions.ts';
import type { Rollbacks } from './rollbacks.ts';
import type { SettingNotices } from './setting-notices.ts';
import type { StartUp } from './start-up.ts';
import {
  emptyAnswers,
  ignoredNotifications,
  notificationsWithWarning,
  refusals,
  requestsWithWarning,
} from './unsupported-methods.ts';

/** The parts of a connection that handle its messages. */
export interface Parts {
  readonly startUp: StartUp;
  readonly prompts: Prompts;
  readonly answers: Answers;
  readonly queries: Queries;
  readonly chatRequests: ChatRequests;
  readonly chatLists: ChatLists;
  readonly rollbacks: Rollbacks;
  readonly forks: ChatForks;
  readonly settings: SettingNotices;
}

/** The actions of a message, or one line about what is wrong with its params. */
type Taken = Actions | { readonly problem: string };

/** Handles the messages of one connection. */
export interface ClientMethods {
  request(method: string, id: RpcId, params: unknown): Actions;
  notification(method: string, params: unknown): Actions;
}

/** Handles one method. A method that reads no params accepts any, like real servers (docs/protocols/eca.md 5.3). */
type Take = (params: unknown, id: RpcId) => Taken;

/** Handles a request: parses its params, and calls `act` with them. */
function readingParams<Params>(schema: z.ZodType<Params>, act: (params: Params, id: RpcId) => Actions): Take {
  return (params, id) => {
    const given = paramsOf(params);
    if (given === undefined) return { problem: 'params must be an object' };
    const read = schema.safeParse(given);
    return read.success ? act(read.data, id) : { problem: problemsIn(read.error) };
  };
}

/** Handles a notification: parses its params, and calls `act` with them. */
function readingNotification<Params>(
  schema: z.ZodType<Params>,
  act: (params: Params) => Actions,
): (params: unknown) => Taken {
  const read = readingParams(schema, (params) => act(params));
  return (params) => read(params, '');
}

/** The tables of one connection. */
export function createClientMethods(ports: ConnectionPorts, parts: Parts): ClientMethods {
  const { startUp, prompts, answers, queries, chatRequests, chatLists, rollbacks, forks, settings } = parts;

  const requests: ReadonlyMap<string, Take> = new Map<string, Take>([
    ['initialize', readingParams(InitializeParams, initialize)],
    ['shutdown', (_, id) => leave(() => ports.answer(id, null))],
    ['chat/prompt', readingParams(PromptParams, (params, id) => prompts.prompt(id, params))],
    ['chat/queryContext', readingParams(QueryParams, (params, id) => queries.contexts(id, params))],
    ['chat/queryFiles', readingParams(QueryParams, (params, id) => queries.files(id, params))],
    ['chat/queryCommands', readingParams(QueryParams, (params, id) => queries.commands(id, params))],
    ['chat/delete', readingParams(ChatParams, ({ chatId }, id) => chatRequests.remove(id, chatId ?? undefined))],
    ['chat/clear', readingParams(ClearParams, (params, id) => chatRequests.clear(id, params))],
    ['chat/open', readingParams(ChatParams, ({ chatId }, id) => chatRequests.open(id, chatId ?? undefined))],
    ['chat/fork', readingParams(ForkParams, (params, id) => forks.fork(id, params))],
    ['chat/rollback', readingParams(RollbackParams, (params, id) => rollbacks.rollback(id, params))],
    ['chat/list', readingParams(ListParams, (params, id) => chatLists.list(id, params))],
    ['chat/update', readingParams(UpdateParams, (params, id) => chatRequests.update(id, params))],
  ]);

  const notifications: ReadonlyMap<string, (params: unknown) => Taken> = new Map<string, (params: unknown) => Taken>([
    ['initialized', () => startUp.initialized()],
    ['exit', () => leave(() => [{ do: 'close', code: 'normal', reason: 'the client asked for the end' }])],
    ['chat/toolCallApprove', readingNotification(ToolCallParams, (params) => answers.toolCall(params, true))],
    ['chat/toolCallReject', readingNotification(ToolCallParams, (params) => answers.toolCall(params, false))],
    ['chat/promptStop', readingNotification(ChatParams, ({ chatId }) => chatRequests.stop(chatId ?? undefined))],
    ['chat/promptSteer', readingNotification(SteerParams, (params) => chatRequests.steer(params))],
    [
      'chat/promptSteerRemove',
      readingNotification(ChatParams, ({ chatId }) => chatRequests.removeSteer(chatId ?? undefined)),
    ],
    ['chat/selectedModelChanged', readingNotification(SelectedModelParams, (params) => settings.selectModel(params))],
    [
      'chat/selectedAgentChanged',
      readingNotification(SelectedAgentParams, (params) => settings.selectBehavior(params)),
    ],
    [
      'chat/selectedBehaviorChanged',
      readingNotification(SelectedAgentParams, (params) => settings.selectBehavior(params)),
    ],
    ['mcp/startServer', readingNotification(ServerParams, ({ name }) => settings.server(name, 'start'))],
    ['mcp/stopServer', readingNotification(ServerParams, ({ name }) => settings.server(name, 'stop'))],
    ['workspace/didChangeWorkspaceFolders', readingNotification(FoldersChangedParams, foldersChanged)],
  ]);

  function initialize(params: InitializeParams, id: RpcId): Actions {
    ports.client.showsMessages = showsMessages(params);
    return startUp.initialize(id, params);
  }

  function leave(then: () => Actions): Actions {
    ports.client.isLeaving = true;
    return then();
  }

  function foldersChanged({ event: { added, removed } }: FoldersChangedParams): Actions {
    const { client } = ports;
    const { folders, problems } = foldersAfter(client.folders, { added: added ?? [], removed: removed ?? [] });
    client.folders = folders;
    return problems.flatMap(ports.warnOnce);
  }

  /** Answers a method that no session can serve; null for an unknown method. */
  function unserved(method: string, id: RpcId, params: unknown): Actions | null {
    const result = emptyAnswers.get(method);
    if (result !== undefined) return ports.answer(id, result);
    const words = refusals.get(method);
    if (words !== undefined) return unknownMethod(id, method, words);
    const complaint = requestsWithWarning.get(method);
    if (complaint === undefined) return null;
    const { chatId } = ChatParams.safeParse(paramsOf(params)).data ?? {};
    return [...ports.answer(id, {}), ...showMessage(ports, 'warning', complaint, chatId ?? undefined)];
  }

  function unknownNotification(method: string): Actions {
    if (ignoredNotifications.has(method)) return [];
    const words = notificationsWithWarning.get(method);
    return words === undefined ? note('loss', 'a notification that means nothing here') : ports.warnOnce(words);
  }

  return {
    request(method, id, params) {
      const take = requests.get(method);
      if (take === undefined) {
        return unserved(method, id, params) ?? unknownMethod(id, method);
      }
      const taken = take(params, id);
      if (!('problem' in taken)) return taken;
      const message = `${method}: ${taken.problem}`;
      return [...note('violation', message), ...ports.refuse(id, { code: 'invalid', message })];
    },
    notification(method, params) {
      const take = notifications.get(method);
      if (take === undefined) return unknownNotification(method);
      const taken = take(params);
      return 'problem' in taken ? note('violation', `${method}: ${taken.problem}`) : taken;
    },
  };
}

/** The answer of real servers (docs/protocols/eca.md 5.3). */
function unknownMethod(id: RpcId, method: string, words = 'Method not found'): Actions {
  const frame = errorFrame(id, rpcCodes.methodNotFound, words, { method: method.slice(0, 128) });
  return [...note('violation', 'a request of an unknown method'), { do: 'send', frame }];
}
