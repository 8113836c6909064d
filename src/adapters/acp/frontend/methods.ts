// The requests and notifications of a client, by method (docs/protocols/acp.md 2 to 4).
import type { z } from 'zod';
import { type RpcId, rpcCodes } from '../json-rpc.ts';
import { CancelRequestParams } from '../wire/agent.ts';
import {
  InitializeParams,
  ListSessionsParams,
  LoadSessionParams,
  NewSessionParams,
  PromptParams,
  ResumeSessionParams,
  SessionParams,
  SetModelParams,
  SetModeParams,
  SetOptionParams,
} from '../wire/client.ts';
import { type Actions, type ConnectionPorts, errorAnswer, note, problems } from './connection.ts';
import type { Prompts } from './prompts.ts';
import type { Sessions } from './sessions.ts';
import type { Settings } from './settings.ts';

/** The parts that carry the methods out. */
export interface MethodParts {
  readonly sessions: Sessions;
  readonly prompts: Prompts;
  readonly settings: Settings;
  initialize(params: InitializeParams): object;
}

type Handler = (id: RpcId, params: unknown) => Actions;

/** Carries out the requests and notifications of one connection. */
export function createMethods(
  ports: ConnectionPorts,
  { sessions, prompts, settings, initialize }: MethodParts,
): {
  request(method: string, id: RpcId, params: unknown): Actions;
  notification(method: string, params: unknown): Actions;
} {
  function reading<Schema extends z.ZodType>(
    schema: Schema,
    act: (id: RpcId, params: z.infer<Schema>) => Actions,
  ): Handler {
    return (id, params) => {
      const { data, error } = schema.safeParse(params);
      if (error === undefined) return act(id, data as z.infer<Schema>);
      return ports.refuse(id, { code: 'invalid', message: problems(error) });
    };
  }

  /** Paths are absolute (docs/protocols/acp.md 1.9). */
  function placed<Place extends { readonly cwd: string }>(act: (id: RpcId, place: Place) => Actions) {
    return (id: RpcId, place: Place) =>
      /^(?:\/|[a-z]:[\\/])/iu.test(place.cwd)
        ? act(id, place)
        : ports.refuse(id, { code: 'invalid', message: 'cwd: it is no absolute path' });
  }

  const requests = new Map<string, Handler>([
    ['initialize', reading(InitializeParams, (id, params) => ports.answer(id, initialize(params)))],
    [
      'authenticate',
      (id) => ports.refuse(id, { code: 'invalid', message: 'there is no way to log in: none is needed' }),
    ],
    [
      'session/new',
      reading(
        NewSessionParams,
        placed((id, place) => sessions.create(id, place)),
      ),
    ],
    [
      'session/load',
      reading(
        LoadSessionParams,
        placed((id, place) => sessions.open(id, place.sessionId, place, true)),
      ),
    ],
    [
      'session/resume',
      reading(
        ResumeSessionParams,
        placed((id, place) => sessions.open(id, place.sessionId, place, false)),
      ),
    ],
    [
      'session/list',
      reading(ListSessionsParams.optional(), (id, params) =>
        sessions.list(id, params?.cwd ?? undefined, params?.cursor ?? undefined),
      ),
    ],
    ['session/close', reading(SessionParams, (id, { sessionId }) => sessions.close(id, sessionId))],
    ['session/delete', reading(SessionParams, (id, { sessionId }) => sessions.remove(id, sessionId))],
    ['session/prompt', reading(PromptParams, (id, { sessionId, prompt }) => prompts.prompt(id, sessionId, prompt))],
    [
      'session/set_mode',
      reading(SetModeParams, (id, { sessionId, modeId }) => settings.setMode(id, sessionId, modeId)),
    ],
    [
      'session/set_model',
      reading(SetModelParams, (id, { sessionId, modelId }) => settings.setModel(id, sessionId, modelId)),
    ],
    [
      'session/set_config_option',
      reading(SetOptionParams, (id, { sessionId, configId, value }) =>
        settings.setOption(id, sessionId, configId, value),
      ),
    ],
  ]);

  return {
    request(method, id, params) {
      const handler = requests.get(method);
      if (handler !== undefined) return handler(id, params);
      return errorAnswer(id, rpcCodes.methodNotFound, `there is no method ${JSON.stringify(method.slice(0, 64))}`);
    },
    notification(method, params) {
      if (method === 'session/cancel') {
        const { data } = SessionParams.safeParse(params);
        return data === undefined
          ? note('violation', 'session/cancel without a session')
          : prompts.cancel(data.sessionId);
      }
      if (method === '$/cancel_request') {
        const { data } = CancelRequestParams.safeParse(params);
        return data === undefined ? [] : prompts.cancelRequest(data.requestId);
      }
      // Unknown ones are ignored (docs/protocols/acp.md 1.7).
      return [];
    },
  };
}
