// A small ECA server in plain JavaScript, correct except for the fault named by its argument. Shares no code with the product.
const [, , fault] = process.argv;
let held = Buffer.alloc(0);

function say(message) {
  const text = JSON.stringify({ jsonrpc: '2.0', ...message });
  const counted = fault === 'letters' ? text.length : Buffer.byteLength(text);
  const length = fault === 'frames-readable' ? 'many' : counted;
  process.stdout.write(`Content-Length: ${length}\r\n\r\n${text}`);
}

function hear({ id, method, params }) {
  if (method === 'initialize') {
    if (fault !== 'parent-process' && params.processId !== null) watch(params.processId);
    const [models, chatBehaviors] = [['m1'], ['agent']];
    const defaults = { chatDefaultModel: 'm1', chatDefaultBehavior: 'agent' };
    return say({ id, result: { models, chatBehaviors, ...defaults, chatWelcomeMessage: 'grüß dich' } });
  }
  if (method === 'initialized') {
    const server = { type: 'native', name: 'ECA', status: 'running', tools: [] };
    return say({ method: 'tool/serverUpdated', params: server });
  }
  if (method === 'chat/queryCommands') return say({ id, result: { commands: [] } });
  if (method === 'shutdown') return say({ id, result: null });
  if (method === 'exit') process.exit(0);
}

function watch(pid) {
  try {
    process.kill(pid, 0);
    setTimeout(watch, 50, pid).unref();
  } catch {
    process.exit(1);
  }
}

/** What its header says, and the fault makes of it: a length, or null to pass the frame over. */
function lengthOf(header) {
  const lines = header.split('\r\n');
  const name = fault === 'header-case' ? /^Content-Length:\s*(\d+)$/u : /^content-length:\s*(\d+)$/iu;
  const length = lines.map((line) => (fault === 'header-space' ? /^content-length: (\d+)$/iu : name).exec(line)?.[1]);
  const isStrange = lines.length > 1 && fault === 'content-type';
  return isStrange ? null : (length.find((one) => one !== undefined) ?? null);
}

process.stdin.on('data', (chunk) => {
  held = fault === 'frame-in-pieces' ? chunk : Buffer.concat([held, chunk]);
  for (;;) {
    const at = held.indexOf('\r\n\r\n');
    if (at < 0) return;
    const header = held.toString('latin1', 0, at);
    const length = lengthOf(header);
    if (length === null) {
      held = Buffer.alloc(0);
      return;
    }
    const wide = held.toString('utf8', at + 4).slice(0, Number(length));
    const end = at + 4 + (fault === 'length-in-bytes' ? Buffer.byteLength(wide) : Number(length));
    if (end > held.length) return;
    const body = held.toString('utf8', at + 4, end);
    held = fault === 'frames-in-one-write' ? Buffer.alloc(0) : held.subarray(end);
    if (fault !== 'other-charset' && /charset=utf-16/u.test(header)) {
      say({ id: null, error: { code: -32700, message: 'only utf-8 is read' } });
      continue;
    }
    try {
      hear(JSON.parse(body));
    } catch {
      say({ id: null, error: { code: -32700, message: 'no JSON' } });
    }
  }
});
process.stdin.on('end', () => process.exit(0));
