// Processes that are measured from outside: started, watched, and always ended. Linux only (/proc).
import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const running = new Set<ChildProcess>();
/** How long a process may take to end, with all that it started, until it is asked again and until it is killed. */
const patienceMs = { again: 10_000, kill: 20_000 };

// Not SIGKILL: a gateway takes its own agents with it when it is asked to end.
process.on('exit', () => {
  for (const child of running) child.kill('SIGTERM');
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130));

/** Path of a compiled program of the bench, e.g. `agents/emit.js`. */
export function benchProgram(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}

/** The command line of the product, as it is shipped. */
export const patchbay = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

/** The made-up agent's command. */
export const emitter: readonly string[] = [process.execPath, benchProgram('agents/emit.js')];

/** Told each chunk as it comes, with the time on the machine's monotonic clock, ns. */
export type Hearing = (chunk: Buffer, at: bigint) => void;

/** A process that speaks on stdin and stdout. */
export interface Running {
  readonly pid: number;
  /** Whether it has ended. */
  readonly hasEnded: boolean;
  send(line: string): void;
  /**
   * Gives what it says from now on until a line with `ending` has come to its end; an empty `ending` is any line.
   * Rejects when it exits first.
   */
  until(ending: string, hear?: Hearing): Promise<Buffer[]>;
  signal(signal: NodeJS.Signals): void;
  /** Ends it, and with it what it has started. */
  stop(): Promise<void>;
}

interface Wait {
  readonly ending: Buffer;
  readonly hear: Hearing | undefined;
  readonly chunks: Buffer[];
  /** The end of what came before, in which `ending` may have begun. */
  tail: Buffer;
  found: boolean;
  resolve(chunks: Buffer[]): void;
  reject(error: Error): void;
}

/** What a program gets beside its arguments. */
export interface StartOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Default: ours. A pipe is never read. */
  readonly stderr?: 'inherit' | 'ignore' | 'pipe';
}

/** Starts a program. */
export function start(command: readonly string[], { env = {}, stderr = 'inherit' }: StartOptions = {}): Running {
  const [program = '', ...args] = command;
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', stderr], env: { ...process.env, ...env } });
  const { stdin, stdout } = child;
  if (stdin === null || stdout === null) throw new Error(`${program} has no pipes`);
  running.add(child);
  let wait: Wait | null = null;
  let hasEnded = false;
  const gone = new Promise<void>((resolve) => {
    child.on('exit', (code) => {
      running.delete(child);
      hasEnded = true;
      wait?.reject(new Error(`${args[0] ?? program} exited (code ${code}) before it had answered`));
      resolve();
    });
  });
  stdin.on('error', () => {});
  stdout.on('data', (chunk: Buffer) => {
    wait?.hear?.(chunk, process.hrtime.bigint());
    if (wait !== null && take(wait, chunk)) {
      wait.resolve(wait.chunks);
      wait = null;
    }
  });
  return {
    pid: child.pid ?? 0,
    get hasEnded() {
      return hasEnded;
    },
    send: (line) => void stdin.write(`${line}\n`),
    until: (ending, hear) =>
      new Promise((resolve, reject) => {
        wait = { ending: Buffer.from(ending), hear, chunks: [], tail: Buffer.alloc(0), found: false, resolve, reject };
      }),
    signal: (signal) => void child.kill(signal),
    async stop() {
      stdin.end();
      child.kill('SIGTERM');
      const again = setTimeout(() => child.kill('SIGTERM'), patienceMs.again);
      const never = setTimeout(() => child.kill('SIGKILL'), patienceMs.kill);
      await gone;
      clearTimeout(again);
      clearTimeout(never);
    },
  };
}

/** Whether the chunk completes what is waited for. */
function take(wait: Wait, chunk: Buffer): boolean {
  wait.chunks.push(chunk);
  const joined = Buffer.concat([wait.tail, chunk]);
  const at = wait.found ? 0 : joined.indexOf(wait.ending);
  wait.tail = joined.subarray(-wait.ending.length);
  if (at === -1) return false;
  wait.found = true;
  return joined.indexOf('\n', at) !== -1;
}

/** CPU time of all threads of a process so far, us. */
export function cpuOf(pid: number): number {
  let nanoseconds = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    nanoseconds += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]);
  }
  return nanoseconds / 1000;
}

/** Memory of a process that is in RAM, bytes. */
export const residentOf = (pid: number) => statusOf(pid, 'VmRSS');

/** The most memory of a process that was ever in RAM, bytes. */
export const peakOf = (pid: number) => statusOf(pid, 'VmHWM');

function statusOf(pid: number, name: string): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'mu').exec(status)?.[1]) * 1024;
}
