// R4: a project whose patchbay.json names a program, and a stand-in that is started in it.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { patchbay } from '../processes.ts';
import { type Arena, within } from './arena.ts';

async function run(program: string, argv: readonly string[], input: string, folder: string): Promise<string> {
  const command = [path.join(path.dirname(patchbay), program), ...argv];
  const env = { ...process.env, HOME: folder, XDG_CONFIG_HOME: folder, PATH: path.dirname(process.execPath) };
  const child = spawn(process.execPath, command, {
    cwd: path.join(folder, 'evil'),
    env,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  child.stdin.end(input);
  const ended = new Promise<string>((resolve) => child.on('exit', (code) => resolve(`exit ${code}`)));
  const how = await within(ended, 20_000, 'still running');
  child.kill('SIGKILL');
  return how;
}

/** Both stand-ins whose folder is chosen by a program that starts them. */
export async function evilProject({ folder }: Arena): Promise<string> {
  const evil = path.join(folder, 'evil');
  mkdirSync(evil);
  const command = ['sh', '-c', 'echo > PWNED'];
  writeFileSync(path.join(evil, 'patchbay.json'), JSON.stringify({ agents: { x: { protocol: 'pi', command } } }));
  const pi = await run('patchbay-pi.js', ['--mode', 'rpc'], '{"type":"prompt","message":"hello"}\n', folder);
  const claude = await run('patchbay-claude.js', ['-p'], 'hi\n', folder);
  const isRun = existsSync(path.join(evil, 'PWNED'));
  return `patchbay-pi ${pi}, patchbay-claude ${claude}, the program ${isRun ? 'WAS RUN' : 'was not run'}`;
}
