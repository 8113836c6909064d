// What a client may ask and tell, by method: tables of requests and notifications (seed eca; reference eca, section 2).
// Each is read by its schema and handed to the part that knows it. Knows no session.
import type { z } from 'zod';
import type { ChatRequests } from './chat-requests.ts';
import { foldersAfter } from './client.ts';
import { type Actions, type ConnectionPorts, note, problems as problemsIn } from './connection.ts';
import { errorFrame, type RpcId, rpcCodes } from './json-rpc.ts';
import type { Prompts } from './prompts.ts';
import type { Queries } from './queries.ts';
import type { Answers } from './questions.ts';
import type { SettingNotices } from './setting-notices.ts';
import type { StartUp } from './start-up.ts';
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
} from './wire.ts';

/** The parts of a connection that take its messages. */
export interface Parts {
  readonly startUp: StartUp;
  readonly prompts: Prompts;
  readonly answers: Answers;
  readonly queries: Queries;
  readonly chatRequests: ChatRequests;
  readonly settings: SettingNotices;
}

/** A message that was understood, or one line about what is wrong with its params. */
type Taken = Actions | { readonly problem: string };

/** Takes the messages of one connection. */
export interface Requests {
  request(method: string, id: RpcId, params: unknown): Actions;
  notification(method: string, params: unknown): Actions;
}

/** Requests of newer versions that are answered kindly, with nothing (reference eca, section 2). */
const kind: ReadonlyMap<string, object> = new Map<string, object>([
  ['chat/list', { chats: [] }],
  ['jobs/list', { jobs: [] }],
  ['jobs/kill', { killed: false }],
  ['providers/list', { providers: [] }],
]);

/** Those that would change a chat in a way that no session can. */
const undone: ReadonlyMap<string, string> = new Map([
  ['chat/rollback', 'This chat cannot be rolled back.'],
  ['chat/fork', 'This chat cannot be forked.'],
  ['chat/addFlag', 'This chat cannot be flagged.'],
  ['chat/removeFlag', 'This chat cannot be flagged.'],
]);

/** Notifications that need no answer and do nothing here. `$/cancelRequest`: what was asked is answered all the same. */
const ignored: ReadonlySet<string> = new Set(['$/cancelRequest', 'chat/promptSteerRemove']);

/** Who takes no params reads none: real servers do not look at them either (reference eca, section 5). */
type Take = (params: unknown, id: RpcId) => Taken;

function reading<Params>(schema: z.ZodType<Params>, act: (params: Params, id: RpcId) => Actions): Take {
  return (params, id) => {
    const given = paramsOf(params);
    if (given === undefined) return { problem: 'params must be an object' };
    const read = schema.safeParse(given);
    return read.success ? act(read.data, id) : { problem: problemsIn(read.error) };
  };
}

/** The same for what has no id. */
function hearing<Params>(schema: z.ZodType<Params>, act: (params: Params) => Actions): (params: unknown) => Taken {
  const read = reading(schema, (params) => act(params));
  return (params) => read(params, '');
}

/** The tables of one connection. */
export function createRequests(ports: ConnectionPorts, parts: Parts): Requests {
  const { startUp, prompts, answers, queries, chatRequests, settings } = parts;

  const requests: ReadonlyMap<string, Take> = new Map<string, Take>([
    ['initialize', reading(InitializeParams, (params, id) => startUp.initialize(id, params))],
    ['shutdown', (_, id) => leave(() => ports.answer(id, null))],
    ['chat/prompt', reading(PromptParams, (params, id) => prompts.prompt(id, params))],
    ['chat/queryContext', reading(QueryParams, (params, id) => queries.contexts(id, params))],
    ['chat/queryFiles', reading(QueryParams, (params, id) => queries.files(id, params))],
    ['chat/queryCommands', reading(QueryParams, (params, id) => queries.commands(id, params))],
    ['chat/delete', reading(ChatParams, ({ chatId }, id) => chatRequests.remove(id, chatId ?? undefined))],
    ['chat/clear', reading(ClearParams, (params, id) => chatRequests.clear(id, params))],
    ['chat/open', reading(ChatParams, ({ chatId }, id) => chatRequests.open(id, chatId ?? undefined))],
    ['chat/update', reading(UpdateParams, (params, id) => chatRequests.update(id, params))],
  ]);

  const notifications: ReadonlyMap<string, (params: unknown) => Taken> = new Map<string, (params: unknown) => Taken>([
    ['initialized', () => startUp.initialized()],
    ['exit', () => leave(() => [{ do: 'close', code: 'normal', reason: 'the client asked for the end' }])],
    ['chat/toolCallApprove', hearing(ToolCallParams, (params) => answers.toolCall(params, true))],
    ['chat/toolCallReject', hearing(ToolCallParams, (params) => answers.toolCall(params, false))],
    ['chat/promptStop', hearing(ChatParams, ({ chatId }) => chatRequests.stop(chatId ?? undefined))],
    ['chat/promptSteer', hearing(SteerParams, (params) => chatRequests.steer(params))],
    ['chat/selectedModelChanged', hearing(SelectedModelParams, (params) => settings.selectModel(params))],
    ['chat/selectedAgentChanged', hearing(SelectedAgentParams, (params) => settings.selectBehavior(params))],
    ['chat/selectedBehaviorChanged', hearing(SelectedAgentParams, (params) => settings.selectBehavior(params))],
    ['mcp/startServer', hearing(ServerParams, ({ name }) => settings.server(name, 'start'))],
    ['mcp/stopServer', hearing(ServerParams, ({ name }) => settings.server(name, 'stop'))],
    ['workspace/didChangeWorkspaceFolders', hearing(FoldersChangedParams, foldersChanged)],
  ]);

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

  function answerKindly(method: string, id: RpcId): Actions | null {
    const result = kind.get(method);
    if (result !== undefined) return ports.answer(id, result);
    const complaint = undone.get(method);
    if (complaint === undefined) return null;
    return [...ports.answer(id, {}), ...ports.tell('$/showMessage', { type: 'warning', message: complaint })];
  }

  return {
    request(method, id, params) {
      const take = requests.get(method);
      if (take === undefined) {
        return answerKindly(method, id) ?? unknownMethod(id, method);
      }
      const taken = take(params, id);
      if (!('problem' in taken)) return taken;
      const message = `${method}: ${taken.problem}`;
      return [...note('violation', message), ...ports.refuse(id, { code: 'invalid', message })];
    },
    notification(method, params) {
      const take = notifications.get(method);
      if (take === undefined) return ignored.has(method) ? [] : note('loss', 'a notification that means nothing here');
      const taken = take(params);
      return 'problem' in taken ? note('violation', `${method}: ${taken.problem}`) : taken;
    },
  };
}

/** As the servers of the field say it (reference eca, section 5). */
function unknownMethod(id: RpcId, method: string): Actions {
  const frame = errorFrame(id, rpcCodes.methodNotFound, 'Method not found', { method: method.slice(0, 128) });
  return [...note('violation', 'a request of an unknown method'), { do: 'send', frame }];
}
