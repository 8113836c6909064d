// A small ACP agent with one fault, which its argument names; without an argument it has none.
const fault = process.argv[2];
let kept = '';

function answer(line) {
  const { id, method } = JSON.parse(line);
  const result = { protocolVersion: 1, agentInfo: { name: 'naive', version: '1' }, agentCapabilities: {} };
  const error = { code: -32601, message: 'Method not found' };
  const body = method === 'initialize' ? { result } : { error };
  if (id !== undefined) process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...body })}\n`);
}

process.stdin.setEncoding('utf8').on('data', (text) => {
  if (fault === 'line-in-pieces') return text.endsWith('\n') && text.startsWith('{"jsonrpc') ? answer(text) : undefined;
  const lines = (kept + text).split('\n');
  kept = lines.pop();
  for (const line of fault === 'lines-in-one-write' ? lines.slice(0, 1) : lines) {
    if (line !== '') answer(line);
    else if (fault === 'blank-lines') process.exit(1);
  }
});
if (fault === 'input-ends') setInterval(() => {}, 60_000);
if (fault === 'terminated') process.on('SIGTERM', () => {});
process.stdin.on('end', () => {
  if (fault !== 'input-ends') process.exit(0);
});
