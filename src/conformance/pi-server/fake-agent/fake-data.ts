// The answers of our fake pi-server, by command, in the shapes of shapes/answers.ts.
import type { Dictionary } from '../../../core/model/content.ts';

/** A session of the fake server. */
export interface FakeSession {
  readonly id: string;
  version: number;
  name: string | null;
  readonly messages: Dictionary[];
}

const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
const model = {
  id: 'conformance-1',
  name: 'Conformance',
  api: 'anthropic-messages',
  provider: 'conformance',
  baseUrl: 'http://127.0.0.1',
  reasoning: false,
  input: ['text'],
  cost,
  contextWindow: 100_000,
  maxTokens: 1000,
};

/** The description of a session. */
export function infoOf({ id, name, messages }: FakeSession): Dictionary {
  return {
    sessionId: id,
    ...(name === null ? {} : { sessionName: name }),
    sessionFile: `/tmp/conformance/${id}.jsonl`,
    model,
    thinkingLevel: 'off',
    isStreaming: false,
    messageCount: messages.length,
    createdAt: '2026-01-01T00:00:00.000Z',
  };
}

const zero = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };

/** The data of a successful session command; undefined where the command has none. */
export function dataFor(session: FakeSession, { type, command }: Dictionary): Dictionary | null | undefined {
  const { id: sessionId, messages } = session;
  const lists: ReadonlyMap<unknown, Dictionary | null> = new Map<unknown, Dictionary | null>([
    ['get_state', infoOf(session)],
    ['get_messages', { messages }],
    ['get_available_models', { models: [model] }],
    ['get_commands', { commands: [] }],
    ['get_skills', { skills: [] }],
    ['get_tools', { tools: [{ name: 'bash', description: 'Runs a command' }] }],
    ['list_session_files', { files: [] }],
    ['set_model', { model }],
    ['cycle_model', null],
    ['cycle_thinking_level', null],
    ['bash', { exitCode: 0, output: `${String(command)}\n`, cancelled: false }],
    ['compact', { summary: 'short', firstKeptEntryId: 'entry', tokensBefore: 10, details: {} }],
    ['get_context_usage', { tokens: 8, contextWindow: 100_000, percent: 0 }],
    ['get_fork_messages', { messages: [] }],
    ['fork', { text: '', cancelled: false }],
    ['new_session', { cancelled: false }],
    ['switch_session_file', { cancelled: false }],
    ['export_html', { path: `/tmp/conformance/${sessionId}.html` }],
    ['get_last_assistant_text', { text: null }],
    [
      'get_session_stats',
      {
        sessionFile: `/tmp/conformance/${sessionId}.jsonl`,
        sessionId,
        userMessages: 0,
        assistantMessages: 0,
        toolCalls: 0,
        toolResults: 0,
        totalMessages: messages.length,
        tokens: zero,
        cost: 0,
      },
    ],
  ]);
  return lists.get(type);
}

/** The data of a successful server command. */
export function serverDataFor(type: unknown, sessions: readonly FakeSession[]): Dictionary | undefined {
  const metrics = { sessionCount: sessions.length, connectionCount: 1, totalCommandsExecuted: 0 };
  const answers: ReadonlyMap<unknown, Dictionary> = new Map<unknown, Dictionary>([
    ['list_sessions', { sessions: sessions.map(infoOf) }],
    ['list_stored_sessions', { sessions: [] }],
    ['health_check', { healthy: true, issues: [], hasOpenCircuit: false, hasOpenBashCircuit: false }],
    ['get_metrics', metrics],
  ]);
  return answers.get(type);
}
