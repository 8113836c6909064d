// An editor that is killed in the middle of a turn: starts an ECA server, sends a prompt on which the demo agent hangs, and
// dies by SIGKILL when it has heard the first words. The server has inherited its stderr.
import { spawn } from 'node:child_process';

const [program] = process.argv.slice(2);
const server = spawn(process.execPath, [program, 'server'], { stdio: ['pipe', 'pipe', 'inherit'] });
let heard = '';
server.stdout.setEncoding('utf8').on('data', (text) => {
  heard += text;
  if (heard.includes('I was')) process.kill(process.pid, 'SIGKILL');
});

function write(message) {
  const body = JSON.stringify({ jsonrpc: '2.0', ...message });
  server.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}
write({ id: 1, method: 'initialize', params: {} });
write({ method: 'initialized', params: {} });
write({ id: 2, method: 'chat/prompt', params: { chatId: 'one', message: 'hang' } });
