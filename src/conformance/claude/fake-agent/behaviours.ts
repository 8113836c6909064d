// The behaviours of our fake Claude Code: the frames of one turn, in the strict grammar (docs/protocols/claude.md 4).
import type { Dictionary } from '../../../core/model/content.ts';
import { dictionaryOf, isDictionary } from '../../../core/model/dictionary.ts';
import type { Behaviour } from '../../check/sets.ts';

/** Behaviours that a prompt can request by name. */
export const behaviours: readonly Behaviour[] = [
  { name: 'text', title: 'Thoughts, then text, in pieces.' },
  { name: 'permission', title: 'A tool that waits for permission.' },
  { name: 'parallel', title: 'Two tools in one message; each waits for permission.' },
  { name: 'withdrawn', title: 'A request for permission that is withdrawn at once.' },
  { name: 'endless', title: 'Text that goes on until it is interrupted.' },
  { name: 'fail', title: 'A turn that ends with an error.' },
  {
    name: 'unknown',
    title: 'Messages, blocks and fields of a later version, and a request for permission behind them.',
  },
  { name: 'subagent', title: 'A sub-agent that uses a tool.' },
  { name: 'hooks', title: 'The hooks that the client has registered; else text.' },
  { name: 'mcp', title: 'The tool servers that the client has registered; else text.' },
];

/** The actions that a behaviour can use. */
export interface BehaviourPorts {
  /** Session id, part of every frame. */
  readonly session: string;
  /** The client's `initialize` request. */
  readonly initialize: Dictionary;
  send(frame: Dictionary): void;
  /** Sends a request and waits for the answer. Null: no answer in time, or an interrupt. */
  ask(request: Dictionary): Promise<Dictionary | null>;
  /** Sends a request and cancels it at once; resolves when a late answer has had time to arrive. */
  askAndWithdraw(request: Dictionary): Promise<void>;
  /** Resolves when the client interrupts or disconnects. */
  interrupted(): Promise<void>;
  mint(word: string): string;
}

const usage = { input_tokens: 3, output_tokens: 1, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 };
const model = 'conformance-1';

