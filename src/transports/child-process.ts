// A channel to an agent that we start: frames on its stdin and stdout. Knows no protocol; the framing is a parameter.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Channel } from '../core/contract/channel.ts';
import { messageOf } from '../core/model/errors.ts';
import type { Framing } from './framing/framing.ts';
import { jsonl } from './framing/jsonl.ts';
import { createFrameReader } from './frame-reader.ts';
import { createFirstWords, followStderr } from './last-words.ts';
import { nullChannel } from './memory.ts';
import { createFrameWriter } from './frame-writer.ts';
import { adoptGroup } from './process-group.ts';

/** How to start an agent. */
export interface SpawnOptions {
  /** Program and arguments; never a shell line (docs/threats.md T8). */
  readonly command: readonly [string, ...string[]];
  readonly cwd?: string;
  /** Added to our own environment. Gateway secrets are taken out of both. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly label: string;
  readonly framing?: Framing;
  /** Default 32 MiB: agents send images in base64. */
  readonly maxFrameBytes?: number;
  /** Between SIGTERM and SIGKILL; default 5000. */
  readonly termGraceMs?: number;
  /** How long an exited child's output is still read, and a closed child may leave by itself; default 250. */
  readonly drainMs?: number;
}

/** A channel to a process. */
export type ChildChannel = Channel & {
  /** Undefined when the process could not be started. */
  readonly pid: number | undefined;
  /** Ends its stdin, and goes on listening; nothing can be sent then. */
  endInput(): void;
};

/**
 * Starts the program in a process group of its own. Never throws: what goes wrong is told by `end`, whose reason is
 * `agent exited (code 1)`, `agent exited (signal SIGKILL)`, `agent could not be started: …`, or what `close` was given.
 */
