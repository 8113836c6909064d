// A tiny agent that speaks pi's lines: any prompt is answered with thinking, a tool and text; one with the word `hang`
// begins to speak and goes on only when it is aborted. With `--keep <file>` it stores what it is asked there, or in the file
// of a `--session <file>`; a word `recall` is answered with all of that. Needs no model and no network.
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { base, say, usage } from './scripted-lines.mjs';

const optionOf = (name) => (process.argv.includes(name) ? process.argv[process.argv.indexOf(name) + 1] : undefined);
const sessionFile = optionOf('--session') ?? optionOf('--keep');
const stored = () => (existsSync(sessionFile ?? '') ? readFileSync(sessionFile, 'utf8').trimEnd().split('\n') : []);

let messages = 0;
/** The message that is being said, while the agent hangs. */
let hanging = null;

function start() {
  messages += 1;
  const responseId = `scripted-${messages}`;
  say({ type: 'message_start', message: { ...base, content: [], usage: usage(0), stopReason: 'pending', responseId } });
}

const update = (event) => say({ type: 'message_update', usage: usage(0), assistantMessageEvent: event });

function speak(kind, contentIndex, pieces) {
  update({ type: `${kind}_start`, contentIndex });
  for (const delta of pieces) update({ type: `${kind}_delta`, contentIndex, delta });
  update({ type: `${kind}_end`, contentIndex, content: pieces.join('') });
}

function end(content, stopReason, more = {}) {
  const message = { ...base, content, usage: usage(5), stopReason, responseId: `scripted-${messages}`, ...more };
  say({ type: 'message_end', message });
  return message;
}

function finish(message, aborted) {
  say({ type: 'turn_end', message, toolResults: [] });
  say({ type: 'agent_end', messages: [], willRetry: false });
  say({ type: 'agent_settled', aborted });
}

function run(text) {
  if (sessionFile !== undefined) appendFileSync(sessionFile, `${text}\n`);
  const user = { role: 'user', content: [{ type: 'text', text }] };
  say({ type: 'agent_start' });
  say({ type: 'turn_start' });
  say({ type: 'message_start', message: user });
  say({ type: 'message_end', message: user });
  start();
  if (text.includes('recall')) {
    const said = stored().join(', ');
    speak('text', 0, [said]);
    return finish(end([{ type: 'text', text: said }], 'stop'), false);
  }
  if (text.includes('hang')) {
    update({ type: 'text_start', contentIndex: 0 });
    update({ type: 'text_delta', contentIndex: 0, delta: 'I was about to' });
    hanging = [{ type: 'text', text: 'I was about to' }];
    return;
  }
  const call = { type: 'toolCall', id: `call-${messages}`, name: 'look', arguments: { where: 'drawer' } };
  speak('thinking', 0, ['A drawer ', 'comes to mind.']);
  update({ type: 'toolcall_start', contentIndex: 1, id: call.id, toolName: call.name });
  update({ type: 'toolcall_delta', contentIndex: 1, delta: '{"where":' });
  update({ type: 'toolcall_delta', contentIndex: 1, delta: '"drawer"}' });
  update({ type: 'toolcall_end', contentIndex: 1, toolCall: call });
  const asking = end([{ type: 'thinking', thinking: 'A drawer comes to mind.' }, call], 'toolUse');
  const tool = { toolCallId: call.id, toolName: call.name };
  const content = [{ type: 'text', text: 'three cables lie in it' }];
  say({ type: 'tool_execution_start', ...tool, args: call.arguments });
  say({ type: 'tool_execution_update', ...tool, args: call.arguments, partialResult: { content: [] } });
  say({ type: 'tool_execution_end', ...tool, result: { content, details: {} }, isError: false });
  const result = { role: 'toolResult', ...tool, content, isError: false };
  say({ type: 'message_start', message: result });
  say({ type: 'message_end', message: result });
  say({ type: 'turn_end', message: asking, toolResults: [result] });
  say({ type: 'turn_start' });
  start();
  speak('text', 0, ['There are ', 'three cables.']);
  finish(end([{ type: 'text', text: 'There are three cables.' }], 'stop'), false);
}

function abort() {
  if (hanging === null) return;
  const content = hanging;
  hanging = null;
  finish(end(content, 'aborted', { errorMessage: 'Request was aborted.' }), true);
}

const state = {
  model: { id: 'scripted-1', name: 'Scripted', provider: 'scripted' },
  thinkingLevel: 'off',
  isStreaming: false,
  sessionId: 'scripted',
};

function take({ id, type, message }) {
  const answer = (more = {}) => say({ id, type: 'response', command: type, success: true, ...more });
  switch (type) {
    case 'get_state':
      return answer({
        data: sessionFile === undefined ? state : { ...state, sessionFile, messageCount: stored().length },
      });
    case 'prompt':
      answer();
      return run(message);
    case 'abort':
      abort();
      return answer();
    default:
      return say({ id, type: 'response', command: type, success: false, error: `Unknown command: ${type}` });
  }
}

createInterface({ input: process.stdin }).on('line', (line) => take(JSON.parse(line)));
