// A program that answers every command of pi with success and reads its stdin with one fault: node careless-pi.mjs <fault>.
const fault = process.argv[2] ?? 'none';
let rest = '';
let asked = 0;

function answer(line) {
  if (line.trim() === '') {
    if (fault === 'blank') process.exit(1);
    return;
  }
  if (fault === 'crlf' && line.endsWith('\r')) return;
  try {
    const { id, type } = JSON.parse(line);
    if (fault === 'state' && type === 'get_state') return;
    if (fault === 'id' && type === 'get_state' && asked++ > 0)
      return process.stdout.write(`${JSON.stringify({ type: 'response', command: type, success: true, data: {} })}\n`);
    process.stdout.write(`${JSON.stringify({ id, type: 'response', command: type, success: true, data: {} })}\n`);
  } catch {
    process.stdout.write('{"type":"response","command":"parse","success":false,"error":"unreadable"}\n');
  }
}

process.stdin.setEncoding('utf8');
process.stdin.on('data', (chunk) => {
  const lines = `${rest}${chunk}`.split('\n');
  rest = lines.pop() ?? '';
  if (fault === 'split') rest = '';
  for (const line of fault === 'joined' ? lines.slice(0, 1) : lines) answer(line);
});
process.stdin.on('end', () => {
  if (rest !== '' && fault !== 'last') answer(rest);
  if (fault === 'end') process.exitCode = 3;
});
