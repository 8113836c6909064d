// A tiny agent that speaks the lines of pi 0.13.2: no responses, updates that repeat the message so far. Any prompt is
// answered with thinking, a tool and text; one with the word `hang` begins to speak and goes on only when it is aborted.
// Like its model it runs two prompts at once, and ignores what it does not know. Needs no model and no network.
import { createInterface } from 'node:readline';
import { base, say, usage } from './scripted-lines.mjs';

const assistant = (content, stopReason, more = {}) => ({
  ...{ role: base.role, content, api: base.api, provider: base.provider, model: base.model },
  ...{ usage: usage(content.length), stopReason, timestamp: 1_700_000_000_000, ...more },
});
let calls = 0;
/** What ends the run that hangs. */
let hanging = null;

const start = () => say({ type: 'message_start', message: assistant([], 'stop') });

function update(event, content) {
  const message = assistant(content, 'stop');
  say({ type: 'message_update', assistantMessageEvent: { ...event, partial: message }, message });
}

function speak(kind, contentIndex, pieces, before) {
  const block = (text) =>
    kind === 'text' ? { type: 'text', text } : { type: 'thinking', thinking: text, thinkingSignature: '' };
  let said = '';
  update({ type: `${kind}_start`, contentIndex }, [...before, block(said)]);
  for (const delta of pieces) {
    said += delta;
    update({ type: `${kind}_delta`, contentIndex, delta }, [...before, block(said)]);
  }
  update({ type: `${kind}_end`, contentIndex, content: said }, [...before, block(said)]);
  return [...before, block(said)];
}

function end(content, stopReason, more) {
  const message = assistant(content, stopReason, more);
  say({ type: 'message_end', message });
  return message;
}

function finish(message, messages) {
  say({ type: 'turn_end', message, toolResults: [] });
  say({ type: 'agent_end', messages: [...messages, message] });
}

function run(text) {
  const user = { role: 'user', content: [{ type: 'text', text }], timestamp: 1_700_000_000_000 };
  say({ type: 'agent_start' });
  say({ type: 'turn_start' });
  say({ type: 'message_start', message: user });
  say({ type: 'message_end', message: user });
  start();
  if (text.includes('hang')) {
    const content = [{ type: 'text', text: 'I was about to' }];
    update({ type: 'text_start', contentIndex: 0 }, [{ type: 'text', text: '' }]);
    update({ type: 'text_delta', contentIndex: 0, delta: 'I was about to' }, content);
    hanging = () => finish(end(content, 'aborted', { errorMessage: 'Request was aborted.' }), [user]);
    return;
  }
  calls += 1;
  const call = { type: 'toolCall', id: `call-${calls}`, name: 'look', arguments: { where: 'drawer' } };
  const thought = speak('thinking', 0, ['A drawer ', 'comes to mind.'], []);
  update({ type: 'toolcall_start', contentIndex: 1 }, [...thought, { ...call, arguments: {}, partialJson: '' }]);
  update({ type: 'toolcall_delta', contentIndex: 1, delta: '{"where":' }, [...thought, { ...call, arguments: {} }]);
  update({ type: 'toolcall_delta', contentIndex: 1, delta: '"drawer"}' }, [...thought, call]);
  update({ type: 'toolcall_end', contentIndex: 1, toolCall: call }, [...thought, call]);
  const asking = end([...thought, call], 'toolUse');
  const tool = { toolCallId: call.id, toolName: call.name };
  const content = [{ type: 'text', text: 'three cables lie in it' }];
  say({ type: 'tool_execution_start', ...tool, args: call.arguments });
  say({ type: 'tool_execution_end', ...tool, result: { content }, isError: false });
  const result = { role: 'toolResult', ...tool, content, isError: false, timestamp: 1_700_000_000_000 };
  say({ type: 'message_start', message: result });
  say({ type: 'message_end', message: result });
  say({ type: 'turn_end', message: asking, toolResults: [result] });
  say({ type: 'turn_start' });
  start();
  finish(end(speak('text', 0, ['There are ', 'three cables.'], []), 'stop'), [user, asking, result]);
}

function take({ type, message }) {
  if (type === 'prompt' && message) run(message);
  if (type !== 'abort') return;
  const stop = hanging;
  hanging = null;
  stop?.();
}

createInterface({ input: process.stdin }).on('line', (line) => take(JSON.parse(line)));
