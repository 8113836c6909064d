// What clients may send to an agent of their own protocol. Over the network: nothing that names a program, a path or a
// setting of the machine (docs/threats.md T8, T23). On stdio: anything, because such a client could do the same itself.
import { afterEach, expect, test } from 'vitest';
import { parseConfig } from '../../src/config/config.ts';
import { within } from '../../src/conformance/bounded-wait.ts';
import { createGateway } from '../../src/gateway/full-gateway.ts';
import { clientTransports } from '../support/client-transports.ts';

const suggestion = { type: 'addRules', rules: [{ toolName: 'Bash' }], behavior: 'allow', destination: 'session' };

/**
 * An agent that grants each control request and returns the request as `heard`. On a prompt it asks for permission, and
 * returns the updated permissions of the answer as its result.
 */
const granting = `
  const say = (frame) => process.stdout.write(JSON.stringify(frame) + '\\n');
  const asks = { subtype: 'can_use_tool', tool_name: 'Bash', input: {}, permission_suggestions: [${JSON.stringify(suggestion)}] };
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { type, request_id, request, response } = JSON.parse(line);
    if (type === 'control_request') {
      say({ type: 'control_response', response: { subtype: 'success', request_id, response: { heard: request } } });
    } else if (type === 'user') {
      say({ type: 'system', subtype: 'init', session_id: 's', cwd: '/', tools: [], model: 'm' });
      say({ type: 'control_request', request_id: 'leave', request: asks });
    } else {
      const result = JSON.stringify(response.response.updatedPermissions ?? null);
      say({ type: 'assistant', message: { role: 'assistant', content: [{ type: 'text', text: result }] } });
      say({ type: 'result', subtype: 'success', is_error: false, result, session_id: 's' });
    }
  });`;

const config = { agents: { granting: { protocol: 'claude', command: [process.execPath, '-e', granting] } } };

const disposals: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const dispose of disposals.splice(0)) await dispose();
});

interface Answered {
  readonly type: string;
  readonly request_id?: string;
  readonly result?: string;
  readonly response?: { readonly request_id: string; readonly response?: { readonly heard?: object } };
}

/** A client. `ask` returns the request as the agent got it. */
async function connect(transport: string) {
  const gateway = createGateway(parseConfig(config), { log: () => {} });
  const reach = clientTransports.get(transport);
  if (reach === undefined) throw new Error(`no transport ${transport}`);
  const { channel, dispose } = await reach(gateway, 'claude', 'granting');
  const frames: Answered[] = [];
  const watchers = new Set<() => void>();
  channel.open({
    frame(frame) {
      frames.push(JSON.parse(frame.text));
      for (const watcher of watchers) watcher();
    },
    fault: () => {},
    end: () => {},
  });
  disposals.push(async () => {
    channel.close('normal', 'the test is over');
    gateway.close('the test is over');
    await dispose();
  });
  let count = 0;
  return {
    send: (frame: object) => channel.send(JSON.stringify(frame)),
    hear: (what: string, isIt: (frame: Answered) => boolean) => within(what, watchers, () => frames.find(isIt)),
    async ask(request: object): Promise<object | undefined> {
      count += 1;
      const id = `r${count}`;
      this.send({ type: 'control_request', request_id: id, request });
      return (await this.hear('an answer', ({ response }) => response?.request_id === id)).response?.response?.heard;
    },
  };
}

const program = { command: 'sh', args: ['-c', 'touch /tmp/owned'] };
const hook = { PreToolUse: [{ matcher: 'Bash', hookCallbackIds: ['hook_0'] }] };
const passed: object[] = [
  { subtype: 'mcp_reconnect', serverName: 'files' },
  { subtype: 'stop_task', task_id: 't' },
  { subtype: 'initialize', hooks: hook, sdkMcpServers: ['calc'], systemPrompt: ['Be short.'] },
  { subtype: 'initialize', agents: { scout: { description: 'looks', prompt: 'Look.', model: 'haiku' } } },
];
const kept: object[] = [
  { subtype: 'mcp_set_servers', servers: { x: program } },
  { subtype: 'apply_flag_settings', settings: { env: { A: 'b' } } },
  { subtype: 'update_settings', source: 'userSettings', settings: {} },
  { subtype: 'read_file', path: '/etc/passwd' },
  { subtype: 'get_settings' },
  { subtype: 'not_known_yet' },
  { subtype: 'initialize', mcpServers: { x: program } },
  { subtype: 'initialize', plugins: [{ type: 'local', path: '/tmp' }] },
  { subtype: 'initialize', hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: 'touch /tmp/owned' }] }] } },
  { subtype: 'initialize', agents: { scout: { description: '', prompt: '', mcpServers: [{ x: program }] } } },
  { subtype: 'initialize', agents: { scout: { description: '', prompt: '', permissionMode: 'bypassPermissions' } } },
];

const network = ['websocket', 'sse'];
const ours = ['memory', 'stdio'];

test.each(network)('word for word, over %s', async (transport) => {
  const client = await connect(transport);
  for (const request of passed) expect(await client.ask(request)).toEqual(request);
  for (const request of kept) expect({ request, heard: await client.ask(request) }).toEqual({ request });
});

test.each(ours)('word for word, of who owns the process: %s', async (transport) => {
  const client = await connect(transport);
  for (const request of [...passed, ...kept]) expect(await client.ask(request)).toEqual(request);
});

const bypass = { type: 'setMode', mode: 'bypassPermissions', destination: 'userSettings' };

test.each([
  ...network.map((transport) => [transport, [suggestion]] as const),
  ...ours.map((transport) => [transport, [bypass, suggestion]] as const),
])('permissions to remember: %s', async (transport, remembered) => {
  const { send, hear } = await connect(transport);
  send({ type: 'user', message: { role: 'user', content: 'go' } });
  await hear('the question', ({ request_id }) => request_id === 'leave');
  const response = { behavior: 'allow', updatedPermissions: [bypass, suggestion] };
  send({ type: 'control_response', response: { subtype: 'success', request_id: 'leave', response } });
  const { result } = await hear('the result', ({ type }) => type === 'result');
  expect(JSON.parse(result ?? '')).toEqual(remembered);
});
