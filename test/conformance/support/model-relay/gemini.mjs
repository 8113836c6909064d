// The API of Gemini, as gemini-cli speaks it.
import { toolFor } from './fake-model.mjs';

export const isAsked = ({ method, url }) => method === 'POST' && url.includes(':streamGenerateContent');
export const errorBody = (message, code) => ({ error: { code, message, status: 'INVALID_ARGUMENT' } });

const settings = {
  security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
  model: { name: 'gemini-2.5-flash' },
  privacy: { usageStatisticsEnabled: false },
  general: { disableAutoUpdate: true, disableUpdateNag: true },
};

export const surroundingsOf = (url, home) => ({
  env: {
    GEMINI_API_KEY: 'test',
    GOOGLE_GEMINI_BASE_URL: url,
    GEMINI_CLI_HOME: home,
    GEMINI_SANDBOX: 'false',
    GEMINI_TELEMETRY_ENABLED: 'false',
  },
  files: { '.gemini/settings.json': JSON.stringify(settings) },
});

function blockOf({ text, inlineData, functionCall, functionResponse }) {
  if (functionCall !== undefined)
    return { type: 'tool_use', id: functionCall.name, name: functionCall.name, input: {} };
  if (functionResponse !== undefined)
    return { type: 'tool_result', tool_use_id: functionResponse.name, content: 'done' };
  if (inlineData === undefined) return { type: 'text', text: text ?? '' };
  return { type: 'image', source: { type: 'base64', media_type: inlineData.mimeType, data: inlineData.data } };
}

export function readRequest({ contents, tools = [] }) {
  const messages = contents.map(({ role, parts }) => ({
    role: role === 'model' ? 'assistant' : 'user',
    content: parts.map(blockOf),
  }));
  return { messages, tools: tools.flatMap(({ functionDeclarations = [] }) => functionDeclarations) };
}

const known = {
  shell: (command) => ({ name: 'run_shell_command', input: { command } }),
  read: (path) => ({ name: 'read_file', input: { file_path: path } }),
};
const reasons = { max_tokens: 'MAX_TOKENS', refusal: 'SAFETY' };

/** Writes the events of the Messages API as parts of candidates. */
export function createWriter(say) {
  let call;
  let stop = 'end_turn';
  const candidate = (parts, more = {}) =>
    say({ candidates: [{ index: 0, content: { role: 'model', parts }, ...more }] });
  return (event) => {
    switch (event.type) {
      case 'content_block_start':
        call = event.content_block.type === 'tool_use' ? { name: event.content_block.name, json: '' } : undefined;
        return;
      case 'content_block_delta': {
        const { text, thinking, partial_json: json = '' } = event.delta;
        if (call !== undefined) call.json += json;
        else if (thinking !== undefined) candidate([{ text: thinking, thought: true }]);
        else if (text !== undefined) candidate([{ text }]);
        return;
      }
      case 'content_block_stop': {
        if (call === undefined) return;
        const { name, input } = toolFor({ name: call.name, input: JSON.parse(call.json || '{}') }, known);
        return candidate([{ functionCall: { name, args: input } }]);
      }
      case 'message_delta':
        stop = event.delta.stop_reason;
        return;
      case 'message_stop': {
        const usageMetadata = { promptTokenCount: 100, candidatesTokenCount: 25, totalTokenCount: 125 };
        const finishReason = reasons[stop] ?? 'STOP';
        return say({
          candidates: [{ index: 0, content: { role: 'model', parts: [{ text: '' }] }, finishReason }],
          usageMetadata,
        });
      }
      default:
    }
  };
}
