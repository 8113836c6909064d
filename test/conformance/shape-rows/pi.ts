// What agents of pi say, but not in the conversations of our own agent and client.
import type { Row } from '../mutation/mutators.ts';

const model = { id: 'm', provider: 'p' };

/** A command, and the data that it is answered with. */
const answered = (type: string, data: unknown): readonly Row[] => [
  { by: 'client', json: { id: type, type } },
  { by: 'agent', json: { id: type, type: 'response', command: type, success: true, data } },
];

/** Commands without a run. */
export const piAgent: readonly Row[] = [
  ...answered('get_available_models', { models: [model] }),
  ...answered('cycle_model', { model, thinkingLevel: 'off', isScoped: false }),
  ...answered('cycle_thinking_level', { level: 'low' }),
  ...answered('get_session_stats', {
    ...{ sessionFile: '/session.jsonl', sessionId: 's' },
    ...{ userMessages: 0, assistantMessages: 0, toolCalls: 0, toolResults: 0, totalMessages: 0 },
    tokens: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
    cost: 0,
  }),
  ...answered('get_fork_messages', { messages: [{ entryId: 'e', text: 'hi' }] }),
  ...answered('get_last_assistant_text', { text: 'hello' }),
  { by: 'agent', json: { type: 'bash_execution_update', delta: 'out' } },
  { by: 'agent', json: { type: 'extension_error', extensionPath: '/x.ts', event: 'start', error: 'no' } },
];
