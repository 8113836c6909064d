// The greeting of the control protocol: what a client offers and asks for, and what it is told of an agent that does not
// speak for itself (docs/protocols/claude.md 3.2). Pure.
import { z } from 'zod';
import type { Instructions } from '../../../core/contract/instructions.ts';
import type { SessionInfo } from '../../../core/model/event.ts';
import type { SlashCommand } from './slash-commands.ts';
import type { ControlRequestFrame } from '../wire/client.ts';

type Request = ControlRequestFrame['request'];

/** `models` and `commands` are served from here by the SDK, without another message (docs/protocols/claude.md 3.2). */
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
    ...verdicts(request),
  };
}

/**
 * The name under which a client is told whether that part of its greeting counts (Agent SDK 0.3.330, `Query.initialize`).
 * The SDK ends a session that says nothing of its MCP servers, or no `true` of its settings or disallowed tools.
 */
const answers = new Map([
  ['hooks', 'hooks_applied'],
  ['plugins', 'plugins_applied'],
  ['mcpServers', 'mcp_servers_applied'],
  ['codeRunningMcpTools', 'code_running_mcp_tools_applied'],
  ['settings', 'settings_applied'],
  ['managedSettings', 'managed_settings_applied'],
  ['disallowedTools', 'disallowed_tools_applied'],
]);

/** Of nothing, everything has been applied. Absent where a client sent no such part, as Claude Code has it. */
function verdicts(request: Request): object {
  const told = [...answers].flatMap(([field, name]) => {
    const part = request[field];
    return part === undefined || part === null ? [] : [[name, !isOffered(part)] as const];
  });
  const manifests = Manifests.safeParse(request).data;
  const names = manifests?.sdkMcpServers.filter((name) => Object.hasOwn(manifests.sdkMcpServerManifests, name)) ?? [];
  const parked = names.map((name) => [name, 'not_honoured']);
  return {
    ...Object.fromEntries(told),
    ...(parked.length === 0 ? {} : { sdk_mcp_manifests_parked: Object.fromEntries(parked) }),
  };
}

const Manifests = z.looseObject({
  sdkMcpServers: z.array(z.string()),
  sdkMcpServerManifests: z.record(z.string(), z.unknown()),
});

const Prompts = z.looseObject({
  /** A list, and one text in versions that nobody saw. */
  systemPrompt: z.union([z.string().transform((text) => [text]), z.array(z.string())]).catch([]),
  appendSystemPrompt: z.string().catch(''),
});

/** A mark for caches (Agent SDK, `SYSTEM_PROMPT_DYNAMIC_BOUNDARY`), which is no word for the model. */
const boundary = /^__SYSTEM_PROMPT_DYNAMIC_BOUNDARY__$\n?/gmu;

/** A system prompt as the model is to read it. Empty where nothing is said: SDKs always send one. */
export function promptText(parts: readonly string[]): string {
  return parts
    .map((part) => part.replace(boundary, ''))
    .filter((part) => part.trim() !== '')
    .join('\n\n');
}

/** What a greeting has the model be told; null: nothing. */
export function instructionsIn(request: Request): Instructions | null {
  const { systemPrompt, appendSystemPrompt } = Prompts.parse(request);
  return instructionsOf(promptText(systemPrompt), promptText([appendSystemPrompt]));
}

/** Empty texts say nothing. */
export function instructionsOf(text: string, addition: string): Instructions | null {
  if (text === '' && addition === '') return null;
  return { ...(text === '' ? {} : { text }), ...(addition === '' ? {} : { addition }) };
}

/** The title that a client gives its session; null: none. */
export function titleIn({ title }: Request): string | null {
  return typeof title === 'string' && title.trim() !== '' ? title : null;
}

/** The parts of a greeting that only an agent of this protocol can serve, and what people call them. */
const offers = new Map([
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

/** The parts that the gateway serves, if anybody can (control.ts). */
const prompts = new Map([
  ['systemPrompt', 'a system prompt'],
  ['appendSystemPrompt', 'an addition to the system prompt'],
]);

/** The parts that say something of the client itself, or of another part: nothing is lost without them. */
const idle: ReadonlySet<string> = new Set([
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

/** Parts of versions to come that are told by their names. */
const mostUnknown = 8;
const longestName = 64;

/** What of a greeting is not served, in words. `isTold`: its instructions reach the model. */
export function unservedIn(request: Request, isTold: boolean): string[] {
  const named = [...offers, ...(isTold ? [] : prompts)];
  const known = named.flatMap(([field, words]) => (isOffered(request[field]) ? [words] : []));
  const unknown = Object.keys(request).filter(
    (field) => !offers.has(field) && !prompts.has(field) && !idle.has(field) && isOffered(request[field]),
  );
  return [...known, ...unknown.slice(0, mostUnknown).map((field) => field.slice(0, longestName))];
}

/** Anything but nothing: no text, no entries, no `true`. */
function isOffered(value: unknown): boolean {
  if (Array.isArray(value)) return value.some((one) => isOffered(one));
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0;
  return typeof value === 'string' ? value.trim() !== '' : value !== undefined && value !== null && value !== false;
}
