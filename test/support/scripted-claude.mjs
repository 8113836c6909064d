// A tiny agent that speaks Claude Code's format: a prompt is answered with thinking, a tool and text; `hang` begins to
// speak and goes on only when it is interrupted; `stick` never ends its tool; `ask` needs leave for its tool; `question` asks its user something;
// `fail` fails at its provider. Needs no model and no network.
import { createInterface } from 'node:readline';

/** The conversation that it goes on with is always the same one. */
const flag = (name) => {
  const at = process.argv.findIndex((word) => word === name || word.startsWith(`${name}=`));
  return process.argv[at] === name ? process.argv[at + 1] : process.argv[at]?.slice(name.length + 1);
};
const session = flag('--session-id') ?? flag('--resume') ?? '00000000-0000-4000-8000-000000000000';
const model = 'scripted-1';
let frames = 0;
let messages = 0;
let results = 0;
let turns = 1;
let requests = 0;
let cost = 0;
let mode = 'default';
/** How the open turn ends when it is interrupted; null between two turns. */
let stopTurn = null;
/** What answers the permission request of that id. */
const asked = new Map();

const print = (frame) => process.stdout.write(`${JSON.stringify(frame)}\n`);
function say(frame) {
  frames += 1;
  const uuid = `00000000-0000-4000-8000-${String(frames).padStart(12, '0')}`;
  print({ parent_tool_use_id: null, ...frame, session_id: session, uuid });
}
const stream = (event) => say({ type: 'stream_event', event });
const usage = (output) => ({
  input_tokens: 10,
  output_tokens: output,
  cache_read_input_tokens: 0,
  cache_creation_input_tokens: 0,
});

function init() {
  const settings = { cwd: process.cwd(), model, permissionMode: mode, apiKeySource: 'none', output_style: 'default' };
  const lists = { tools: ['Look'], mcp_servers: [], slash_commands: ['compact'], agents: [], skills: [], plugins: [] };
  say({ type: 'system', subtype: 'init', ...settings, ...lists });
}

function message() {
  messages += 1;
  const own = { id: `msg_scripted_${messages}`, type: 'message', role: 'assistant', model };
  const whole = (content) => ({ ...own, content, stop_reason: null, stop_sequence: null, usage: usage(1) });
  let index = -1;
  stream({ type: 'message_start', message: whole([]) });
  return {
    begin(block) {
      index += 1;
      stream({ type: 'content_block_start', index, content_block: block });
    },
    delta: (delta) => stream({ type: 'content_block_delta', index, delta }),
    end(block, more = {}) {
      say({ type: 'assistant', message: whole([block]), ...more });
      stream({ type: 'content_block_stop', index });
    },
    stop(reason) {
      stream({ type: 'message_delta', delta: { stop_reason: reason, stop_sequence: null }, usage: usage(5) });
      stream({ type: 'message_stop' });
    },
  };
}

function result(fields) {
  stopTurn = null;
  cost += 0.005;
  const figures = { duration_ms: 1, duration_api_ms: 1, num_turns: turns, usage: usage(5), modelUsage: {} };
  const rest = { total_cost_usd: cost, permission_denials: [], result_index: results, queued_turn_count: 0 };
  results += 1;
  turns = 1;
  say({ type: 'result', ...figures, ...rest, ...fields });
}

const success = (text) =>
  result({ subtype: 'success', is_error: false, result: text, stop_reason: 'end_turn', terminal_reason: 'completed' });
const interrupted = (reason) =>
  result({
    subtype: 'error_during_execution',
    is_error: true,
    errors: ['[ede_diagnostic] interrupted'],
    stop_reason: null,
    terminal_reason: reason,
  });

function speak(text) {
  const said = message();
  said.begin({ type: 'text', text: '' });
  for (const piece of text.match(/.{1,12}/gu)) said.delta({ type: 'text_delta', text: piece });
  said.end({ type: 'text', text });
  said.stop('end_turn');
  success(text);
}

function answer(id, content, isError) {
  turns += 1;
  const block = { type: 'tool_result', tool_use_id: id, content, is_error: isError };
  say({ type: 'user', message: { role: 'user', content: [block] }, tool_use_result: { content } });
}

/** Thinks and calls a tool; `then` comes when the call was shown. */
function call(name, input, then) {
  const said = message();
  said.begin({ type: 'thinking', thinking: '', signature: '' });
  for (const piece of ['A drawer ', 'comes to mind.']) {
    say({ type: 'system', subtype: 'thinking_tokens', estimated_tokens: 3, estimated_tokens_delta: 3 });
    said.delta({ type: 'thinking_delta', thinking: piece });
  }
  said.delta({ type: 'signature_delta', signature: 'c2NyaXB0ZWQ=' });
  said.end({ type: 'thinking', thinking: 'A drawer comes to mind.', signature: 'c2NyaXB0ZWQ=' });
  const id = `toolu_scripted_${messages}`;
  said.begin({ type: 'tool_use', id, name, input: {} });
  said.delta({ type: 'input_json_delta', partial_json: '' });
  for (const piece of JSON.stringify(input).match(/.{1,9}/gu))
    said.delta({ type: 'input_json_delta', partial_json: piece });
  said.end({ type: 'tool_use', id, name, input });
  then(id, () => said.stop('tool_use'));
}

