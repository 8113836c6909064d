// What is said in the native format of Claude, but not in the conversations of our own agent and client.
import type { Row, Side } from '../mutation/mutators.ts';

const other: Readonly<Record<Side, Side>> = { agent: 'client', client: 'agent' };
/** A control request, and its answer. */
const asks = (by: Side, id: string, request: object, answer: object): readonly Row[] => [
  { by, json: { type: 'control_request', request_id: id, request } },
  { by: other[by], json: { type: 'control_response', response: { request_id: id, ...answer } } },
];
const done = (response: object) => ({ subtype: 'success', response });
const refused = (error_code: string) => ({ subtype: 'error', error: 'no', error_code });
const agent = (json: object): Row => ({ by: 'agent', json });

const greeting = {
  commands: [{ name: 'compact', description: 'shortens', argumentHint: '' }],
  models: [{ value: 'm', displayName: 'M', description: 'small' }],
  output_style: 'default',
  available_output_styles: ['default'],
};
const options = [{ label: 'red' }];
const question = { question: 'Which?', header: 'Colour', options, multiSelect: false };

/** A conversation with an agent. */
export const claudeAgentTalk: readonly Row[] = [
  ...asks('client', 'i', { subtype: 'initialize' }, done(greeting)),
  ...asks('client', 'm', { subtype: 'set_permission_mode', mode: 'no_such_mode' }, refused('invalid_mode')),
  ...asks('client', 't', { subtype: 'set_max_thinking_tokens', max_thinking_tokens: 9 }, done({})),
  ...asks('client', 's', { subtype: 'mcp_status' }, done({ mcpServers: [{ name: 'files', status: 'connected' }] })),
  ...asks('client', 'x', { subtype: 'no_such_request' }, refused('unsupported_request')),
  ...asks('client', 'a', { subtype: 'interrupt' }, done({ still_queued: [] })),
  agent({ type: 'error', message: 'no' }),
  agent({ type: 'tool_progress', tool_use_id: 'c', tool_name: 'Bash', elapsed_time_seconds: 30 }),
];

const leave = { subtype: 'can_use_tool', tool_name: 'AskUserQuestion', input: { questions: [question] } };

/** What a client says. */
export const claudeClientTalk: readonly Row[] = [
  ...asks('client', 'i', { subtype: 'initialize', hooks: { Stop: [{ hookCallbackIds: ['h'] }] } }, done(greeting)),
  ...asks('client', 't', { subtype: 'set_max_thinking_tokens', max_thinking_tokens: 9 }, done({})),
  ...asks('agent', 'c', leave, done({ behavior: 'deny', message: 'no', interrupt: false })),
  ...asks('agent', 'd', leave, done({ behavior: 'allow', updatedPermissions: [{ type: 'addRules' }] })),
  ...asks('agent', 'h', { subtype: 'hook_callback', callback_id: 'h' }, done({ continue: true })),
];
