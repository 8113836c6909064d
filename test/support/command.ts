// Runs the built command line and collects what it says.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const programs = {
  patchbay: fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url)),
  'patchbay-pi': fileURLToPath(new URL('../../dist/cli/patchbay-pi.js', import.meta.url)),
  'patchbay-claude': fileURLToPath(new URL('../../dist/cli/patchbay-claude.js', import.meta.url)),
  'patchbay-eca': fileURLToPath(new URL('../../dist/cli/patchbay-eca.js', import.meta.url)),
  'patchbay-acp': fileURLToPath(new URL('../../dist/cli/patchbay-acp.js', import.meta.url)),
};

/** What a finished run left. */
export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** How a run is set up. */
export interface RunOptions {
  /** Default `patchbay`. */
  readonly program?: keyof typeof programs;
  readonly input?: string;
  /** The input stays open; without it the program hears its end at once. */
  readonly holdInput?: boolean;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Sends the signal when stdout has said these words. */
  readonly killAfter?: string;
  /** Default SIGTERM. */
  readonly signal?: NodeJS.Signals;
}

/** Runs a program with these arguments to its end. */
export function patchbay(args: readonly string[], options: RunOptions = {}): Promise<Finished> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [programs[options.program ?? 'patchbay'], ...args], {
      cwd: options.cwd,
      env: { ...process.env, ...options.env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
      // A second signal would end it at once.
      if (options.killAfter === undefined || child.killed || !stdout.includes(options.killAfter)) return;
      child.kill(options.signal ?? 'SIGTERM');
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr }));
    child.stdin.on('error', () => {});
    child.stdin.write(options.input ?? '');
    if (options.holdInput !== true) child.stdin.end();
  });
}
