// An ACP agent that says what a file tells it to: { setup, turn, result }, where `turn` are updates and requests of one prompt and
// `result` its answer. A request waits for its answer, and the answers stand in <file>.answers. Each setting is answered by `setup`.
import { appendFileSync, readFileSync } from 'node:fs';

const file = process.argv[2];
const { setup, turn, result } = JSON.parse(readFileSync(file, 'utf8'));
const sessionId = 'said';
const write = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
let ids = 0;
let goOn = null;

async function say(id) {
  for (const { method = 'session/update', params } of turn) {
    const isRequest = method !== 'session/update';
    write({ ...(isRequest ? { id: ids++ } : {}), method, params: { sessionId, ...params } });
    if (isRequest) await new Promise((answered) => (goOn = answered));
  }
  write({ id, result });
}

function take({ id, method, result: answer, params }) {
  if (method === undefined) {
    appendFileSync(`${file}.answers`, `${JSON.stringify(answer)}\n`);
    return goOn?.();
  }
  if (id === undefined) return;
  if (method === 'session/prompt') return void say(id);
  if (method === 'session/set_config_option') appendFileSync(`${file}.answers`, `${JSON.stringify(params)}\n`);
  const agentCapabilities = { promptCapabilities: { image: true, embeddedContext: true } };
  write({ id, result: method === 'initialize' ? { protocolVersion: 1, agentCapabilities } : { sessionId, ...setup } });
}

let buffer = '';
process.stdin.setEncoding('utf8').on('data', (text) => {
  buffer += text;
  const lines = buffer.split('\n');
  buffer = lines.pop();
  for (const line of lines) take(JSON.parse(line));
});
process.stdin.on('end', () => process.exit(0));
