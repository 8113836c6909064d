// The `system` and control frames of a session: init, status, retries, compaction, permission requests.
import type { SessionView } from '../../../core/contract/adapter/projection.ts';
import type { Dictionary, Failure } from '../../../core/model/content.ts';
import type { EventOf } from '../../../core/model/event.ts';
import type { ToolServer } from '../../../core/model/session-info.ts';
import type { WireFrame } from '../wire/client.ts';
import { claudeExtraIn, extraPart, withExtra } from './claude-extra.ts';
import { slashCommandsOf } from './slash-commands.ts';

/** The version of Claude Code whose format the gateway sends. Clients check it first. */
export const claudeCodeVersion = '2.1.330';

/**
 * The first frame of each turn (docs/protocols/claude.md 6.1, and the required fields of the SDK's SDKSystemMessage).
 * `agentFields`: the fields of the agent's own `init`.
 */
export function initFrame(session: SessionView, agentFields: Dictionary): WireFrame {
  const { place, transcript } = session;
  const { info } = transcript;
  const commands = slashCommandsOf(session);
  const known = [...transcript.servers.values()];
  const tools = info.tools ?? known.flatMap((server) => server.tools ?? []);
  const own = { type: 'system', subtype: 'init' } as const;
  return {
    ...own,
    cwd: info.cwd || (place ?? ''),
    tools: tools.filter((tool) => tool.disabled !== true).map((tool) => tool.name),
    mcp_servers: mcpServers(known),
    model: info.model?.id ?? 'unknown',
    permissionMode: info.mode ?? 'default',
    slash_commands: commands.map((command) => command.name),
    apiKeySource: 'none',
    claude_code_version: claudeCodeVersion,
    output_style: 'default',
    agents: [],
    skills: commands.filter(({ kind }) => kind === 'skill').map(({ name }) => name),
    plugins: [],
    ...agentFields,
    ...own,
  };
}

/** The tool servers as `init` and `mcp_status` list them. */
export function mcpServers(servers: Iterable<EventOf<'tool-server-changed'>>): object[] {
  return (
    [...servers]
      // An agent of this protocol lists its own servers, and may have a status that the model lacks.
      .filter((server) => server.kind === 'mcp' && claudeExtraIn(server).gone !== true)
      .map((server) => ({
        name: server.name,
        status: wireStatus(server.status),
        ...extraPart(claudeExtraIn(server), 'server'),
      }))
  );
}

function wireStatus(status: ToolServer['status']): string {
  switch (status) {
    case 'running':
      return 'connected';
    case 'starting':
      return 'pending';
    case 'failed':
      return 'failed';
    case 'needs-auth':
      return 'needs-auth';
    case 'stopped':
    case 'disabled':
    case 'removed':
      return 'disabled';
    default:
      return status satisfies never;
  }
}

/**
 * A message beside the conversation. The subtype is the gateway's own: the protocol has none, and clients ignore
 * unknown ones.
 */
export function noticeFrame({ level, text, source }: EventOf<'notice'>): WireFrame {
  return { type: 'system', subtype: 'notice', level, text, source: source ?? 'agent' };
}

/** A retry of the model call begins. */
export function retryFrame(retry: EventOf<'retry-start'>): WireFrame {
  const { attempt, maxAttempts, delayMs, failure } = retry;
  const own = {
    type: 'system',
    subtype: 'api_retry',
    attempt,
    max_retries: maxAttempts,
    retry_delay_ms: delayMs,
    error_status: failure.status ?? null,
  };
  return withExtra(own, { error: errorWord(failure) }, claudeExtraIn(retry));
}

function errorWord({ status }: Failure): string {
  if (status === 429) return 'rate_limit';
  if (status === 529) return 'overloaded';
  if (status === 401 || status === 403) return 'authentication_failed';
  if (status !== undefined && status >= 500) return 'server_error';
  return 'unknown';
}

