// Hand-made recordings of a Claude agent, for what the recorded ones may lack: each is one row of the table of departures
// (docs/protocols/claude.md 5, 6, 7). Knows the wire and nothing of the gateway.
import type { TraceRow } from './translate.ts';

type Json = Record<string, unknown>;

const out = (frame: Json): TraceRow => ({ dir: 'out', line: JSON.stringify(frame) });
const into = (frame: Json): TraceRow => ({ dir: 'in', line: JSON.stringify(frame) });
const says = (text: string): TraceRow =>
  into({
    type: 'user',
    session_id: '',
    message: { role: 'user', content: [{ type: 'text', text }] },
    parent_tool_use_id: null,
  });

const main = { parent_tool_use_id: null, session_id: 's', uuid: 'u' };
const figures = { input_tokens: 3, output_tokens: 1, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 };
const api = (id: string, content: readonly Json[] = []) => ({
  id,
  type: 'message',
  role: 'assistant',
  model: 'hand-1',
  content,
  stop_reason: null,
  stop_sequence: null,
  usage: figures,
});
/** Events of one message. */
function stream(id: string) {
  const event = (fields: Json, more: Json = {}) =>
    out({ type: 'stream_event', event: fields, ...main, api_message_id: id, ...more });
  return {
    start: () => event({ type: 'message_start', message: api(id) }),
    begin: (index: number, block: Json) => event({ type: 'content_block_start', index, content_block: block }),
    delta: (index: number, delta: Json) => event({ type: 'content_block_delta', index, delta }),
    copy: (block: Json, more: Json = {}) => out({ type: 'assistant', message: api(id, [block]), ...main, ...more }),
    stop: (index: number) => event({ type: 'content_block_stop', index }),
    delta_end: (reason: string | null) =>
      event({
        type: 'message_delta',
        delta: { stop_reason: reason, stop_sequence: null },
        usage: { output_tokens: 9 },
      }),
    end: (more: Json = {}) => event({ type: 'message_stop' }, more),
  };
}

const initWith = (fields: Json) =>
  out({
    type: 'system',
    subtype: 'init',
    cwd: '/w',
    tools: ['Bash'],
    mcp_servers: [],
    model: 'hand-1',
    permissionMode: 'default',
    slash_commands: [],
    apiKeySource: 'none',
    claude_code_version: '2.1.329',
    output_style: 'default',
    agents: [],
    skills: [],
    plugins: [],
    session_id: 's',
    uuid: 'u',
    ...fields,
  });
const init = initWith({});
const requesting = out({ type: 'system', subtype: 'status', status: 'requesting', session_id: 's', uuid: 'u' });
const result = (fields: Json = {}, index = 0) =>
  out({
    type: 'result',
    subtype: 'success',
    is_error: false,
    duration_ms: 1,
    duration_api_ms: 1,
    num_turns: 1,
    result: 'done',
    stop_reason: 'end_turn',
    session_id: 's',
    total_cost_usd: 0.5,
    usage: figures,
    modelUsage: {},
    permission_denials: [],
    terminal_reason: 'completed',
    uuid: 'u',
    result_index: index,
    queued_turn_count: 0,
    ...fields,
  });
const answer = (call: string, content: unknown, more: Json = {}) =>
  out({
    type: 'user',
    message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: call, content, is_error: false }] },
    ...main,
    tool_use_result: { stdout: content },
    ...more,
  });
const task = (subtype: string, id: string, toolUse: string, more: Json) =>
  out({ type: 'system', subtype, task_id: id, tool_use_id: toolUse, ...more, session_id: 's', uuid: 'u' });
const inName = (text: string, more: Json = {}) =>
  out({ type: 'user', message: { role: 'user', content: [{ type: 'text', text }] }, ...main, ...more });

/** The event of a version that knows more; its frame as well. */
const newer = (event: Json, more: unknown): TraceRow =>
  out({ type: 'stream_event', event, ...main, api_message_id: 'msg_1', newer: more });

/** A message of one text. */
function text(id: string, words: string, reason: string | null = 'end_turn'): TraceRow[] {
  const said = stream(id);
  return [
    said.start(),
    said.begin(0, { type: 'text', text: '' }),
    said.delta(0, { type: 'text_delta', text: words }),
    said.copy({ type: 'text', text: words }),
    said.stop(0),
    said.delta_end(reason),
    said.end(),
  ];
}

/** A block that calls a tool, whole. */
function call(said: ReturnType<typeof stream>, index: number, id: string, input: Json, name = 'Bash'): TraceRow[] {
  const block = { type: 'tool_use', id, name, input };
  return [
    said.begin(index, { ...block, input: {} }),
    said.delta(index, { type: 'input_json_delta', partial_json: '' }),
    said.delta(index, { type: 'input_json_delta', partial_json: JSON.stringify(input) }),
    said.copy(block),
    said.stop(index),
  ];
}

