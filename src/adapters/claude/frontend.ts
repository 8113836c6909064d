// One connection of a Claude-format client: prompts, interrupts, settings, permission answers (reference claude-sdk 1.1).
// Knows no session log; what the session says comes from projection.ts.
import type { Action, Env, Frontend, SessionView } from '../../core/adapter.ts';
import type { Command, CommandOf } from '../../core/command.ts';
import { messageOf, type Outcome } from '../../core/errors.ts';
import type { Content } from '../../core/content.ts';
import type { SessionInfo } from '../../core/event.ts';
import { OutcomeData, QueryData } from '../../core/outcome-data.ts';
import type { EventOf } from '../../core/event.ts';
import { type Dialect, inDialect } from './envelope.ts';
import { confirmChoices, dialogPrefix } from './notices.ts';
import { refusalResult } from './result.ts';
import { promptContent } from './values.ts';
import { Answers, ClientFrame, type ControlRequestFrame, PermissionAnswer, type WireFrame } from './wire.ts';

type Actions = Action<Command>[];

/** Where the request id of a control request waits for its outcome. */
const protocol = 'claude';

/** The machine of one connection. */
export function createConnection(env: Env, dialect: Dialect, session: SessionView | undefined): Frontend {
  const send = (frame: WireFrame): Actions => {
    const isControl = frame.type.startsWith('control_');
    const sealed = isControl ? frame : { ...frame, session_id: session?.id ?? '', uuid: env.id('frame') };
    const said = inDialect(dialect, sealed);
    return said === null ? [] : [{ do: 'send', frame: JSON.stringify(said) }];
  };

  /** What the client did wrong, in its own protocol; the connection goes on (reference reliability F21). */
  const complain = (message: string): Actions => [
    { do: 'note', level: 'violation', text: message },
    ...send({ type: 'error', message }),
  ];

  const succeed = (requestId: string, response?: object): Actions =>
    send({
      type: 'control_response',
      response: { subtype: 'success', request_id: requestId, ...(response && { response }) },
    });

  const fail = (requestId: string, error: string, code?: string): Actions =>
    send({
      type: 'control_response',
      response: { subtype: 'error', request_id: requestId, error, ...(code === undefined ? {} : { error_code: code }) },
    });

  const deliver = (command: Command): Actions => [{ do: 'deliver', message: command }];

  /** A command whose outcome answers a control request; see {@link reply}. */
  const ask = (frame: ControlRequestFrame, command: Command): Actions =>
    deliver({ ...command, extra: { [protocol]: frame } });

  function controlRequest(frame: ControlRequestFrame): Actions {
    const { request_id: id, request } = frame;
    switch (request.subtype) {
      case 'initialize':
        // The agent may not have started yet, and only it knows its models.
        return session?.transcript.info.models === undefined
          ? ask(frame, { type: 'query', subject: 'models' })
          : succeed(id, initializeResponse(session.transcript.info));
      case 'interrupt':
        return ask(frame, { type: 'abort', target: 'run' });
      case 'set_model':
        return ask(frame, { type: 'set-model', model: request.model ?? undefined });
      case 'set_permission_mode':
        if (typeof request.mode !== 'string') return fail(id, 'set_permission_mode needs a mode', 'invalid_mode');
        return ask(frame, { type: 'set-mode', mode: request.mode });
      case 'set_max_thinking_tokens':
        return ask(frame, { type: 'set-thinking', budgetTokens: request.max_thinking_tokens ?? null });
      case 'mcp_status':
        return succeed(id, {
          mcpServers: [...(session?.transcript.servers.values() ?? [])].map(({ name, status }) => ({ name, status })),
        });
      default:
        return fail(id, `Unsupported control request subtype: ${request.subtype}`, 'unsupported_request');
    }
  }

  function permission(requestId: string, response: unknown): Actions {
    const answer = PermissionAnswer.safeParse(response);
    // Checked whole before it counts: a malformed answer leaves the question open (reference reliability F17).
    if (!answer.success)
      return complain(`the answer to ${requestId} is not a permission result: ${problems(answer.error)}`);
    if (requestId.startsWith(dialogPrefix))
      return deliver(dialogAnswer(session, requestId.slice(dialogPrefix.length), answer.data));
    if (answer.data.behavior === 'allow') {
      const { updatedInput, updatedPermissions } = answer.data;
      return deliver({
        type: 'answer-approval',
        id: requestId,
        decision: 'allow',
        input: updatedInput ?? undefined,
        remember: updatedPermissions ?? undefined,
      });
    }
    const { message, interrupt } = answer.data;
    return deliver({
      type: 'answer-approval',
      id: requestId,
      decision: 'deny',
      reason: message ?? undefined,
      interrupt: interrupt ?? undefined,
    });
  }

  function unable(requestId: string, reason: string): Actions {
    if (!requestId.startsWith(dialogPrefix)) {
      return deliver({ type: 'answer-approval', id: requestId, decision: 'deny', reason, unable: true });
    }
    const id = requestId.slice(dialogPrefix.length);
    return deliver({ type: 'answer-dialog', id, answer: { kind: 'cancelled' }, unable: true });
  }

  function decodeFrame(frame: ClientFrame): Actions {
    switch (frame.type) {
      case 'user':
        return deliver({
          type: 'prompt',
          content: contentOf(frame.message.content),
          extra: typeof frame.uuid === 'string' ? { [protocol]: frame.uuid } : undefined,
        });
      case 'control_request':
        return controlRequest(frame);
      case 'control_response': {
        const { response } = frame;
        if (response.subtype === 'success') return permission(response.request_id, response.response);
        // No callback, or it threw (reference 1.1): another client may still be able to answer.
        return unable(response.request_id, response.error);
      }
      case 'keep_alive':
      case 'control_cancel_request':
        return [];
      default:
        return frame satisfies never;
    }
  }

  function reply(command: Command, outcome: Outcome): Actions {
    const asked = command.extra?.[protocol];
    if (isControlRequest(asked)) {
      const id = asked.request_id;
      if (command.type === 'query')
        return succeed(id, initializeResponse({ ...session?.transcript.info, ...modelsIn(outcome) }));
      return outcome.ok
        ? succeed(id, controlData(command, outcome.data))
        : fail(id, outcome.error.message, wireCode(outcome));
    }
    if (outcome.ok) return [];
    if (command.type === 'prompt') {
      // In the middle of a turn a result would end it for its readers (reference 4.1: one result, last).
      if (session !== undefined && session.transcript.run !== null) {
        return send({ type: 'error', message: outcome.error.message });
      }
      const cost = session?.transcript.cost ?? 0;
      // The seed's front end only logs errors, so it gets both (reference 5, row `error`).
      const error = dialect === 'rpc-message' ? send({ type: 'error', message: outcome.error.message }) : [];
      return [...error, ...send(refusalResult(outcome.error, cost))];
    }
    // A late answer to a question that is over is normal life with several clients (reference 1.1).
    return outcome.error.code === 'stale' ? [] : send({ type: 'error', message: outcome.error.message });
  }

  return {
    decode(frame) {
      let json: unknown;
      try {
        json = frame.json;
      } catch (thrown) {
        return complain(messageOf(thrown));
      }
      const parsed = ClientFrame.safeParse(json);
      return parsed.success ? decodeFrame(parsed.data) : complain(refusal(json, parsed.error));
    },
    fault: (fault) => complain(fault.message),
    reply,
  };
}

