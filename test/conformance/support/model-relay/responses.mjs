// The Responses API, as codex speaks it.
import { toolFor } from './fake-model.mjs';

export const isAsked = ({ method, url }) => method === 'POST' && url.split('?')[0].endsWith('/responses');
export const errorBody = (message, status) => ({
  error: { message, type: 'invalid_request_error', code: `${status}` },
});

const config = (url) => `
model = "fake-1"
model_provider = "fake"
approval_policy = "on-request"
sandbox_mode = "read-only"
[model_providers.fake]
name = "fake"
base_url = "${url}/v1"
wire_api = "responses"
requires_openai_auth = false
request_max_retries = 1
stream_max_retries = 1
`;

export const surroundingsOf = (url, home) => ({
  env: { CODEX_HOME: `${home}/codex`, INITIAL_AGENT_MODE: 'read-only', NO_BROWSER: '1' },
  files: { 'codex/config.toml': config(url) },
});

function blockOf({ type, text, image_url: image }) {
  if (type !== 'input_image') return { type: 'text', text: text ?? '' };
  const [, kind = 'image/png', data = ''] = /^data:([^;]+);base64,(.*)$/su.exec(image ?? '') ?? [];
  return { type: 'image', source: { type: 'base64', media_type: kind, data } };
}

export function readRequest({ input, tools = [] }) {
  const messages = input.flatMap((item) => {
    switch (item.type) {
      case 'message':
        return item.role === 'user' || item.role === 'assistant'
          ? [{ role: item.role, content: item.content.map(blockOf) }]
          : [];
      case 'function_call':
        return [{ role: 'assistant', content: [{ type: 'tool_use', id: item.call_id, name: item.name, input: {} }] }];
      case 'function_call_output':
        return [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: item.call_id, content: 'done' }] }];
      default:
        return [];
    }
  });
  return { messages, tools };
}

/** The program's tools for the fake model's. */
function toolsIn(tools) {
  const names = new Set(tools.map(({ name }) => name));
  const shell = (command) => {
    // Behind its sandbox a program asks for leave when the model says that the command needs more.
    const leave = command.includes('>')
      ? { sandbox_permissions: 'require_escalated', justification: 'It writes.' }
      : {};
    if (names.has('exec_command')) return { name: 'exec_command', input: { cmd: command, ...leave } };
    if (names.has('shell_command')) return { name: 'shell_command', input: { command } };
    return { name: 'shell', input: { command: ['bash', '-lc', command] } };
  };
  return { shell, read: (path) => shell(`cat ${path}`) };
}

/** Writes the events of the Messages API as those of the Responses API. */
export function createWriter(say, { tools }) {
  const id = `resp_${Date.now()}`;
  const known = toolsIn(tools);
  let stop = 'end_turn';
  let index = -1;
  let item;
  const begin = (type, more) => {
    index += 1;
    item = { type, id: `${type}_${id}_${index}`, text: '', ...more };
    return item;
  };
  const plain = (words) => {
    const { text, ...rest } = item;
    if (rest.type === 'message')
      return { ...rest, content: words ? [{ type: 'output_text', text, annotations: [] }] : [] };
    return { ...rest, summary: words ? [{ type: 'summary_text', text }] : [] };
  };
  say({ type: 'response.created', response: { id } });
  return (event) => {
    switch (event.type) {
      case 'content_block_start': {
        const { type, name } = event.content_block;
        if (type === 'tool_use') return void begin('function_call', { name, call_id: `call_${id}_${index + 1}` });
        begin(type === 'text' ? 'message' : 'reasoning', type === 'text' ? { role: 'assistant' } : {});
        say({ type: 'response.output_item.added', output_index: index, item: plain(false) });
        if (type !== 'text') {
          const part = { type: 'summary_text', text: '' };
          say({
            type: 'response.reasoning_summary_part.added',
            item_id: item.id,
            output_index: index,
            summary_index: 0,
            part,
          });
        }
        return;
      }
      case 'content_block_delta': {
        const { text, thinking, partial_json: json } = event.delta;
        const delta = text ?? thinking ?? json ?? '';
        item.text += delta;
        const of = { item_id: item.id, output_index: index, delta };
        if (text !== undefined) say({ type: 'response.output_text.delta', content_index: 0, ...of });
        else if (thinking !== undefined)
          say({ type: 'response.reasoning_summary_text.delta', summary_index: 0, ...of });
        return;
      }
      case 'content_block_stop': {
        if (item.type !== 'function_call')
          return say({ type: 'response.output_item.done', output_index: index, item: plain(true) });
        const { text, ...call } = item;
        const { name, input } = toolFor({ name: call.name, input: JSON.parse(text || '{}') }, known);
        const done = { ...call, name, arguments: JSON.stringify(input), status: 'completed' };
        return say({ type: 'response.output_item.done', output_index: index, item: done });
      }
      case 'message_delta':
        stop = event.delta.stop_reason;
        return;
      case 'message_stop': {
        const usage = {
          input_tokens: 100,
          input_tokens_details: { cached_tokens: 0 },
          output_tokens: 25,
          output_tokens_details: { reasoning_tokens: 0 },
          total_tokens: 125,
        };
        if (stop === 'max_tokens') {
          return say({
            type: 'response.incomplete',
            response: { id, incomplete_details: { reason: 'max_output_tokens' } },
          });
        }
        return say({ type: 'response.completed', response: { id, usage } });
      }
      case 'error':
        return say({
          type: 'response.failed',
          response: { id, error: { code: 'server_error', message: event.error.message } },
        });
      default:
    }
  };
}
