// Starts the agent that its arguments name, hands it every line of its own input, reads all it says and drops it: the
// least that a process between them can do. Prints `<bytes>` when a run is over.
import { spawn } from 'node:child_process';

const [, , program = '', ...args] = process.argv;
const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
process.stdin.pipe(child.stdin);

/** How the last line of a run ends in either dialect, and no other line (see `closingLines`). */
const endings = [Buffer.from('}]}\n'), Buffer.from('"agent_settled","aborted":false}\n')];
let bytes = 0;
let last: Buffer = Buffer.alloc(0);

child.stdout.on('data', (chunk: Buffer) => {
  bytes += chunk.length;
  // The last line ends with the last write, so it is enough to look at the end of each chunk.
  last = chunk.length < 64 ? Buffer.concat([last.subarray(-64), chunk]) : chunk;
  if (!endings.some((ending) => last.compare(ending, 0, ending.length, Math.max(0, last.length - ending.length)) === 0))
    return;
  process.stdout.write(`${bytes}\n`);
  bytes = 0;
});
child.on('exit', () => process.exit(0));
