// Starts the program of an agent, and says in words why a program could not be started.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { messageOf } from '../../core/model/errors.ts';
import { spareDescriptor } from '../spare-descriptor.ts';

/** What is started. */
export interface StartOptions {
  /** Program and arguments; never a shell line (docs/threats.md T8). */
  readonly command: readonly [string, ...string[]];
  readonly cwd?: string;
  /** Added to the environment of the gateway. Secrets of the gateway are removed from both. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** A process that was started, or whose failure to start is about to be told. */
export interface StartedChild {
  readonly child: ChildProcess;
  /** The pipes; null where Node has made none. */
  readonly stdin: Writable | null;
  readonly stdout: Readable | null;
  readonly stderr: Readable | null;
}

/** The stdout of a child: a pipe of `spawn`, or a socket that is connected already. */
export type Output = 'pipe' | Socket;

/** Starts processes; a parameter for tests. */
export type Spawn = (
  program: string,
  args: readonly string[],
  options: { cwd?: string; env: Record<string, string | undefined>; stdio: ['pipe', Output, 'pipe']; detached: true },
) => ChildProcess;

/**
 * Starts the process, or returns why it failed. `failed` is called later, at most once, if Node tells the failure by an
 * event. The caller closes an `output` of its own.
 */
export function startChild(
  options: StartOptions,
  failed: (reason: string) => void,
  spawnProcess: Spawn = spawn,
  output: Output = 'pipe',
): StartedChild | string {
  const [program, ...args] = options.command;
  const environment = childEnvironment(options.env);
  try {
    const child = spawnProcess(program, args, {
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
      env: environment,
      stdio: ['pipe', output, 'pipe'],
      detached: true,
    });
    // The listener comes before everything else that may throw: an `error` without a listener ends the gateway.
    child.on('error', (error) => {
      if (child.pid === undefined) failed(couldNotStart(options, error));
    });
    // After EMFILE and ENFILE Node leaves the pipes undefined, against its types (docs/faults.md F31).
    return { child, stdin: child.stdin ?? null, stdout: child.stdout ?? null, stderr: child.stderr ?? null };
  } catch (thrown) {
    return couldNotStart(options, thrown);
  }
}

/** Why the system starts no process, for people. */
const shortages = new Map([
  // A gateway that was not started from a terminal often has a different PATH.
  ['ENOENT', 'there is no such program, at least not on the PATH of this process'],
  ['EMFILE', 'this process may open no more files; close sessions, or raise the limit of open files'],
  ['ENFILE', 'this machine can open no more files'],
  ['EAGAIN', 'this user may start no more processes, or the machine is short of resources'],
  ['ENOMEM', 'this machine has no memory left for a process'],
]);

function couldNotStart({ cwd }: StartOptions, thrown: unknown): string {
  const isShort = spareDescriptor.freeFor(thrown);
  // Node reports a missing working directory as a missing program.
  if (!isShort && cwd !== undefined && !existsSync(cwd)) {
    return `agent could not be started: its directory ${cwd} does not exist`;
  }
  const words = messageOf(thrown);
  const hint = shortages.get(words.split(' ').at(-1) ?? '');
  return `agent could not be started: ${words}${hint === undefined ? '' : ` (${hint})`}`;
}

/** The environment of the gateway and the given variables, without the secrets of the gateway (docs/threats.md T7). */
function childEnvironment(env: StartOptions['env'] = {}): Record<string, string | undefined> {
  const merged = Object.entries({ ...process.env, ...env });
  return Object.fromEntries(
    merged.filter(([name]) => !/^PATCHBAY_(?:TOKEN|STORE|NODE_SECRET)/u.test(name.toUpperCase())),
  );
}
