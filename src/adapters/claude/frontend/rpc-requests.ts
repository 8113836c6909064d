// The RPC of the rpc-message dialect: requests of one client, each with its answer (docs/protocols/rpc-message.md 8).
// connection-filter.ts decides which frames of the session belong to a query.
import type { z } from 'zod';
import type { Command } from '../../../core/model/command.ts';
import type { Content } from '../../../core/model/content.ts';
import type { Outcome } from '../../../core/model/errors.ts';
import { OutcomeData, QueryData } from '../../../core/model/outcome-data.ts';
import type { SessionInfo } from '../../../core/model/session-info.ts';
import { RpcRequest, rpcParams } from '../wire/rpc-request.ts';
import { type Actions, type ConnectionPorts, problems, violation } from './connection.ts';
import { promptContent } from './encode-values.ts';
import { historyFrames } from './history-frames.ts';
import { promptOrCommand } from './slash-commands.ts';

/** Queries of one connection without an end. An agent may take any number into its run. */
const mostQueries = 1024;

type Method = (id: string, params: unknown) => Actions;

/** Handles the requests of one connection. */
export function createRpcRequests(ports: ConnectionPorts): (frame: object) => Actions {
  const { session, filter } = ports;

  const answer = (frame: object): Actions => [{ do: 'send', frame: filter.own(JSON.stringify(frame)) }];
  const succeed = (id: string, result: object): Actions => answer({ id, result, error: null });
  /** There is only one code (docs/protocols/rpc-message.md 8.5). */
  const fail = (id: string | number, message: string): Actions =>
    answer({ id, result: null, error: { code: -1, message } });

  /** Notes what the client did wrong and answers with an error. The connection goes on. */
  const refuse = (id: string | number, message: string): Actions => [...violation(message), ...fail(id, message)];

  function ask(id: string, command: Command, result: (data: unknown) => object): Actions {
    return ports.ask(command, (outcome) =>
      outcome.ok ? succeed(id, result(outcome.data)) : fail(id, outcome.error.message),
    );
  }

  function reading<Params>(schema: z.ZodType<Params>, act: (id: string, params: Params) => Actions): Method {
    return (id, params) => {
      const read = schema.safeParse(params);
      return read.success ? act(id, read.data) : refuse(id, `bad params: ${problems(read.error)}`);
    };
  }

  /** A query is answered by the frames of its run, and by their end. */
  function query(id: string, content: Content[]): Actions {
    if (filter.openQueries >= mostQueries) return fail(id, `${mostQueries} queries are open already`);
    return ports.ask(promptOrCommand(content, session), (outcome) =>
      outcome.ok ? [{ do: 'send', frame: filter.query(id) }] : fail(id, outcome.error.message),
    );
  }

  /**
   * Ignores the options of `connect`: they are meant for a fresh agent, and no client may choose how the gateway's
   * agents are started (docs/threats.md T8).
   */
  function connect(id: string): Actions {
    return ports.ask({ type: 'query', subject: 'state' }, (outcome) => succeed(id, connected(infoIn(outcome))));
  }

  function infoIn(outcome: Outcome): SessionInfo {
    const changes = outcome.ok ? QueryData.state.safeParse(outcome.data).data?.changes : undefined;
    return { ...session?.transcript.info, ...changes };
  }

  function connected(info: SessionInfo): object {
    const { model } = info;
    const cwd = info.cwd || session?.place;
    return {
      sessionId: session?.id ?? '',
      provider: 'claude',
      status: 'connected',
      ...(model === undefined ? {} : { model: model.id }),
      ...(cwd === undefined ? {} : { cwd }),
      capabilities: capabilitiesOf(info),
    };
  }

  const methods: ReadonlyMap<string, Method> = new Map<string, Method>([
    ['connect', connect],
    ['query', reading(rpcParams.query, (id, { message }) => query(id, [{ type: 'text', text: message }]))],
    [
      'queryWithContent',
      reading(rpcParams.queryWithContent, (id, { content }) => query(id, content.map(promptContent))),
    ],
    ['interrupt', (id) => ask(id, { type: 'abort', target: 'run' }, () => ({ status: 'interrupted' }))],
    [
      'disconnect',
      (id) => [
        ...succeed(id, { status: 'disconnected' }),
        { do: 'close', code: 'normal', reason: 'the client disconnects' },
      ],
    ],
    [
      'setModel',
      reading(rpcParams.setModel, (id, model) =>
        ask(id, { type: 'set-model', model }, (data) => ({
          status: 'model_changed',
          model: OutcomeData['set-model'].safeParse(data).data?.model?.id ?? model,
        })),
      ),
    ],
    [
      'setPermissionMode',
      reading(rpcParams.setPermissionMode, (id, { mode }) =>
        ask(id, { type: 'set-mode', mode }, () => ({ mode, success: true })),
      ),
    ],
    [
      'getHistory',
      (id) =>
        ask(id, { type: 'query', subject: 'messages' }, (data) => ({
          messages: historyFrames(QueryData.messages.safeParse(data).data?.messages ?? [], ports.toWire),
        })),
    ],
  ]);

  return (frame) => {
    const request = RpcRequest.safeParse(frame);
    if (!request.success) return refuse(idIn(frame), `bad request: ${problems(request.error)}`);
    const { id, method, params } = request.data;
    const act = methods.get(method);
    return act === undefined ? refuse(id, `unknown method ${JSON.stringify(method.slice(0, 64))}`) : act(id, params);
  };
}

/** The id of a malformed request, which may be a number: the sender waits for it. Empty if there is no usable id. */
function idIn(frame: object): string | number {
  return 'id' in frame && (typeof frame.id === 'string' || typeof frame.id === 'number') ? frame.id : '';
}

/** The capabilities for which the RpcMessage front end shows buttons. */
function capabilitiesOf({ models, modes, model }: SessionInfo): object {
  const supportedPermissionModes = (modes ?? []).map(({ id }) => id);
  return {
    canInterrupt: true,
    // An agent that has not listed its models may have several.
    canSwitchModel: models === undefined || models.length > 1,
    canSwitchPermissionMode: supportedPermissionModes.length > 0,
    supportedPermissionModes,
    canSkipPermissions: supportedPermissionModes.includes('bypassPermissions'),
    canSendRichContent: true,
    canThink: model?.reasoning !== false,
    canResumeSession: false,
  };
}
