// The `initialize` request: what a client offers and asks for, and the answer on behalf of an agent of another protocol
// (docs/protocols/claude.md 3.2).
import { z } from 'zod';
import type { Instructions } from '../../../core/contract/adapter/instructions.ts';
import type { SessionInfo } from '../../../core/model/session-info.ts';
import type { ControlRequestFrame } from '../wire/client.ts';
import type { SlashCommand } from './slash-commands.ts';

type Request = ControlRequestFrame['request'];

/**
 * The SDK serves its lists of `models` and `commands` from this response, without another request
 * (docs/protocols/claude.md 3.2).
 */
export function initializeResponse(info: SessionInfo, commands: readonly SlashCommand[], request: Request): object {
  const models = info.models ?? (info.model === undefined ? [] : [info.model]);
  return {
    commands: commands.map(({ name, description, hint }) => ({
      name,
      description: description ?? '',
      argumentHint: hint ?? '',
    })),
    agents: [],
    output_style: 'default',
    available_output_styles: ['default'],
    models: models.map(({ id, name }) => ({ value: id, displayName: name ?? id, description: '' })),
    account: {},
    ...appliedFields(request),
  };
}

/**
 * The field that tells a client whether a part of its request was applied (Agent SDK 0.3.330, `Query.initialize`). The
 * SDK ends a session if the answer has no word on its MCP servers, or no `true` for its settings or disallowed tools.
 */
const appliedNames = new Map([
  ['hooks', 'hooks_applied'],
  ['plugins', 'plugins_applied'],
  ['mcpServers', 'mcp_servers_applied'],
  ['codeRunningMcpTools', 'code_running_mcp_tools_applied'],
  ['settings', 'settings_applied'],
  ['managedSettings', 'managed_settings_applied'],
  ['disallowedTools', 'disallowed_tools_applied'],
]);

/** An empty part counts as applied. A part that the client did not send has no field, as in Claude Code. */
function appliedFields(request: Request): object {
  const applied = [...appliedNames].flatMap(([field, name]) => {
    const part = request[field];
    return part === undefined || part === null ? [] : [[name, !isRequested(part)] as const];
  });
  const manifests = Manifests.safeParse(request).data;
  const names = manifests?.sdkMcpServers.filter((name) => Object.hasOwn(manifests.sdkMcpServerManifests, name)) ?? [];
  const parked = names.map((name) => [name, 'not_honoured']);
  return {
    ...Object.fromEntries(applied),
    ...(parked.length === 0 ? {} : { sdk_mcp_manifests_parked: Object.fromEntries(parked) }),
  };
}

const Manifests = z.looseObject({
  sdkMcpServers: z.array(z.string()),
  sdkMcpServerManifests: z.record(z.string(), z.unknown()),
});

const Prompts = z.looseObject({
  /** A list. One text is also accepted, in case a version sends that. */
  systemPrompt: z.union([z.string().transform((text) => [text]), z.array(z.string())]).catch([]),
  appendSystemPrompt: z.string().catch(''),
});

/** A mark for caches (Agent SDK, `SYSTEM_PROMPT_DYNAMIC_BOUNDARY`), not meant for the model. */
const boundary = /^__SYSTEM_PROMPT_DYNAMIC_BOUNDARY__$\n?/gmu;

/** A system prompt for the model. Empty parts are dropped: SDKs always send a system prompt. */
export function promptText(parts: readonly string[]): string {
  return parts
    .map((part) => part.replace(boundary, ''))
    .filter((part) => part.trim() !== '')
    .join('\n\n');
}

/** The instructions for the model in an `initialize` request; null if there are none. */
export function instructionsIn(request: Request): Instructions | null {
  const { systemPrompt, appendSystemPrompt } = Prompts.parse(request);
  return instructionsOf(promptText(systemPrompt), promptText([appendSystemPrompt]));
}

/** The instructions; null if both texts are empty. */
export function instructionsOf(text: string, addition: string): Instructions | null {
  if (text === '' && addition === '') return null;
  return { ...(text === '' ? {} : { text }), ...(addition === '' ? {} : { addition }) };
}

/** The title that a client gives its session; null if there is none. */
export function titleIn({ title }: Request): string | null {
  return typeof title === 'string' && title.trim() !== '' ? title : null;
}

/** The parts of the request that only an agent of this protocol can serve, with a name for users. */
const agentParts = new Map([
  ['hooks', 'hooks'],
  ['sdkMcpServers', 'tools of its own'],
  ['mcpServers', 'MCP servers'],
  ['plugins', 'plugins'],
  ['agents', 'sub-agents'],
  ['skills', 'a choice of skills'],
  ['jsonSchema', 'a schema for the answer'],
  ['settings', 'settings'],
  ['managedSettings', 'managed settings'],
  ['disallowedTools', 'disallowed tools'],
  ['toolAliases', 'other names of tools'],
  ['planModeInstructions', 'instructions for plan mode'],
  ['appendSubagentSystemPrompt', 'a system prompt for sub-agents'],
  ['promptSuggestions', 'suggestions of prompts'],
  ['agentProgressSummaries', 'summaries of sub-agents'],
]);

/**
 * The parts with instructions for the model. The gateway serves them if the agent takes instructions
 * (control-requests.ts).
 */
const promptParts = new Map([
  ['systemPrompt', 'a system prompt'],
  ['appendSystemPrompt', 'an addition to the system prompt'],
]);

/** The parts that describe the client itself or another part. Nothing is lost without them. */
const harmlessParts: ReadonlySet<string> = new Set([
  'subtype',
  'title',
  'codeRunningMcpTools',
  'excludeDynamicSections',
  'forwardNestedSubagentToolCalls',
  'forwardSubagentText',
  'keepsBypassHeld',
  'offersBypassSwitchBack',
  'perTaskStopAffordance',
  'rapidFollowupPreempt',
  'sdkMcpServerConfigs',
  'sdkMcpServerManifests',
  'sdkMcpServerManifestsOrigin',
  'supportedDialogKinds',
  'systemPromptSnapshot',
  'webSearchIsolationExemptMcpServers',
  'workspaceTrust',
]);

/** Unknown parts that are listed by name. */
const mostUnknown = 8;
const longestName = 64;

/** The names of the parts that are not served. `isInstructed`: the instructions reach the model. */
export function unservedIn(request: Request, isInstructed: boolean): string[] {
  const named = [...agentParts, ...(isInstructed ? [] : promptParts)];
  const known = named.flatMap(([field, words]) => (isRequested(request[field]) ? [words] : []));
  const unknown = Object.keys(request).filter(
    (field) =>
      !agentParts.has(field) && !promptParts.has(field) && !harmlessParts.has(field) && isRequested(request[field]),
  );
  return [...known, ...unknown.slice(0, mostUnknown).map((field) => field.slice(0, longestName))];
}

/**
 * Whether the client asks for something with this field. An empty text, list or object asks for nothing, nor does
 * `false`.
 */
function isRequested(value: unknown): boolean {
  if (Array.isArray(value)) return value.some((one) => isRequested(one));
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0;
  return typeof value === 'string' ? value.trim() !== '' : value !== undefined && value !== null && value !== false;
}
