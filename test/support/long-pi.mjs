// A pi of today (updates carry their delta alone) that answers any prompt with so many characters, 20 at a time, as fast
// as it is listened to; when the last of them was taken, it writes the whole into the file that it was given. Needs no model and no network.
import { writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [characters, file] = process.argv.slice(2);
const words = 'A "line" of it\nand \\ more: \u00e9\u2028\ud83d\ude00 ';
const text = words.repeat(Math.ceil(Number(characters) / words.length)).slice(0, Number(characters));
const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2, cost: { total: 0 } };
const base = { role: 'assistant', api: 'long', provider: 'long', model: 'long-1', usage };
const say = (line, done) => process.stdout.write(`${JSON.stringify(line)}\n`, done);
const update = ({ type, ...rest }, done) =>
  say({ type: 'message_update', usage, assistantMessageEvent: { type, contentIndex: 0, ...rest } }, done);

function run(prompt) {
  const user = { role: 'user', content: [{ type: 'text', text: prompt }] };
  const answer = { ...base, content: [{ type: 'text', text }], stopReason: 'stop' };
  say({ type: 'agent_start' });
  say({ type: 'turn_start' });
  say({ type: 'message_start', message: user });
  say({ type: 'message_end', message: user });
  say({ type: 'message_start', message: { ...base, content: [], stopReason: 'pending' } });
  update({ type: 'text_start' });
  const end = () => {
    writeFileSync(file, text);
    update({ type: 'text_end', content: text });
    say({ type: 'message_end', message: answer });
    say({ type: 'turn_end', message: answer, toolResults: [] });
    say({ type: 'agent_end', messages: [], willRetry: false });
    say({ type: 'agent_settled', aborted: false });
  };
  for (let at = 0; at < text.length; at += 20) {
    const isLast = at + 20 >= text.length;
    update({ type: 'text_delta', delta: text.slice(at, at + 20) }, isLast ? end : undefined);
  }
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, type, message } = JSON.parse(line);
  const data = type === 'get_state' ? { data: { sessionId: 'long', isStreaming: false, thinkingLevel: 'off' } } : {};
  say({ id, type: 'response', command: type, success: true, ...data });
  if (type === 'prompt') run(message);
});
