// The control requests of a client, in the native dialect (docs/protocols/claude.md 3.4, 6.1). A request that the
// gateway does not serve is offered to the agent first, because an agent of the same protocol may serve it.
import { z } from 'zod';
import type { Command } from '../../../core/model/command.ts';
import type { Outcome } from '../../../core/model/errors.ts';
import { OutcomeData, QueryData } from '../../../core/model/outcome-data.ts';
import { type ControlRequestFrame, errorAnswer } from '../wire/client.ts';
import { type Actions, type ConnectionPorts, problems, violation } from './connection.ts';
import { initializeResponse, instructionsIn, titleIn, unservedIn } from './initialize.ts';
import { slashCommandsOf } from './slash-commands.ts';
import { mcpServers, noticeFrame } from './system-frames.ts';

type Reader = (frame: ControlRequestFrame) => Actions;

const SetModel = z.looseObject({ model: z.string().nullish() });
const SetMode = z.looseObject({ mode: z.string() });
/** The code of a mode that does not exist. */
const badMode = 'invalid_mode';
const SetThinking = z.looseObject({ max_thinking_tokens: z.number().nullish() });

/** What the requests of one connection are carried out by. */
interface Parts {
  /** Sends a command whose outcome answers the request. */
  ask(frame: ControlRequestFrame, command: Command): Actions;
  fail(requestId: string, error: string, code?: string): Actions;
  readonly initialize: Reader;
  readonly mcpStatus: Reader;
  readonly contextUsage: Reader;
}

/** For all connections, so that none pays for a table of its own. */
const readers: ReadonlyMap<string, (frame: ControlRequestFrame, parts: Parts) => Actions> = new Map([
  ['initialize', (frame, { initialize }) => initialize(frame)],
  ['interrupt', (frame, { ask }) => ask(frame, { type: 'abort', target: 'run' })],
  [
    'set_model',
    reading(SetModel, ({ model }, frame, { ask }) => ask(frame, { type: 'set-model', model: named(model) })),
  ],
  [
    'set_permission_mode',
    reading(SetMode, ({ mode }, frame, { ask }) => ask(frame, { type: 'set-mode', mode }), badMode),
  ],
  [
    'set_max_thinking_tokens',
    reading(SetThinking, ({ max_thinking_tokens: budgetTokens }, frame, { ask }) =>
      ask(frame, { type: 'set-thinking', budgetTokens: budgetTokens ?? null }),
    ),
  ],
  ['mcp_status', (frame, { mcpStatus }) => mcpStatus(frame)],
  ['get_context_usage', (frame, { contextUsage }) => contextUsage(frame)],
] satisfies readonly (readonly [string, (frame: ControlRequestFrame, parts: Parts) => Actions])[]);

/** Reads the parameters of a request, or refuses it. */
function reading<Parameters>(
  schema: z.ZodType<Parameters>,
  act: (parameters: Parameters, frame: ControlRequestFrame, parts: Parts) => Actions,
  code?: string,
): (frame: ControlRequestFrame, parts: Parts) => Actions {
  return (frame, parts) => {
    const { request_id: id, request } = frame;
    const read = schema.safeParse(request);
    if (read.success) return act(read.data, frame, parts);
    const error = `${request.subtype}: ${problems(read.error)}`;
    return [...violation(error), ...parts.fail(id, error, code)];
  };
}

