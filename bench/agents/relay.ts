// Starts the agent that its arguments name and passes every chunk on as it comes, both ways: what one hop costs when
// nothing is read.
import { spawn } from 'node:child_process';

const [, , program = '', ...args] = process.argv;
const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
process.stdin.pipe(child.stdin);
child.stdout.on('data', (chunk: Buffer) => process.stdout.write(chunk));
child.on('exit', () => process.exit(0));
