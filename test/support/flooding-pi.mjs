// A pi that answers any prompt with so many updates of a tool, 10 kB each and numbered, as fast as its reader takes them.
// Appends a line to a file: `stuck <written>` when nobody has read for half a second, `done` at the end.
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [count, file] = process.argv.slice(2);
const filling = 'x'.repeat(10_000);
const say = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);
const call = { toolCallId: 'call', toolName: 'flood', args: {} };

/** Resolves when what was written so far is taken. */
async function taken(written) {
  let watch;
  await new Promise((resolve) => {
    watch = setTimeout(() => appendFileSync(file, `stuck ${written}\n`), 500);
    process.stdout.once('drain', resolve);
  });
  clearTimeout(watch);
}

async function run(text) {
  const user = { role: 'user', content: [{ type: 'text', text }] };
  for (const type of ['agent_start', 'turn_start']) say({ type });
  for (const type of ['message_start', 'message_end']) say({ type, message: user });
  say({ type: 'tool_execution_start', ...call });
  for (let n = 0; n < Number(count); n += 1) {
    const partialResult = { content: [{ type: 'text', text: `${n} ${filling}` }] };
    if (!say({ type: 'tool_execution_update', ...call, partialResult })) await taken(n);
  }
  say({ type: 'tool_execution_end', ...call, result: { content: [] }, isError: false });
  say({ type: 'turn_end', message: user, toolResults: [] });
  say({ type: 'agent_end', messages: [] });
  appendFileSync(file, 'done\n');
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, type, message } = JSON.parse(line);
  const data = type === 'get_state' ? { data: { sessionId: 'flood', isStreaming: false, thinkingLevel: 'off' } } : {};
  say({ id, type: 'response', command: type, success: true, ...data });
  if (type === 'prompt') void run(message);
});
