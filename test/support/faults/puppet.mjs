// An agent without a will: passes every line of its input to a test, and writes, dies and hangs as the test says. Knows no
// protocol. Argument: the port of the test.
import { spawn } from 'node:child_process';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';

const [port] = process.argv.slice(2);
const line = connect(Number(port), '127.0.0.1');
line.on('error', () => {});

let isStaying = false;

const orders = {
  // The end of its input is nothing to it.
  stay: () => {
    isStaying = true;
    line.write(`${JSON.stringify({ heard: '{"type":"stay"}' })}\n`);
  },
  write: (text) => process.stdout.write(text),
  flood: (text, times) => process.stdout.write(text.repeat(times)),
  complain: (text, times) => {
    for (let n = 0; n < times; n += 1) process.stderr.write(text);
  },
  exit: (code) => process.exit(code),
  die: (signal) => process.kill(process.pid, signal),
  // The heir inherits stdout, ends by itself and keeps the pipe open until then.
  bequeath: (ms) => {
    spawn(process.execPath, ['-e', `setTimeout(() => {}, ${ms})`], { stdio: ['ignore', 'inherit', 'ignore'] });
    process.exit(0);
  },
};

createInterface({ input: line }).on('line', (text) => {
  const [order, ...values] = JSON.parse(text);
  orders[order](...values);
});
line.write(`${JSON.stringify({ pid: process.pid })}\n`);
createInterface({ input: process.stdin })
  .on('line', (heard) => line.write(`${JSON.stringify({ heard })}\n`))
  .on('close', () => isStaying || process.exit(0));
