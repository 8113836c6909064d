// The frontend of a Claude-format client: decodes the client's frames and passes them to the part that handles them
// (docs/protocols/claude.md 3; docs/protocols/rpc-message.md 8). The projection writes the events of the session.
import type { Env } from '../../../core/contract/adapter/action.ts';
import type { Frontend } from '../../../core/contract/adapter/frontend.ts';
import type { SessionView } from '../../../core/contract/adapter/projection.ts';
import type { Command } from '../../../core/model/command.ts';
import type { Content } from '../../../core/model/content.ts';
import { messageOf, type Outcome, type Problem } from '../../../core/model/errors.ts';
import { sessionName } from '../frames.ts';
import { ClientFrame, errorAnswer, NamedRequest, type UserFrame, type WireFrame } from '../wire/client.ts';
import { isRpcRequest } from '../wire/rpc-request.ts';
import { type Actions, type ConnectionPorts, problems, violation } from './connection.ts';
import { createConnectionFilter } from './connection-filter.ts';
import { createControl } from './control-requests.ts';
import { createControlResponses } from './control-responses.ts';
import { promptContent } from './encode-values.ts';
import { type Dialect, inDialect } from './frame-ids.ts';
import { refusalResult } from './result-frame.ts';
import { createRpcRequests } from './rpc-requests.ts';
import { promptOrCommand } from './slash-commands.ts';

/** The options of a connection. */
export interface ConnectionOptions {
  readonly dialect: Dialect;
  /** Whether prompts are echoed. */
  readonly replayUserMessages: boolean;
  /** Whether frames use the agent's name for the session. */
  readonly agentSessionId: boolean;
}

/** The state machine of one connection. */
export function createConnection(env: Env, options: ConnectionOptions, session: SessionView | undefined): Frontend {
  const { dialect } = options;
  const filter = createConnectionFilter();
  /** The handlers of outcomes that are still to come. Created with the first: an idle connection has none. */
  let outcomeHandlers: Map<Command, (outcome: Outcome) => Actions> | null = null;
  /**
   * The client has sent an RPC request. From then on, frames of the connection must not be taken for frames of a query.
   */
  let isWrapping = false;

  function toWire(frame: WireFrame): WireFrame | null {
    const isControl = frame.type.startsWith('control_');
    const name = session === undefined ? '' : sessionName(session, options.agentSessionId);
    return inDialect(dialect, isControl ? frame : { ...frame, session_id: name, uuid: env.id('frame') });
  }

  function send(frame: WireFrame): Actions {
    const wire = toWire(frame);
    if (wire === null) return [];
    const text = JSON.stringify(wire);
    return [{ do: 'send', frame: isWrapping ? filter.own(text) : text }];
  }

  const ports: ConnectionPorts = {
    session,
    filter,
    toWire,
    send,
    complain: (message) => [...violation(message), ...send({ type: 'error', message })],
    ask(command, then) {
      outcomeHandlers ??= new Map();
      outcomeHandlers.set(command, then);
      return [{ do: 'deliver', message: command }];
    },
  };
  // Each is created when it is first needed: a client uses one or two of them, and many are idle.
  let control: ReturnType<typeof createControl> | null = null;
  let answer: ReturnType<typeof createControlResponses> | null = null;
  let request: ReturnType<typeof createRpcRequests> | null = null;

  function prompt({ message, uuid }: UserFrame): Actions {
    const name = uuid ?? undefined;
    const isEchoed = options.replayUserMessages && dialect === 'claude';
    const extra = name === undefined ? undefined : { claude: name };
    const command = promptOrCommand(contentOf(message.content), session);
    return ports.ask({ ...command, extra }, (outcome) => {
      if (!outcome.ok) return refuse(outcome.error);
      if (command.type !== 'prompt') return [];
      // A prompt is settled immediately before its run is logged, so the next prompt frame is this one.
      if (!options.replayUserMessages) return [{ do: 'send', frame: filter.ownPrompt() }];
      return isEchoed && name !== undefined ? [{ do: 'send', frame: filter.echo(name) }] : [];
    });
  }

  function refuse(problem: Problem): Actions {
    // In the middle of a turn a `result` would end the turn for its readers (docs/protocols/claude.md 4.12: one result,
    // last).
    const isInTurn = session !== undefined && session.transcript.run !== null;
    // The RpcMessage front end only logs errors, so it gets both frames (docs/protocols/rpc-message.md 9.3).
    const hasError = isInTurn || dialect === 'rpc-message';
    return [
      ...(hasError ? send({ type: 'error', message: problem.message }) : []),
      ...(isInTurn ? [] : send(refusalResult(problem, session?.transcript.cost ?? 0))),
    ];
  }

  /**
   * Answers a malformed control request under its id, because the sender waits for that id only
   * (docs/protocols/claude.md 3.9).
   */
  function refuseFrame(json: unknown, words: string): Actions {
    const named = NamedRequest.safeParse(json);
    return named.success && dialect === 'claude'
      ? [...violation(words), ...send(errorAnswer(named.data.request_id, words))]
      : ports.complain(words);
  }

  function decodeFrame(frame: ClientFrame): Actions {
    switch (frame.type) {
      case 'user':
        return prompt(frame);
      case 'control_request':
        control ??= createControl(ports);
        return control(frame);
      case 'control_response':
        answer ??= createControlResponses(ports);
        return answer(frame);
      case 'keep_alive':
      case 'control_cancel_request':
      case 'auth':
      case 'update_environment_variables':
        return [];
      default:
        return frame satisfies never;
    }
  }

  return {
    decode(frame) {
      let json: unknown;
      try {
        json = frame.json;
      } catch (thrown) {
        return ports.complain(messageOf(thrown));
      }
      if (dialect === 'rpc-message' && isRpcRequest(json)) {
        isWrapping = true;
        request ??= createRpcRequests(ports);
        return request(json);
      }
      const parsed = ClientFrame.safeParse(json);
      return parsed.success ? decodeFrame(parsed.data) : refuseFrame(json, refusal(json, parsed.error));
    },
    fault: (fault) => ports.complain(fault.message),
    reply(command, outcome) {
      const then = outcomeHandlers?.get(command);
      outcomeHandlers?.delete(command);
      return then?.(outcome) ?? [];
    },
    mapOutgoing: (out) => filter.mapOutgoing(out),
    mapStretch: (part) => filter.mapStretch(part),
  };
}

function contentOf(content: string | readonly Parameters<typeof promptContent>[0][]): Content[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content.map(promptContent);
}

function refusal(json: unknown, error: Parameters<typeof problems>[0]): string {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return 'a frame must be a JSON object';
  const type = 'type' in json ? json.type : undefined;
  if (typeof type !== 'string') return 'a frame must have a string `type`';
  return error.issues.some((issue) => issue.path.length === 1 && issue.path[0] === 'type')
    ? `unknown frame type ${JSON.stringify(type.slice(0, 64))}`
    : `bad ${type} frame: ${problems(error)}`;
}