/** Handles the control requests of one connection. */
export function createControl(ports: ConnectionPorts): Reader {
  const { session } = ports;
  let hasWarned = false;

  const succeed = (requestId: string, response?: unknown): Actions =>
    ports.send({
      type: 'control_response',
      response: { subtype: 'success', request_id: requestId, ...(response === undefined ? {} : { response }) },
    });

  const fail = (requestId: string, error: string, code?: string): Actions =>
    ports.send(errorAnswer(requestId, error, code));

  /** Sends a command whose outcome answers the request. */
  function ask(frame: ControlRequestFrame, command: Command): Actions {
    const { request_id: id } = frame;
    return ports.ask({ ...command, extra: { claude: frame } }, (outcome) =>
      outcome.ok
        ? succeed(id, dataOf(command, outcome.data))
        : fail(id, outcome.error.message, codeOf(command, outcome)),
    );
  }

  /**
   * Offers the request to the agent and passes its answer on unchanged. Calls `otherwise` if the agent has no answer.
   */
  function offer(frame: ControlRequestFrame, otherwise: (outcome: Outcome & { ok: false }) => Actions): Actions {
    const { request_id: id, request } = frame;
    const payload = { type: 'control_request', request };
    return ports.ask({ type: 'unknown', protocol: 'claude', payload }, (outcome) => {
      if (outcome.ok) return succeed(id, outcome.data);
      return outcome.error.code === 'agent-refused' ? fail(id, outcome.error.message) : otherwise(outcome);
    });
  }

  const refuse = ({ request_id: id, request }: ControlRequestFrame, outcome: Outcome & { ok: false }): Actions =>
    outcome.error.code === 'unsupported'
      ? fail(id, `Unsupported control request subtype: ${request.subtype}`, 'unsupported_request')
      : fail(id, outcome.error.message);

  /**
   * Sends the instructions before `initialize`: offering `initialize` may start the agent, and a running agent takes no
   * instructions.
   */
  function initialize(frame: ControlRequestFrame): Actions {
    const instructions = instructionsIn(frame.request);
    // An agent of this protocol reads the instructions in `initialize` itself.
    if (instructions === null || session?.agent?.protocol === 'claude') return answerInitialize(frame, false);
    return ports.ask({ type: 'set-instructions', ...instructions }, ({ ok }) => answerInitialize(frame, ok));
  }

  /** `isInstructed`: the instructions of the request, if any, reach the model. */
  function answerInitialize(frame: ControlRequestFrame, isInstructed: boolean): Actions {
    const { request_id: id, request } = frame;
    return offer(frame, ({ error }) => {
      warn(unservedIn(request, isInstructed));
      const info = session?.transcript.info ?? {};
      // Only the agent knows its models. Do not start a failed agent a second time just to ask.
      if (error.code === 'agent-down') return succeed(id, initializeResponse(info, slashCommandsOf(session), request));
      const title = setTitle(request, info.name);
      if (info.models !== undefined)
        return [...title, ...succeed(id, initializeResponse(info, slashCommandsOf(session), request))];
      return [
        ...title,
        ...ports.ask({ type: 'query', subject: 'models' }, (outcome) => {
          const known = session?.transcript.info;
          return succeed(id, initializeResponse({ ...known, ...modelsIn(outcome) }, slashCommandsOf(session), request));
        }),
      ];
    });
  }

  /** Names the session, unless it already has a name (Agent SDK, `title`). */
  function setTitle(request: ControlRequestFrame['request'], known: string | undefined): Actions {
    const name = titleIn(request);
    if (name === null || known !== undefined) return [];
    return ports.ask({ type: 'set-name', name }, (outcome) =>
      outcome.ok ? [] : [{ do: 'note', level: 'loss', text: `initialize: the title: ${outcome.error.message}` }],
    );
  }

  /**
   * Tells the client after the next `init`, because nothing may stand between two turns (docs/protocols/claude.md
   * 4.12).
   */
  function warn(unserved: readonly string[]): void {
    if (hasWarned || unserved.length === 0) return;
    hasWarned = true;
    const text = `The agent behind this gateway cannot use what this client offers: ${unserved.join(', ')}.`;
    const frame = ports.toWire(noticeFrame({ type: 'notice', level: 'warning', source: 'gateway', text }));
    if (frame !== null) ports.filter.afterInit(JSON.stringify(frame));
  }

  function contextUsage(frame: ControlRequestFrame): Actions {
    return offer(frame, (refusal) =>
      ports.ask({ type: 'query', subject: 'context-usage' }, (outcome) => {
        const usage = outcome.ok ? contextIn(outcome.data, session?.transcript.info.model?.id) : null;
        return usage === null ? refuse(frame, refusal) : succeed(frame.request_id, usage);
      }),
    );
  }

  function mcpStatus(frame: ControlRequestFrame): Actions {
    return offer(frame, () =>
      succeed(frame.request_id, { mcpServers: mcpServers(session?.transcript.servers.values() ?? []) }),
    );
  }

  const parts: Parts = { ask, fail, initialize, mcpStatus, contextUsage };
  return (frame) => {
    const reader = readers.get(frame.request.subtype);
    return reader === undefined ? offer(frame, (outcome) => refuse(frame, outcome)) : reader(frame, parts);
  };
}

/** The name of the model; undefined for the default model of the agent, which the SDK names by null or by `default`. */
function named(model: string | null | undefined): string | undefined {
  return model === null || model === 'default' ? undefined : model;
}

/** The models of the agent; none if the agent cannot list its models, so that the client is not refused. */
function modelsIn(outcome: Outcome) {
  const read = outcome.ok ? QueryData.models.safeParse(outcome.data) : undefined;
  return read?.success === true ? { models: read.data.models } : {};
}

/** The known part of the context usage: agents of other protocols do not report what fills their context. */
function contextIn(data: unknown, model: string | undefined): object | null {
  const { tokens = null, window = null } = QueryData['context-usage'].safeParse(data).data ?? {};
  if (tokens === null || window === null) return null;
  const percentage = window === 0 ? 0 : Math.round((100 * tokens) / window);
  return {
    categories: [],
    totalTokens: tokens,
    maxTokens: window,
    rawMaxTokens: window,
    percentage,
    gridRows: [],
    model: model ?? 'unknown',
    memoryFiles: [],
    mcpTools: [],
    agents: [],
  };
}

function dataOf(command: Command, data: unknown): object | undefined {
  switch (command.type) {
    case 'abort': {
      const read = OutcomeData.abort.safeParse(data);
      return { still_queued: read.success ? read.data.waiting.map(({ extra }) => extra?.claude ?? null) : [] };
    }
    case 'set-model':
      return { model: command.model ?? 'default' };
    case 'set-mode': {
      const read = OutcomeData['set-mode'].safeParse(data);
      return { mode: read.data?.mode ?? command.mode };
    }
    default:
      return undefined;
  }
}

/** The error code that the real program sends with its message (docs/protocols/claude.md 3.9). */
function codeOf(command: Command, { error }: Outcome & { ok: false }): string | undefined {
  if (error.code === 'unsupported') return 'unsupported_request';
  const isUnknown = error.code === 'invalid' || error.code === 'not-found';
  return command.type === 'set-mode' && isUnknown ? badMode : undefined;
}