/** Runs one turn, from `init` to `result`. */
export async function runBehaviour(name: string, ports: BehaviourPorts): Promise<void> {
  const { session, mint, initialize } = ports;
  const say = (frame: Dictionary) => ports.send({ ...frame, session_id: session, uuid: crypto.randomUUID() });
  let turns = 1;

  /** One message of the model: every block is streamed in pieces and then repeated complete. */
  function message(blocks: readonly Dictionary[], stopReason: string | null): void {
    const id = mint('msg');
    const head = { id, type: 'message', role: 'assistant', model, stop_reason: null, stop_sequence: null, usage };
    const event = (fields: Dictionary) => say({ type: 'stream_event', event: fields, parent_tool_use_id: null });
    event({ type: 'message_start', message: { ...head, content: [] } });
    for (const [index, block] of blocks.entries()) {
      event({ type: 'content_block_start', index, content_block: blank(block) });
      for (const delta of deltasOf(block)) event({ type: 'content_block_delta', index, delta });
      say({ type: 'assistant', message: { ...head, content: [block] }, parent_tool_use_id: null });
      event({ type: 'content_block_stop', index });
    }
    event({
      type: 'message_delta',
      delta: { stop_reason: stopReason, stop_sequence: null },
      usage: { output_tokens: 9 },
    });
    event({ type: 'message_stop' });
  }
  const text = (words: string): Dictionary => ({ type: 'text', text: words });
  const call = (command: string): Call => ({ type: 'tool_use', id: mint('toolu'), name: 'Bash', input: { command } });
  interface Call extends Dictionary {
    readonly id: string;
  }

  function returned({ id }: Call, content: string, isError: boolean, parent: string | null = null): void {
    turns += 1;
    const block = { type: 'tool_result', tool_use_id: id, content, is_error: isError };
    say({ type: 'user', message: { role: 'user', content: [block] }, parent_tool_use_id: parent });
  }
  const permission = ({ id, name: tool, input }: Call): Dictionary => ({
    subtype: 'can_use_tool',
    tool_name: tool,
    input,
    tool_use_id: id,
    permission_suggestions: [],
  });
  async function permitted(one: Call): Promise<void> {
    const answer = await ports.ask(permission(one));
    const isAllowed = answer?.behavior === 'allow';
    returned(one, isAllowed ? 'hello' : String(answer?.message ?? 'Permission denied'), !isAllowed);
  }

  function result(fields: Dictionary): void {
    say({
      type: 'result',
      subtype: 'success',
      is_error: false,
      duration_ms: 5,
      duration_api_ms: 4,
      num_turns: turns,
      stop_reason: 'end_turn',
      total_cost_usd: 0,
      usage,
      modelUsage: {},
      permission_denials: [],
      ...fields,
    });
  }
  function end(words = 'hello from conformance'): void {
    message([text(words)], 'end_turn');
    result({ result: words });
  }

  async function hooks(): Promise<void> {
    const one = call('echo hello');
    message([one], 'tool_use');
    for (const [event, matchers] of Object.entries(dictionaryOf(initialize.hooks))) {
      for (const matcher of Array.isArray(matchers) ? matchers : []) {
        const ids: unknown = dictionaryOf(matcher).hookCallbackIds;
        const input = {
          hook_event_name: event,
          tool_name: one.name,
          tool_input: one.input,
          session_id: session,
          cwd: '/',
        };
        for (const callback of Array.isArray(ids) ? ids : [])
          await ports.ask({ subtype: 'hook_callback', callback_id: callback, input, tool_use_id: one.id });
      }
    }
    returned(one, 'hello', false);
  }

  async function servers(): Promise<void> {
    const names = Array.isArray(initialize.sdkMcpServers) ? initialize.sdkMcpServers : [];
    const clientInfo = { name: 'conformance', version: '1' };
    const hello = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
    for (const server of names) {
      const message_ = (message: Dictionary) => ports.ask({ subtype: 'mcp_message', server_name: server, message });
      await message_({ jsonrpc: '2.0', id: 0, method: 'initialize', params: hello });
      await message_({ jsonrpc: '2.0', method: 'notifications/initialized' });
      await message_({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    }
  }

  function subagent(): void {
    const agent = { ...call(''), name: 'Agent', input: { description: 'look', prompt: 'look around' } };
    message([agent], 'tool_use');
    const inner = call('ls');
    const head = { id: mint('msg'), type: 'message', role: 'assistant', model, stop_reason: null, stop_sequence: null };
    say({ type: 'assistant', message: { ...head, usage, content: [inner] }, parent_tool_use_id: agent.id });
    returned(inner, 'a file', false, agent.id);
    turns -= 1;
    returned(agent, 'all looked at', false);
  }

  async function unknown(): Promise<void> {
    say({ type: 'weather_report', sky: 'clear' });
    say({ type: 'system', subtype: 'constellation_changed', stars: 2 });
    say({ type: 'rate_limit_event', rate_limit_info: { status: 'allowed' } });
    message([{ type: 'hologram', shape: 'cube' }, text('look')], 'end_turn');
    const one = call('echo new');
    message([one], 'tool_use');
    await permitted(one);
  }

  async function endless(): Promise<void> {
    const id = mint('msg');
    const head = { id, type: 'message', role: 'assistant', model, stop_reason: null, stop_sequence: null, usage };
    const event = (fields: Dictionary) => say({ type: 'stream_event', event: fields, parent_tool_use_id: null });
    event({ type: 'message_start', message: { ...head, content: [] } });
    event({ type: 'content_block_start', index: 0, content_block: text('') });
    event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'and on' } });
    await ports.interrupted();
    const content = [text('and on')];
    say({ type: 'assistant', message: { ...head, content }, parent_tool_use_id: null, aborted: true });
    const marker = [text('[Request interrupted by user]')];
    say({ type: 'user', message: { role: 'user', content: marker }, parent_tool_use_id: null });
    event({ type: 'content_block_stop', index: 0 });
    event({ type: 'message_delta', delta: { stop_reason: null, stop_sequence: null }, usage: { output_tokens: 2 } });
    event({ type: 'message_stop' });
    turns += 1;
    const fields = { subtype: 'error_during_execution', is_error: true, stop_reason: null };
    result({ ...fields, errors: ['interrupted'], terminal_reason: 'aborted_streaming' });
  }

  say({
    type: 'system',
    subtype: 'init',
    cwd: '/',
    tools: ['Bash', 'Read'],
    mcp_servers: [],
    model,
    permissionMode: 'default',
    slash_commands: [],
    apiKeySource: 'none',
    claude_code_version: '2.1.0',
    output_style: 'default',
    agents: [],
    skills: [],
    plugins: [],
  });
  ports.send({ type: 'keep_alive' });
  switch (name) {
    case 'endless':
      return endless();
    case 'fail':
      return result({ subtype: 'error_max_turns', is_error: true, errors: ['Reached maximum number of turns (1)'] });
    case 'permission': {
      const one = call('echo hello');
      message([text('I look.'), one], 'tool_use');
      await permitted(one);
      return end();
    }
    case 'parallel': {
      const all = [call('echo one'), call('echo two')];
      message(all, 'tool_use');
      for (const one of all) await permitted(one);
      return end();
    }
    case 'withdrawn': {
      const one = call('echo late');
      message([one], 'tool_use');
      await ports.askAndWithdraw(permission(one));
      returned(one, 'Permission was not needed', false);
      return end();
    }
    case 'unknown':
      await unknown();
      return end();
    case 'subagent':
      subagent();
      return end();
    case 'hooks':
      await hooks();
      return end();
    case 'mcp':
      await servers();
      return end();
    default:
      message(
        [{ type: 'thinking', thinking: 'let me see', signature: 'signed' }, text('hello from conformance')],
        'end_turn',
      );
      return result({ result: 'hello from conformance' });
  }
}

/** The block as its start event shows it. */
function blank(block: Dictionary): Dictionary {
  if (block.type === 'text') return { ...block, text: '' };
  if (block.type === 'thinking') return { ...block, thinking: '', signature: '' };
  return block.type === 'tool_use' ? { ...block, input: {} } : block;
}

/** The deltas of a block. */
function deltasOf(block: Dictionary): Dictionary[] {
  const pieces = (words: unknown) => String(words).match(/\S+\s*/gu) ?? [];
  if (block.type === 'text') return pieces(block.text).map((text) => ({ type: 'text_delta', text }));
  if (block.type === 'thinking') {
    const thoughts: Dictionary[] = pieces(block.thinking).map((thinking) => ({ type: 'thinking_delta', thinking }));
    return [...thoughts, { type: 'signature_delta', signature: block.signature }];
  }
  const { input } = block;
  return isDictionary(input) ? [{ type: 'input_json_delta', partial_json: JSON.stringify(input) }] : [];
}