export function spawnChannel(options: SpawnOptions): ChildChannel {
  const { label, framing = jsonl, maxFrameBytes = 32 * 1024 * 1024, termGraceMs = 5000, drainMs = 250 } = options;
  const inlet = createFrameReader();
  const child = start(options);
  if (typeof child === 'string') {
    const nobody = nullChannel(label);
    nobody.close('error', child);
    return { ...nobody, pid: undefined, endInput() {} };
  }

  const { stdin, stdout, stderr, pid } = child;
  const group = pid === undefined ? undefined : adoptGroup(pid);
  const outlet = stdin === null ? undefined : createFrameWriter(stdin, framing, () => inlet.drained());
  const firstWords = createFirstWords();
  const decoder = framing.decoder(
    {
      frame(frame) {
        firstWords.frame(frame);
        inlet.frame(frame);
      },
      recognise: (peek, start, end) => inlet.recognise(peek, start, end),
      fault: (fault) => inlet.fault(fault),
    },
    { maxFrameBytes },
  );
  const stderrTail = stderr === null ? () => '' : followStderr(stderr);
  /** Set by exit or by a failed start. */
  let fate: string | undefined;
  /** Set by close. */
  let closing: string | undefined;
  let draining: NodeJS.Timeout | undefined;
  let killing: readonly NodeJS.Timeout[] = [];

  // A write to a child that has died is an `error` event, which without a listener ends the gateway.
  stdin?.on('error', () => expectExit('agent closed its input'));
  stdout?.on('error', () => {});
  stdout?.pause();
  stdout?.on('data', (chunk: Buffer) => {
    firstWords.heard(chunk);
    if (closing !== undefined) return;
    decoder.push(chunk);
    // Node starts the stream itself when the child exits; the inlet keeps what that let through.
    if (!inlet.isOpen || inlet.isPaused) stdout.pause();
  });
  stdout?.on('end', () => {
    expectExit('agent closed its output');
    endWhenDrained();
  });
  stderr?.on('end', endWhenDrained);
  child.on('error', (error) => {
    if (pid === undefined) settle(couldNotStart(options, error));
  });
  child.on('exit', (code, signal) => {
    group?.dissolve(termGraceMs);
    settle(code === null ? `agent exited (signal ${signal})` : `agent exited (code ${code})`);
  });

  function settle(reason: string): void {
    fate ??= reason;
    endWhenDrained();
  }

  /** Ends after the last output was read. A grandchild may hold the pipes open, so `close` may never come. */
  function endWhenDrained(): void {
    if (fate === undefined || inlet.isEnded) return;
    if (closing !== undefined || pid === undefined) return finish();
    // Back-pressure or a receiver that is not there yet: the output is still wanted, and waits in the pipe.
    if (!inlet.isOpen || inlet.isPaused) return;
    if (stdout?.readableEnded && stderr?.readableEnded) return finish();
    // The timer fires before a blocked event loop gets to read, so one more round of reading comes first.
    draining ??= setTimeout(() => {
      setImmediate(() => {
        if (draining !== undefined) finish();
      });
    }, drainMs);
  }

  function stopDraining(): void {
    clearTimeout(draining);
    draining = undefined;
  }

  function finish(): void {
    stopDraining();
    killing.forEach(clearTimeout);
    if (inlet.isEnded) return;
    decoder.end();
    for (const stream of [stdin, stdout, stderr]) stream?.destroy();
    const detail = [firstWords.text(), stderrTail()].filter((text) => text !== '').join('\n');
    inlet.end({ reason: closing ?? fate ?? 'agent ended', ...(detail === '' ? {} : { detail }) });
  }

  /** Half of the connection is gone. The exit is normally next; a process that lives on is of no use. */
  function expectExit(reason: string): void {
    setTimeout(() => {
      if (fate === undefined) close(reason);
    }, termGraceMs).unref();
  }

  function close(reason: string): void {
    if (closing !== undefined || inlet.isEnded) return;
    closing = reason;
    inlet.shut();
    if (fate !== undefined) return finish();
    outlet?.end();
    // Read on, into the void: a child that cannot write cannot leave.
    stdout?.resume();
    killing = [
      setTimeout(() => group?.signal('SIGTERM'), drainMs),
      setTimeout(() => group?.signal('SIGKILL'), drainMs + termGraceMs),
    ];
  }

  return {
    label,
    pid,
    open(receiver) {
      inlet.open(receiver);
      stdout?.resume();
      endWhenDrained();
    },
    send(out) {
      if (closing === undefined) outlet?.send(out);
    },
    get buffered() {
      return outlet?.buffered ?? 0;
    },
    pause() {
      if (closing !== undefined) return;
      inlet.pause();
      stdout?.pause();
      stopDraining();
    },
    resume() {
      inlet.resume();
      stdout?.resume();
      endWhenDrained();
    },
    close: (_code, reason) => close(reason),
    endInput: () => outlet?.end(),
  };
}

/** The process, or why there is none: spawn throws for some errors and emits others. */
function start(options: SpawnOptions): ChildProcess | string {
  const [program, ...args] = options.command;
  try {
    return spawn(program, args, {
      cwd: options.cwd,
      env: childEnvironment(options.env),
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
    });
  } catch (thrown) {
    return couldNotStart(options, thrown);
  }
}

function couldNotStart({ cwd }: SpawnOptions, thrown: unknown): string {
  // Node reports a missing directory as a missing program.
  if (cwd !== undefined && !existsSync(cwd)) return `agent could not be started: its directory ${cwd} does not exist`;
  const words = messageOf(thrown);
  // Programs that were not started from a terminal often have another PATH than their user.
  const hint = words.endsWith('ENOENT') ? ' (there is no such program, at least not on the PATH of this process)' : '';
  return `agent could not be started: ${words}${hint}`;
}

/** Our environment and the given one, without what only the gateway may know (docs/threats.md T7). */
function childEnvironment(env: SpawnOptions['env'] = {}): Record<string, string | undefined> {
  const merged = Object.entries({ ...process.env, ...env });
  return Object.fromEntries(merged.filter(([name]) => !name.toUpperCase().startsWith('PATCHBAY_TOKEN')));
}
