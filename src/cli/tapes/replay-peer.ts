// The other side of a tape that is played: our own stdio or a program, and faults on the way there.
import { spawn } from 'node:child_process';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import type { FaultRule } from '../../faults/rule.ts';
import { createInjector, type FaultyAgent } from '../../gateway/faults/injector.ts';
import { closeOutput, dieOf } from './child-exit.ts';

/** What the other side says, and where our frames go. */
export interface Peer {
  readonly input: Readable;
  readonly output: Writable;
  readonly errors: Writable | null;
  /** The other side is a program of ours, and not whoever has started us. */
  readonly isProgram: boolean;
  /** The agent, for faults that end or stop it. */
  readonly agent: FaultyAgent;
  /** We say nothing more. */
  endOutput(): void;
  /** Nothing may be sent: the played agent is stopped. */
  isStopped(): boolean;
  /** Sets what is called when the agent continues. */
  onContinue(run: () => void): void;
  /** Resolves when the other side has everything, or never can. */
  writtenOut(): Promise<unknown>;
}

/** Whoever has started us. */
export function ourStdio(side: 'agent' | 'client'): Peer {
  process.stdout.on('error', () => {});
  let isStopped = false;
  let run = () => {};
  const agent: FaultyAgent = {
    kill: () => dieOf('SIGKILL'),
    exit: (code) => process.exit(code),
    reset() {
      process.stdin.destroy();
      closeOutput();
      process.exit(1);
    },
    pause() {
      isStopped = true;
    },
    resume() {
      isStopped = false;
      run();
    },
  };
  return {
    input: process.stdin,
    output: process.stdout,
    errors: side === 'agent' ? process.stderr : null,
    isProgram: false,
    agent,
    endOutput() {},
    isStopped: () => isStopped,
    onContinue(given) {
      run = given;
    },
    writtenOut: () => new Promise((resolve) => process.stdout.write('', resolve)),
  };
}

/** An agent that we start. */
export function peerOf([program = '', ...args]: readonly string[]): Peer {
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  child.on('error', (error) => {
    process.stderr.write(`patchbay: ${program} could not be started: ${error.message}\n`);
    process.exit(1);
  });
  child.stdin.on('error', () => {});
  return {
    input: child.stdout,
    output: child.stdin,
    errors: null,
    isProgram: true,
    agent: {
      kill: () => void child.kill('SIGKILL'),
      // Nobody sees the exit code of a program that we have started.
      exit: () => void child.kill('SIGKILL'),
      reset() {
        child.stdin.destroy();
        child.stdout.destroy();
        child.kill('SIGTERM');
      },
      pause: () => void child.kill('SIGSTOP'),
      resume: () => void child.kill('SIGCONT'),
    },
    endOutput: () => child.stdin.end(),
    isStopped: () => false,
    onContinue() {},
    writtenOut: () => new Promise((resolve) => child.stdin.write('', resolve)),
  };
}

/** The same side behind faults. `side` is the one that we play. */
export function behindFaults(
  peer: Peer,
  side: 'agent' | 'client',
  { rules, seed }: { readonly rules: readonly FaultRule[]; readonly seed: number },
): Peer {
  const said = new PassThrough();
  const heard = new PassThrough();
  const [ours, theirs] = side === 'agent' ? (['out', 'in'] as const) : (['in', 'out'] as const);
  let over = () => {};
  const untilOver = new Promise<void>((resolve) => {
    over = resolve;
  });
  const gone = (end: () => void) => {
    end();
    over();
  };
  const injector = createInjector({
    rules,
    seed,
    outputs:
      side === 'agent'
        ? { in: heard, out: peer.output, err: process.stderr }
        : { in: peer.output, out: heard, err: process.stderr },
    agent: {
      ...peer.agent,
      // Nothing reaches an agent that is gone.
      kill: () => gone(peer.agent.kill),
      exit: (code) => gone(() => peer.agent.exit(code)),
      reset: () => gone(peer.agent.reset),
    },
    ended(on, isFault) {
      if (on === theirs) return void heard.end();
      if (isFault && peer.output === process.stdout) closeOutput();
      else peer.endOutput();
      over();
    },
    acted() {},
  });
  injector.connect(ours, said);
  injector.connect(theirs, peer.input);
  return {
    ...peer,
    input: heard,
    output: said,
    endOutput: () => said.end(),
    async writtenOut() {
      said.end();
      // What waits for good never leaves.
      if (!injector.isStuck()) await untilOver;
      injector.close();
      await peer.writtenOut();
    },
  };
}
