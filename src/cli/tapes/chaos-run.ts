// Carries out `patchbay chaos`. chaos.ts declares the options, and loads this file when the command runs.
import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import { openSync, writeSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { GatewayError, messageOf } from '../../core/model/errors.ts';
import { createInjector, type FaultyAgent, type Injector } from '../../gateway/faults/injector.ts';
import type { CutFraming } from '../../tape/cutter.ts';
import { closeOutput, dieOf, exitOf } from './child-exit.ts';
import { chosenSeed, type FaultOptions } from './fault-option.ts';

/** The parsed options. */
export interface ChaosOptions extends FaultOptions {
  readonly framing: CutFraming;
  readonly log?: string;
}

/** How this process ends: as the agent does, also if a fault has killed it; or with a code. */
type Ending = { readonly type: 'agent' | 'killed' } | { readonly type: 'exit'; readonly code: number };

/** An agent that does not end by a signal is killed after so long, ms. */
const graceMs = 2000;

type Agent = ChildProcessByStdio<Writable, Readable, Readable>;

/** Runs the agent to its end and ends as the agent did. Throws `invalid` for a log that cannot be made. */
export async function chaos([program = '', ...args]: readonly string[], options: ChaosOptions): Promise<void> {
  const seed = chosenSeed(options);
  const rules = options.fault ?? [];
  const log = openLog(options.log);
  log({ dir: 'meta', v: 1, argv: [program, ...args], seed, faults: rules.map(({ text }) => text) });
  process.stderr.write(`patchbay chaos: --seed=${seed}\n`);
  process.stdout.on('error', () => {});
  const child: Agent = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdin.on('error', () => {});
  const fate: { ending: Ending } = { ending: { type: 'agent' } };
  let outOver = () => {};
  const untilOutOver = new Promise<void>((resolve) => {
    outOver = resolve;
  });
  const agent: FaultyAgent = {
    kill() {
      fate.ending = { type: 'killed' };
      child.kill('SIGKILL');
    },
    pause() {
      child.kill('SIGSTOP');
      endIfDeaf();
    },
    resume: () => void child.kill('SIGCONT'),
    exit(code) {
      fate.ending = { type: 'exit', code };
      child.kill('SIGKILL');
    },
    reset() {
      fate.ending = { type: 'exit', code: 1 };
      process.stdin.destroy();
      closeOutput();
      child.stdin.destroy();
      child.stdout.destroy();
      end(child, 'SIGTERM');
    },
  };
  const injector = createInjector({
    rules,
    seed,
    framing: options.framing,
    outputs: { in: child.stdin, out: process.stdout, err: process.stderr },
    agent,
    acted: log,
    ended(on, isFault) {
      if (on === 'in') child.stdin.end();
      else if (isFault) closeOutput();
      if (on === 'out') outOver();
    },
  });
  /** A client that is gone cannot be heard of by an agent that is stopped, or that no frame reaches: the agent is ended. */
  const endIfDeaf = () => void (process.stdin.readableEnded && injector.isStuck() && child.kill('SIGKILL'));
  process.stdin.on('end', endIfDeaf);
  passSignals(child);
  connect(injector, child);
  const exit = await exitOf(child);
  if ('failure' in exit) {
    process.stderr.write(`patchbay: ${program} could not be started: ${exit.failure}\n`);
    process.exit(exit.code);
  }
  // What is late still comes; what waits for good does not, nor what a killed agent has not said.
  const { ending } = fate;
  if (ending.type === 'agent' && !injector.isStuck()) await untilOutOver;
  injector.close();
  if (ending.type === 'exit') process.exit(ending.code);
  if (exit.signal !== null) dieOf(exit.signal);
  process.exit(exit.code ?? 1);
}

function connect(injector: Injector, child: Agent): void {
  injector.connect('in', process.stdin);
  injector.connect('out', child.stdout);
  child.stderr.pipe(process.stderr, { end: false });
  child.stderr.on('error', () => {});
  // The client reads no more: the agent learns it by a closed pipe.
  process.stdout.on('error', () => child.stdout.destroy());
}

/** Writes rows at once: a killed process has written them too. */
function openLog(file: string | undefined): (row: object) => void {
  if (file === undefined) return () => {};
  try {
    const descriptor = openSync(file, 'w', 0o600);
    return (row) => void writeSync(descriptor, `${JSON.stringify(row)}\n`);
  } catch (thrown) {
    throw new GatewayError('invalid', `cannot write ${file}: ${messageOf(thrown)}`, { cause: thrown });
  }
}

/** Sends the signal, and SIGKILL to an agent that stays. */
function end(child: ChildProcess, signal: NodeJS.Signals): void {
  child.kill(signal);
  setTimeout(() => child.kill('SIGKILL'), graceMs).unref();
}

function passSignals(child: ChildProcess): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const)
    process.on(signal, () => end(child, signal));
}
