// A pi that tells how it was started: the name of its session is its command line and what it inherited, as JSON. With
// `--greet` it speaks before it is asked, as an extension may. Speaks pi's lines and does nothing else.
import { createInterface } from 'node:readline';

const name = JSON.stringify({ argv: process.argv.slice(2), chain: process.env.PATCHBAY_CHAIN ?? null });
const state = {
  model: { id: 'telling-1', name: 'Telling', provider: 'telling' },
  thinkingLevel: 'off',
  isStreaming: false,
  sessionId: 'telling',
  sessionName: name,
};

const say = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);
if (process.argv.includes('--greet')) {
  say({ type: 'extension_ui_request', id: 'greeting', method: 'notify', message: 'good morning' });
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, type } = JSON.parse(line);
  const data = type === 'get_state' ? { data: state } : {};
  say({ id, type: 'response', command: type, success: true, ...data });
});