/** `models` and `commands` are served from here by the SDK, without another message (reference 1.1). */
function initializeResponse(info: SessionInfo): object {
  const models = info.models ?? (info.model === undefined ? [] : [info.model]);
  return {
    commands: (info.commands ?? []).map(({ name, description }) => ({
      name,
      description: description ?? '',
      argumentHint: '',
    })),
    agents: [],
    output_style: 'default',
    available_output_styles: ['default'],
    models: models.map(({ id, name }) => ({ value: id, displayName: name ?? id, description: '' })),
    account: {},
  };
}

/** An agent that cannot tell its models is no reason to refuse the client. */
function modelsIn(outcome: Outcome): SessionInfo {
  const read = outcome.ok ? QueryData.models.safeParse(outcome.data) : undefined;
  return read?.success === true ? { models: read.data.models } : {};
}

function controlData(command: Command, data: unknown): object | undefined {
  switch (command.type) {
    case 'abort': {
      const read = OutcomeData.abort.safeParse(data);
      return { still_queued: read.success ? read.data.waiting.map(({ extra }) => extra?.[protocol] ?? null) : [] };
    }
    case 'set-model':
      return { model: command.model ?? 'default' };
    case 'set-mode':
      return { mode: command.mode };
    default:
      return undefined;
  }
}

function wireCode(outcome: Extract<Outcome, { ok: false }>): string | undefined {
  return outcome.error.code === 'unsupported' ? 'unsupported_request' : undefined;
}

function contentOf(content: string | readonly Parameters<typeof promptContent>[0][]): Content[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content.map(promptContent);
}

/** Answers to a question ride in `updatedInput.answers`, keyed by the question's text. */
function dialogAnswer(session: SessionView | undefined, id: string, given: PermissionAnswer): Command {
  const answers = given.behavior === 'allow' ? Answers.safeParse(given.updatedInput?.answers).data : undefined;
  const [value] = Object.values(answers ?? {});
  return { type: 'answer-dialog', id, answer: answerTo(session?.transcript.dialogs.get(id)?.kind, answers, value) };
}

function answerTo(
  kind: EventOf<'dialog-request'>['kind'] | undefined,
  responses: Answers | undefined,
  value: unknown,
): CommandOf<'answer-dialog'>['answer'] {
  if (kind === 'interview' && responses !== undefined) return { kind: 'responses', responses };
  if (typeof value !== 'string') return { kind: 'cancelled' };
  return kind === 'confirm' ? { kind: 'confirmed', confirmed: value === confirmChoices[0] } : { kind: 'value', value };
}

function isControlRequest(value: unknown): value is ControlRequestFrame {
  return typeof value === 'object' && value !== null && 'request_id' in value;
}

function refusal(json: unknown, error: Parameters<typeof problems>[0]): string {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return 'a frame must be a JSON object';
  const type = 'type' in json ? json.type : undefined;
  if (typeof type !== 'string') return 'a frame must have a string `type`';
  return error.issues.some((issue) => issue.path.length === 1 && issue.path[0] === 'type')
    ? `unknown frame type ${JSON.stringify(type.slice(0, 64))}`
    : `bad ${type} frame: ${problems(error)}`;
}

function problems(error: { issues: readonly { path: readonly PropertyKey[]; message: string }[] }): string {
  return error.issues
    .slice(0, 3)
    .map((issue) => `${issue.path.join('.') || 'value'}: ${issue.message}`)
    .join('; ');
}
