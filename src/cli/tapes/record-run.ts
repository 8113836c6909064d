// Carries out `patchbay record`. record.ts declares the options, and loads this file when the command runs.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { protocolOf } from '../../adapters/protocols.ts';
import { GatewayError } from '../../core/model/errors.ts';
import { openTapeFile, type TapeFailure } from '../../stores/tape-file.ts';
import type { CutFraming } from '../../tape/cutter.ts';
import { createRecorder, type Recorder } from '../../tape/recorder.ts';
import { dieOf, exitOf } from './child-exit.ts';
import { redact } from './redact-run.ts';

/** The parsed options. */
export interface RecordOptions {
  readonly output: string;
  readonly force?: boolean;
  readonly scrub?: boolean;
  readonly protocol?: string;
  readonly framing: CutFraming;
  /** Instead of a program. */
  readonly url?: string;
  readonly port?: number;
}

/** Records until the program or the user ends it. Throws `invalid` for a tape that cannot be made. */
export async function record(command: readonly string[], options: RecordOptions): Promise<void> {
  if (command.length > 0 === (options.url !== undefined)) {
    throw new GatewayError('invalid', 'a program after --, or --url: one of the two');
  }
  if (options.protocol !== undefined) protocolOf(options.protocol, 'agent');
  const { url } = options;
  if (url === undefined) return recordProgram(command, options);
  const { recordUrl } = await import('./record-url.ts');
  const output = openOutput(options);
  await recordUrl(url, { port: options.port ?? 0, protocol: options.protocol, write: output.append });
  output.finish();
}

/** An open tape. */
interface Output {
  append(text: string): void;
  /** Closes the tape, and scrubs it if that was asked for. */
  finish(): void;
}

function openOutput(options: RecordOptions): Output {
  const isScrubbed = options.scrub === true;
  // Streamed secrets are found only in the whole tape. The name says what the file is if we are killed before that.
  const place = isScrubbed ? `${options.output}.unscrubbed` : options.output;
  if (isScrubbed && options.force !== true && existsSync(options.output)) {
    throw new GatewayError('invalid', `${options.output} exists`);
  }
  const file = openTapeFile(place, {
    replaces: options.force === true,
    failed: (reason) => process.stderr.write(`patchbay: the tape ends here: ${inWords(reason)}\n`),
  });
  return {
    append: (text) => file.append(text),
    finish() {
      file.close();
      if (!isScrubbed) return;
      redact(place, { output: options.output, force: options.force === true, word: [] });
      rmSync(place);
    },
  };
}

/** Runs the program to its end and ends as the program did. */
async function recordProgram(command: readonly string[], options: RecordOptions): Promise<void> {
  const [program = '', ...args] = command;
  const output = openOutput(options);
  const recorder = createRecorder({
    meta: {
      ...(options.protocol === undefined ? {} : { protocol: options.protocol }),
      argv: [...command],
      cwd: process.cwd(),
      startedAt: new Date().toISOString(),
    },
    framing: options.framing,
    now: () => performance.now(),
    write: output.append,
  });
  // Not detached: a terminal reaches the program directly, and its end takes no program along that we would have to find.
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'] });
  const stopPassing = passSignals(child);
  tap(child, recorder);
  const exit = await exitOf(child);
  stopPassing();
  if ('failure' in exit) process.stderr.write(`patchbay: ${program} could not be started: ${exit.failure}\n`);
  recorder.ended('failure' in exit ? { code: exit.code, signal: null } : exit);
  output.finish();
  await writtenOut();
  if (!('failure' in exit) && exit.signal !== null) return dieOf(exit.signal);
  process.exit(exit.code ?? 1);
}

/** The bytes leave before they are taped, so that the tape delays nobody. */
function tap({ stdin, stdout, stderr }: ChildProcess, recorder: Recorder): void {
  pass('in', process.stdin, stdin, recorder);
  pass('out', stdout, process.stdout, recorder);
  pass('err', stderr, process.stderr, recorder);
}

function pass(dir: 'in' | 'out' | 'err', from: Readable | null, to: Writable | null, recorder: Recorder): void {
  if (from === null || to === null) return;
  let isOver = false;
  // Our own outputs stay open: what we still say on stderr comes last.
  from.pipe(to, { end: dir === 'in' });
  from.on('data', (chunk: Buffer) => {
    if (!isOver) recorder.heard(dir, chunk);
  });
  if (dir === 'in') {
    from.on('end', () => {
      if (!isOver) recorder.inputEnded();
      isOver = true;
    });
  }
  // The reader is gone. The writer learns it as it would have without us: by a closed pipe.
  to.on('error', () => {
    isOver = true;
    from.unpipe(to);
    from.destroy();
  });
  from.on('error', () => {});
}

const passed = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2', 'SIGCONT', 'SIGWINCH'] as const;

function passSignals(child: ChildProcess): () => void {
  const handlers = passed.map((signal) => {
    // A terminal sends these to the program as well.
    const isFromTerminal = process.stdin.isTTY && (signal === 'SIGINT' || signal === 'SIGQUIT');
    const handler = () => void (isFromTerminal || child.kill(signal));
    process.on(signal, handler);
    return () => process.off(signal, handler);
  });
  return () => {
    for (const remove of handlers) remove();
  };
}

/** Resolves when our reader has everything, or is gone. */
function writtenOut(): Promise<unknown> {
  return new Promise((resolve) => process.stdout.write('', resolve));
}

function inWords(reason: TapeFailure): string {
  return reason.type === 'full' ? 'it is full' : `it could not be written (${reason.code})`;
}