/** The context is being compacted. */
export function compactingFrame(start: EventOf<'compaction-start'>): WireFrame {
  return withExtra({ type: 'system', subtype: 'status', status: 'compacting' }, claudeExtraIn(start));
}

/** The end of a compaction, and the boundary that a successful one leaves in the conversation. */
export function compactedFrames(end: EventOf<'compaction-end'>): WireFrame[] {
  const worked = end.outcome === 'completed';
  const agentFields = {
    status: extraPart(claudeExtraIn(end), 'status'),
    boundary: extraPart(claudeExtraIn(end), 'boundary'),
  };
  // There was nothing to compact, so the conversation is unchanged.
  if (worked && end.summary === undefined && end.tokensBefore === undefined) {
    return [{ type: 'system', subtype: 'status', status: null }];
  }
  const verdict = {
    type: 'system',
    subtype: 'status',
    status: null,
    compact_result: worked ? 'success' : 'failed',
    ...(worked ? {} : { compact_error: end.failure?.message ?? end.outcome }),
  };
  const over = withExtra(verdict, agentFields.status);
  if (!worked) return [over];
  const trigger = end.trigger === 'manual' ? 'manual' : 'auto';
  const tokens = {
    pre_tokens: end.tokensBefore ?? 0,
    ...(end.tokensAfter === undefined ? {} : { post_tokens: end.tokensAfter }),
  };
  const compact_metadata = withExtra({ trigger, ...tokens }, extraPart(agentFields.boundary, 'compact_metadata'));
  return [over, withExtra({ type: 'system', subtype: 'compact_boundary', compact_metadata }, agentFields.boundary)];
}

/** Asks whether a tool may run. The request id is the approval's id, so the answer needs no lookup table. */
export function permissionFrame(ask: EventOf<'approval-request'>): WireFrame {
  const agentFields = claudeExtraIn(ask);
  const own = {
    subtype: 'can_use_tool',
    tool_name: ask.name,
    input: ask.input,
    // An agent of this protocol may send a title as well as a description.
    ...(ask.title === undefined ? {} : { ['description' in agentFields ? 'title' : 'description']: ask.title }),
    ...(ask.suggestions === undefined ? {} : { permission_suggestions: ask.suggestions }),
    ...(ask.call === undefined ? {} : { tool_use_id: ask.call }),
  };
  return { type: 'control_request', request_id: ask.id, request: withExtra(own, agentFields) };
}

/** Marks the request ids of dialogs, which share the wire with approvals. */
export const dialogPrefix = 'dialog:';

/** The choices of a `confirm` dialog. The first one means yes. */
export const confirmChoices = ['Yes', 'No'] as const;

/** A question to the user, in the form of Claude Code's own questions: the answers are in `updatedInput.answers`. */
export function dialogFrame(dialog: EventOf<'dialog-request'>): WireFrame {
  const question = dialog.message === undefined ? dialog.title : `${dialog.title}\n${dialog.message}`;
  const choices =
    dialog.kind === 'confirm' ? confirmChoices : (dialog.options ?? [dialog.prefill ?? dialog.placeholder ?? '']);
  const options = choices.filter((label) => label !== '').map((label) => ({ label, description: '' }));
  const own = {
    subtype: 'can_use_tool',
    tool_name: 'AskUserQuestion',
    input: { questions: [{ question, header: dialog.kind, options, multiSelect: false }] },
    tool_use_id: dialog.id,
  };
  // An agent of this protocol asks in the same form. Its own questions hold more than a dialog can.
  const request = { ...own, ...extraPart(claudeExtraIn(dialog), 'request'), subtype: own.subtype };
  return { type: 'control_request', request_id: `${dialogPrefix}${dialog.id}`, request };
}

/** Withdraws a request. */
export function cancelFrame(requestId: string): WireFrame {
  return { type: 'control_cancel_request', request_id: requestId };
}
