// What is said in ACP, but not in the conversations of our own agent and client.
import type { Row, Side } from '../mutation/mutators.ts';

const rpc = (by: Side, message: object): Row => ({ by, json: { jsonrpc: '2.0', ...message } });
const session = { sessionId: 's' };
let requests = 0;
/** A request, and its answer. */
function asks(by: Side, method: string, params: object, result: unknown): readonly Row[] {
  requests += 1;
  const id = `${by} ${requests}`;
  return [rpc(by, { id, method, params }), rpc(by === 'agent' ? 'client' : 'agent', { id, result })];
}
const update = (sessionUpdate: string, more: object) =>
  rpc('agent', { method: 'session/update', params: { ...session, update: { sessionUpdate, ...more } } });

const clientCapabilities = {
  fs: { readTextFile: true, writeTextFile: true },
  terminal: true,
  session: { notices: {}, compaction: {} },
};
const servers = [
  { name: 'files', command: '/bin/files', args: ['-a'], env: [{ name: 'A', value: 'b' }] },
  { type: 'http', name: 'web', url: 'http://web', headers: [{ name: 'A', value: 'b' }] },
];
const place = { cwd: '/project', mcpServers: servers };
const terminal = { ...session, terminalId: 't' };
const mode = { currentModeId: 'plan', availableModes: [{ id: 'plan', name: 'Plan' }] };

/** A conversation of both sides. */
export const acpTalk: readonly Row[] = [
  ...asks(
    'client',
    'initialize',
    { protocolVersion: 1, clientCapabilities, clientInfo: { name: 'c', version: '1' } },
    {
      protocolVersion: 1,
      agentInfo: { name: 'a', version: '1' },
      agentCapabilities: {
        loadSession: true,
        mcpCapabilities: { http: true },
        sessionCapabilities: { list: {} },
      },
    },
  ),
  ...asks('client', 'session/list', {}, { sessions: [{ ...session, cwd: '/project', title: 'T' }], nextCursor: 'n' }),
  ...asks('client', 'session/load', { ...session, ...place, _meta: {} }, { modes: mode, _meta: {} }),
  ...asks('client', 'session/set_mode', { ...session, modeId: 'plan' }, {}),
  update('current_mode_update', { currentModeId: 'plan' }),
  update('notice', { severity: 'info', title: 'N', description: 'a notice' }),
  update('compaction_update', { compactionId: 'c', status: 'completed' }),
  rpc('client', { id: 'p', method: 'session/prompt', params: { ...session, prompt: [{ type: 'text', text: 'go' }] } }),
  update('tool_call', { toolCallId: 'c', title: 'C', status: 'completed', locations: [{ path: '/a', line: 1 }] }),
  rpc('agent', { id: 'p', result: { stopReason: 'end_turn' } }),
  ...asks('agent', 'fs/read_text_file', { ...session, path: '/a', line: 1, limit: 9 }, { content: 'a' }),
  ...asks('agent', 'fs/write_text_file', { ...session, path: '/a', content: 'a' }, {}),
  ...asks('agent', 'terminal/create', { ...session, command: 'ls', args: ['-a'], cwd: '/' }, { terminalId: 't' }),
  ...asks('agent', 'terminal/output', terminal, { output: '', truncated: false, exitStatus: { exitCode: 0 } }),
  ...asks('agent', 'terminal/wait_for_exit', terminal, { exitCode: 0, signal: null }),
  ...asks('agent', 'terminal/kill', terminal, {}),
  ...asks('agent', 'terminal/release', terminal, {}),
];