/** Asks for leave in the middle of the message, as Claude Code does. */
function ask(name, input, then) {
  call(name, input, (id, stop) => {
    requests += 1;
    const request_id = `permission-${requests}`;
    const request = { subtype: 'can_use_tool', tool_name: name, input, tool_use_id: id, display_name: name };
    print({ type: 'control_request', request_id, request: { ...request, description: 'look into the drawer' } });
    stopTurn = () => {
      asked.delete(request_id);
      print({ type: 'control_cancel_request', request_id });
      stop();
      answer(id, 'The user rejected it.', true);
      interrupted('aborted_tools');
    };
    asked.set(request_id, (verdict) => {
      stop();
      if (verdict.behavior === 'allow') then(id, verdict.updatedInput);
      else {
        answer(id, verdict.message, true);
        speak('Then I do not look.');
      }
    });
  });
}

function hang() {
  const said = message();
  said.begin({ type: 'text', text: '' });
  said.delta({ type: 'text_delta', text: 'I was about to' });
  stopTurn = () => {
    said.end({ type: 'text', text: 'I was about to' }, { aborted: true });
    const mark = [{ type: 'text', text: '[Request interrupted by user]' }];
    say({ type: 'user', message: { role: 'user', content: mark } });
    said.stop(null);
    interrupted('aborted_streaming');
  };
}

function fail() {
  const words = 'API Error: 529 overloaded';
  const content = [{ type: 'text', text: words }];
  const own = { id: 'synthetic', type: 'message', role: 'assistant', model: '<synthetic>', content, usage: usage(0) };
  const marks = { error: 'server_error', is_api_error_message: true, api_error_status: 529 };
  say({ type: 'assistant', message: { ...own, stop_reason: 'stop_sequence', stop_sequence: '' }, ...marks });
  const status = { api_error_status: 529, terminal_reason: 'api_error', stop_reason: 'stop_sequence' };
  result({ subtype: 'success', is_error: true, result: words, ...status });
}

const drawer = { where: 'drawer' };
const looked = (id) => {
  answer(id, 'three cables lie in it', false);
  speak('There are three cables.');
};

function prompt(text) {
  stopTurn = () => interrupted('aborted_tools');
  init();
  say({ type: 'system', subtype: 'status', status: 'requesting' });
  if (text.includes('hang')) return hang();
  if (text.includes('fail')) return fail();
  if (text.includes('question')) {
    const options = [
      { label: 'Left', description: '' },
      { label: 'Right', description: '' },
    ];
    const questions = [{ question: 'Which drawer?', header: 'Drawer', options, multiSelect: false }];
    return ask('AskUserQuestion', { questions }, (id, input) => {
      answer(id, 'answered', false);
      speak(`You chose ${input.answers['Which drawer?']}.`);
    });
  }
  if (text.includes('ask')) return ask('Look', drawer, looked);
  call('Look', drawer, (id, stop) => {
    stop();
    if (!text.includes('stick')) looked(id);
  });
}

function control({ request_id, request }) {
  const succeed = (response) =>
    print({ type: 'control_response', response: { subtype: 'success', request_id, ...(response && { response }) } });
  const refuse = (error, error_code) =>
    print({ type: 'control_response', response: { subtype: 'error', request_id, error, error_code } });
  switch (request.subtype) {
    case 'initialize': {
      const models = [{ value: model, displayName: 'Scripted', description: '' }];
      const commands = [{ name: 'compact', description: 'compact the conversation', argumentHint: '' }];
      return succeed({
        commands,
        agents: [],
        output_style: 'default',
        available_output_styles: [],
        models,
        account: {},
      });
    }
    case 'interrupt':
      succeed({ still_queued: [] });
      return stopTurn?.();
    case 'set_model':
      return succeed({ model: request.model ?? model });
    case 'set_permission_mode':
      if (!['default', 'plan', 'acceptEdits'].includes(request.mode)) return refuse('no such mode', 'invalid_mode');
      mode = request.mode;
      return succeed({ mode });
    case 'set_max_thinking_tokens':
      return succeed();
    case 'mcp_status':
      return succeed({ mcpServers: [] });
    default:
      return refuse(`Unsupported control request subtype: ${request.subtype}`, 'unsupported_request');
  }
}

function take(frame) {
  switch (frame.type) {
    case 'user': {
      const { content } = frame.message;
      return prompt(typeof content === 'string' ? content : content.map(({ text = '' }) => text).join(' '));
    }
    case 'control_request':
      return control(frame);
    case 'control_response': {
      const { request_id, response } = frame.response;
      const settle = asked.get(request_id);
      asked.delete(request_id);
      return settle?.(response ?? { behavior: 'deny', message: 'nobody was asked' });
    }
    default:
  }
}

createInterface({ input: process.stdin }).on('line', (line) => {
  if (line.trim() !== '') take(JSON.parse(line));
});
