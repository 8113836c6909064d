// The control frames that a client on the network may pass through to an agent of this protocol: nothing that names a
// program, a path or a setting of the machine, and nothing unknown (docs/threats.md T8).
import { z } from 'zod';

/** Requests that name only what the agent already has. */
const PlainRequest = z.looseObject({
  subtype: z.enum([
    'background_tasks',
    'cancel_async_message',
    'get_binary_version',
    'get_context_usage',
    'get_session_cost',
    'get_task_output',
    'get_usage',
    'list_models',
    'mcp_reconnect',
    'mcp_status',
    'mcp_toggle',
    'reload_output_styles',
    'reload_skills',
    'rewind_files',
    'set_color',
    'set_has_subscribers',
    'stop_task',
  ]),
});

/** Fields with any value. */
function fields(...names: readonly string[]) {
  return Object.fromEntries(names.map((name) => [name, z.unknown().optional()]));
}

/** Excludes `mcpServers`, which are programs, and `permissionMode`, which could switch off questions to the user. */
const SubAgent = z.strictObject({
  ...fields('description', 'prompt', 'initialPrompt', 'criticalSystemReminder_EXPERIMENTAL', 'omitClaudeMd'),
  ...fields('tools', 'disallowedTools', 'skills', 'model', 'effort', 'maxTurns', 'autoCompactWindow', 'background'),
});

/** Hooks that the client runs itself. Other hooks are programs. */
const Hook = z.strictObject(
  fields('matcher', 'hookCallbackIds', 'timeout', 'onFailure', 'contextOnly', 'replacedByFrame', 'whenUnanswered'),
);

/** Excludes `mcpServers` and `plugins`, which are programs. */
const Initialize = z.strictObject({
  subtype: z.literal('initialize'),
  hooks: z.record(z.string(), z.array(Hook)).nullish(),
  agents: z.record(z.string(), SubAgent).nullish(),
  ...fields('sdkMcpServers', 'sdkMcpServerConfigs', 'sdkMcpServerManifests', 'sdkMcpServerManifestsOrigin'),
  ...fields('systemPrompt', 'appendSystemPrompt', 'systemPromptSnapshot', 'planModeInstructions', 'jsonSchema'),
  ...fields('toolAliases', 'excludeDynamicSections', 'title', 'skills', 'promptSuggestions', 'supportedDialogKinds'),
  ...fields('agentProgressSummaries', 'forwardSubagentText', 'perTaskStopAffordance', 'rapidFollowupPreempt'),
  ...fields('appendSubagentSystemPrompt', 'disallowedTools', 'forwardNestedSubagentToolCalls'),
});

const Passable = z.union([
  z.looseObject({ type: z.literal('control_request'), request: z.union([PlainRequest, Initialize]) }),
  // The backend passes an answer on only if the agent has asked for it.
  z.looseObject({ type: z.literal('control_response') }),
]);

/** See Adapter. */
export function allowsPassthrough(payload: unknown): boolean {
  return Passable.safeParse(payload).success;
}