const permission = (id: string, tool: string, input: Json, toolUse: string, more: Json = {}) =>
  out({
    type: 'control_request',
    request_id: id,
    request: { subtype: 'can_use_tool', tool_name: tool, input, tool_use_id: toolUse, display_name: tool, ...more },
  });
const permits = (id: string, response: Json) =>
  into({ type: 'control_response', response: { subtype: 'success', request_id: id, response } });

const questions = {
  questions: [
    {
      question: 'Which cable?',
      header: 'Cable',
      options: [
        { label: 'red', description: '' },
        { label: 'blue', description: '' },
      ],
      multiSelect: false,
    },
  ],
};

function recordings(): Record<string, TraceRow[]> {
  const one = stream('msg_1');
  const two = stream('msg_2');
  const ls = { command: 'ls' };
  return {
    'a question': [
      says('ask me'),
      init,
      requesting,
      one.start(),
      ...call(one, 0, 'q1', questions, 'AskUserQuestion'),
      permission('ask-1', 'AskUserQuestion', questions, 'q1'),
      permits('ask-1', { behavior: 'allow', updatedInput: { ...questions, answers: { 'Which cable?': 'red' } } }),
      one.delta_end('tool_use'),
      one.end(),
      answer('q1', 'User has answered: red'),
      ...text('msg_2', 'Red it is.'),
      result({ num_turns: 2 }),
    ],
    'several questions': [
      says('ask me more'),
      init,
      one.start(),
      ...call(one, 0, 'q1', { questions: [...questions.questions, ...questions.questions] }, 'AskUserQuestion'),
      permission('ask-1', 'AskUserQuestion', { questions: [...questions.questions, ...questions.questions] }, 'q1'),
      permits('ask-1', { behavior: 'deny', message: 'no time' }),
      one.delta_end('tool_use'),
      one.end(),
      answer('q1', 'no time', { tool_use_result: 'Error: no time' }),
      result({ num_turns: 2 }),
    ],
    'a call that was given up': [
      says('go'),
      init,
      one.start(),
      one.begin(0, { type: 'text', text: '' }),
      one.delta(0, { type: 'text_delta', text: 'I run it.' }),
      one.copy({ type: 'text', text: 'I run it.' }),
      one.stop(0),
      one.begin(1, { type: 'tool_use', id: 't1', name: 'Bash', input: {} }),
      one.delta(1, { type: 'input_json_delta', partial_json: '{"comm' }),
      one.stop(1),
      one.end({ abandoned_blocks: { api_message_id: 'msg_1', from_block_index: 1 } }),
      inName('Your response above was cut off.', { isSynthetic: true }),
      requesting,
      ...text('msg_2', 'Again.'),
      result({ num_turns: 2 }),
    ],
    'a result in the middle of a message': [
      says('go'),
      init,
      one.start(),
      ...call(one, 0, 't1', ls),
      one.begin(1, { type: 'text', text: '' }),
      one.delta(1, { type: 'text_delta', text: 'and ' }),
      answer('t1', 'a.txt'),
      one.delta(1, { type: 'text_delta', text: 'more' }),
      one.copy({ type: 'text', text: 'and more' }),
      one.stop(1),
      one.delta_end('tool_use'),
      one.end(),
      ...text('msg_2', 'Done.'),
      result({ num_turns: 2 }),
    ],
    'a block of a newer version': [
      says('go'),
      init,
      one.start(),
      one.begin(0, { type: 'hologram', light: '' }),
      one.delta(0, { type: 'hologram_delta', light: 'green' }),
      one.copy({ type: 'hologram', light: 'green' }),
      one.stop(0),
      one.delta_end('end_turn'),
      one.end(),
      result(),
    ],
    'two permissions and a withdrawn one': [
      says('go'),
      init,
      one.start(),
      ...call(one, 0, 't1', ls),
      permission('p1', 'Bash', ls, 't1', {
        description: 'list',
        permission_suggestions: [{ type: 'setMode', mode: 'plan' }],
      }),
      ...call(one, 1, 't2', ls),
      one.delta_end('tool_use'),
      one.end(),
      permits('p1', { behavior: 'allow', updatedInput: ls }),
      answer('t1', 'a.txt'),
      permission('p2', 'Bash', ls, 't2', { title: 'May I?', description: 'list' }),
      into({ type: 'control_request', request_id: 'i1', request: { subtype: 'interrupt' } }),
      out({
        type: 'control_response',
        response: { subtype: 'success', request_id: 'i1', response: { still_queued: [] } },
      }),
      out({ type: 'control_cancel_request', request_id: 'p2' }),
      answer('t2', 'rejected', { tool_result_meta: [{ id: 't2', non_execution_kind: 'user-rejected' }] }),
      inName('[Request interrupted by user for tool use]'),
      result({
        subtype: 'error_during_execution',
        is_error: true,
        errors: ['[ede_diagnostic] x'],
        terminal_reason: 'aborted_tools',
      }),
    ],
    'permissions that are asked for behind the message': [
      says('go'),
      init,
      one.start(),
      ...call(one, 0, 't1', ls),
      ...call(one, 1, 't2', ls),
      one.delta_end('tool_use'),
      one.end(),
      permission('p1', 'Bash', ls, 't1', { description: 'list' }),
      permits('p1', { behavior: 'allow', updatedInput: ls }),
      answer('t1', 'a.txt'),
      permission('p2', 'Bash', ls, 't2', { description: 'list' }),
      permits('p2', { behavior: 'allow', updatedInput: ls }),
      answer('t2', 'a.txt'),
      ...text('msg_2', 'Done.'),
      result({ num_turns: 3 }),
    ],
    'prompts one on the other': [
      says('one'),
      says('two'),
      init,
      ...text('msg_1', 'First.'),
      result(),
      init,
      ...text('msg_2', 'Second.'),
      result({ total_cost_usd: 0.75 }, 1),
      out({ type: 'session_state_changed', state: 'idle', session_id: 's', uuid: 'u' }),
    ],
    'heartbeats, states and words of newer versions': [
      says('go'),
      init,
      one.start(),
      ...call(one, 0, 't1', ls),
      one.delta_end('tool_use'),
      one.end(),
      out({
        type: 'tool_progress',
        tool_use_id: 't1-heartbeat-0',
        parent_tool_use_id: 't1',
        tool_name: 'Bash',
        elapsed_time_seconds: 30,
        heartbeat: true,
        session_id: 's',
        uuid: 'u',
      }),
      out({ type: 'rate_limit_event', rate_limit_info: { status: 'allowed' }, session_id: 's', uuid: 'u' }),
      out({
        type: 'system',
        subtype: 'permission_denied',
        tool_name: 'Bash',
        tool_use_id: 't1',
        session_id: 's',
        uuid: 'u',
      }),
      answer('t1', [{ type: 'text', text: 'a.txt' }]),
      ...text('msg_2', 'Done.'),
      result({ num_turns: 2, structured_output: { a: 1 } }),
    ],
    'fields of newer versions on all that streams': [
      says('go'),
      init,
      newer({ type: 'message_start', message: { ...api('msg_1'), newer: 1 }, newer: 2 }, 3),
      newer(
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '', newer: 4 }, newer: 5 },
        6,
      ),
      newer({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'a', newer: 7 }, newer: 8 }, 9),
      newer({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'b', newer: 7 }, newer: 8 }, 9),
      newer({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'c' } }, 10),
      out({
        type: 'assistant',
        message: { ...api('msg_1', [{ type: 'text', text: 'abc', newer: 11 }]), newer: 1 },
        ...main,
      }),
      one.stop(0),
      newer(
        {
          type: 'message_delta',
          delta: { stop_reason: 'end_turn', stop_sequence: null, newer: 12 },
          usage: { output_tokens: 9, newer: 13 },
          newer: 14,
        },
        15,
      ),
      newer({ type: 'message_stop', newer: 16 }, 17),
      result(),
    ],
    'an answer that was refused, and one that was too long': [
      says('go'),
      init,
      ...text('msg_1', 'I must', 'max_tokens'),
      inName('Output token limit hit. Resume.', { isSynthetic: true }),
      ...text('msg_2', 'not.', 'refusal'),
      result({ stop_reason: 'refusal', num_turns: 2 }),
    ],
    'a client that says what nobody understands': [
      says('go'),
      { dir: 'in', line: '{"type":' },
      into({ type: 'telepathy' }),
      init,
      ...text('msg_1', 'Yes?'),
      result(),
    ],
    'an error, then an answer that was asked for again': [
      says('go'),
      init,
      requesting,
      stream('made-up').copy(
        { type: 'text', text: 'API Error: 400 no.' },
        { error: 'unknown', is_api_error_message: true, api_error_status: 400 },
      ),
      result({ is_error: true, result: 'API Error: 400 no.', terminal_reason: 'api_error', api_error_status: 400 }),
      says('again'),
      init,
      one.start(),
      one.begin(0, { type: 'text', text: '' }),
      one.delta(0, { type: 'text_delta', text: 'Half of' }),
      one.stop(0),
      one.end({ abandoned_blocks: { api_message_id: 'msg_1', from_block_index: 0 } }),
      two.copy({ type: 'text', text: 'All of it.' }),
      result({}, 1),
      says('and more'),
      init,
      ...text('msg_3', 'More.'),
      result({}, 2),
    ],
    'an interrupt between the arguments of a call': [
      says('go'),
      init,
      one.start(),
      one.begin(0, { type: 'tool_use', id: 't1', name: 'Bash', input: {} }),
      one.delta(0, { type: 'input_json_delta', partial_json: '{"comm' }),
      into({ type: 'control_request', request_id: 'i1', request: { subtype: 'interrupt' } }),
      out({
        type: 'control_response',
        response: { subtype: 'success', request_id: 'i1', response: { still_queued: [] } },
      }),
      inName('[Request interrupted by user]'),
      one.delta_end(null),
      one.end({ abandoned_blocks: { api_message_id: 'msg_1', from_block_index: 0 } }),
      result({
        subtype: 'error_during_execution',
        is_error: true,
        errors: ['[ede_diagnostic] x'],
        terminal_reason: 'aborted_streaming',
      }),
    ],
    'settings before anything else, and servers that come and go': [
      into({ type: 'control_request', request_id: 'm1', request: { subtype: 'set_model', model: 'hand-2' } }),
      out({
        type: 'control_response',
        response: { subtype: 'success', request_id: 'm1', response: { model: 'hand-2' } },
      }),
      says('go'),
      initWith({
        model: 'hand-2',
        mcp_servers: [
          { name: 'sums', status: 'connected', source: 'sdk' },
          { name: 'maps', status: 'asleep' },
        ],
      }),
      ...text('msg_1', 'Ready.'),
      result(),
      says('go on'),
      initWith({ model: 'hand-2', mcp_servers: [{ name: 'maps', status: 'connected' }] }),
      ...text('msg_2', 'Ready again.'),
      result({}, 1),
    ],
    'sub-agents that go on behind the result': [
      says('send two'),
      init,
      one.start(),
      ...call(one, 0, 't1', { prompt: 'look' }, 'Task'),
      ...call(one, 1, 't2', { prompt: 'dig' }, 'Task'),
      task('task_started', 'a1', 't1', { description: 'look' }),
      task('task_started', 'a2', 't2', { description: 'dig' }),
      stream('sub_0').copy({ type: 'tool_use', id: 's0', name: 'Bash', input: ls }, { parent_tool_use_id: 't2' }),
      one.delta_end('tool_use'),
      answer('t1', 'sent'),
      one.end(),
      stream('sub_1').copy({ type: 'text', text: 'I look.' }, { parent_tool_use_id: 't1', agent_id: 'a1' }),
      answer('t2', 'sent'),
      stream('sub_1').copy({ type: 'tool_use', id: 's1', name: 'Bash', input: ls }, { parent_tool_use_id: 't1' }),
      ...text('msg_0', 'They are on their way.'),
      result({ num_turns: 3 }),
      answer('s1', 'a.txt', { parent_tool_use_id: 't1' }),
      answer('s0', 'b.txt', { parent_tool_use_id: 't2' }),
      stream('sub_2').copy({ type: 'text', text: 'a.txt is here.' }, { parent_tool_use_id: 't1' }),
      task('task_notification', 'a1', 't1', { status: 'completed', summary: 'a.txt is here.' }),
      init,
      requesting,
      two.start(),
      two.begin(0, { type: 'text', text: '' }),
      two.delta(0, { type: 'text_delta', text: 'One found ' }),
      stream('sub_3').copy({ type: 'text', text: 'b.txt is here.' }, { parent_tool_use_id: 't2' }),
      two.delta(0, { type: 'text_delta', text: 'a.txt.' }),
      two.copy({ type: 'text', text: 'One found a.txt.' }),
      two.stop(0),
      two.delta_end('end_turn'),
      two.end(),
      result({ total_cost_usd: 0.75 }, 1),
    ],
    'nothing but whole messages': [
      says('go'),
      init,
      two.copy({ type: 'thinking', thinking: 'hm', signature: 'c2ln' }),
      two.copy({ type: 'text', text: 'I look.' }),
      two.copy({ type: 'tool_use', id: 't1', name: 'Bash', input: ls }),
      answer('t1', 'a.txt'),
      two.copy({ type: 'text', text: 'and that' }),
      stream('msg_3').copy({ type: 'text', text: 'Done.' }),
      result({ num_turns: 2 }),
    ],
  };
}

/** By name. */
export const handMade: ReadonlyMap<string, readonly TraceRow[]> = new Map(Object.entries(recordings()));
