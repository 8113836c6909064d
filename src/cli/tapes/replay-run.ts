// Carries out `patchbay replay`. replay.ts declares the options, and loads this file when the command runs.
import { createReadStream } from 'node:fs';
import { GatewayError } from '../../core/model/errors.ts';
import { tapeIn } from '../../gateway/tapes/tape-input.ts';
import { createCutter } from '../../tape/cutter.ts';
import type { LoadedTape } from '../../tape/loaded.ts';
import { createPlayer, inWords, type MatchLevel, type Player } from '../../tape/player.ts';
import { printable } from '../../transports/printable.ts';
import { dieOf } from './child-exit.ts';
import { chosenSeed, type FaultOptions } from './fault-option.ts';
import { behindFaults, ourStdio, type Peer, peerOf } from './replay-peer.ts';

/** The parsed options. */
export interface ReplayOptions extends FaultOptions {
  readonly as: 'agent' | 'client';
  /** `Infinity`: max. */
  readonly speed: number;
  readonly idle?: number;
  readonly step?: boolean;
  readonly match: MatchLevel;
  readonly patience: number;
  readonly linger: number;
  readonly conn?: string;
  readonly protocol?: string;
}

/** The exit code when the other side left the tape. */
const departed = 3;

/** Plays the tape to its end and ends the process. Throws `invalid` for a file that is no tape. */
export async function replay(file: string, command: readonly string[], options: ReplayOptions): Promise<void> {
  if (options.as === 'agent' && command.length > 0) {
    throw new GatewayError('invalid', 'a command belongs to --as client: the agent is played by the tape');
  }
  const tape = tapeIn(file, { conn: options.conn, protocol: options.protocol });
  const peer = withFaults(
    options.as === 'client' && command.length > 0 ? peerOf(command) : ourStdio(options.as),
    options,
  );
  const player = createPlayer(tape.frames, {
    side: options.as,
    match: options.match,
    speed: options.speed,
    idleMs: options.idle ?? Number.POSITIVE_INFINITY,
    protocol: tape.protocol,
  });
  await play(player, tape, peer, options);
  const list = player.departures(true);
  for (const departure of list) process.stderr.write(`patchbay replay: ${printable(inWords(departure))}\n`);
  await peer.writtenOut();
  if (list.length > 0) process.exit(departed);
  const { code = 0, signal = null } = options.as === 'agent' ? (tape.exit ?? {}) : {};
  if (signal !== null) return dieOf(signal as NodeJS.Signals);
  process.exit(code ?? 0);
}

function withFaults(peer: Peer, options: ReplayOptions): Peer {
  const rules = options.fault ?? [];
  if (rules.length === 0) return peer;
  const seed = chosenSeed(options);
  process.stderr.write(`patchbay replay: --seed=${seed}\n`);
  return behindFaults(peer, options.as, { rules, seed });
}

/** Resolves when the tape is over or cannot go on: the other side is gone. */
function play(player: Player, tape: LoadedTape, peer: Peer, options: ReplayOptions): Promise<void> {
  return new Promise((resolve) => {
    let timer: NodeJS.Timeout | undefined;
    let isInputOver = false;
    /** Frames that may still be sent before the next step. */
    let steps = options.step === true ? 0 : Number.POSITIVE_INFINITY;
    // An agent whose input was open on the tape has ended by itself.
    const endsItself = options.as === 'agent' && tape.exit !== null && tape.inputEndedAt === null;

    function run(): void {
      clearTimeout(timer);
      for (;;) {
        if (steps <= 0 || peer.isStopped()) return;
        const now = performance.now();
        const next = player.next(now);
        switch (next.type) {
          case 'send': {
            steps -= 1;
            const to = next.dir === 'err' ? peer.errors : peer.output;
            to?.write(next.bytes);
            break;
          }
          case 'wait':
            timer = setTimeout(run, next.ms);
            return;
          case 'await':
            if (isInputOver && next.isOvertaken) {
              // Nothing more comes: what was asked later is answered at once.
              player.giveUp(now);
              break;
            }
            if (isInputOver) return resolve();
            if (next.isOvertaken) timer = setTimeout(giveUp, options.patience);
            // A client that has said everything leaves when the agent is done, and nobody knows when that is.
            else if (next.isLast && options.as === 'client') timer = setTimeout(leave, options.linger);
            return;
          case 'over':
            if (options.as === 'client') leave();
            if (isInputOver || endsItself) resolve();
            return;
          default:
            throw next satisfies never;
        }
      }
    }

    function leave(): void {
      peer.endOutput();
      if (!peer.isProgram) resolve();
    }

    function giveUp(): void {
      player.giveUp(performance.now());
      run();
    }

    const cutter = createCutter(framingOf(tape), ({ body }) => {
      player.heard(body.toString('utf8'), performance.now());
    });
    peer.input.on('data', (chunk: Buffer) => {
      cutter.push(chunk);
      run();
    });
    peer.input.on('end', () => {
      cutter.end();
      isInputOver = true;
      run();
    });
    peer.onContinue(run);
    if (options.step === true) {
      onStep(() => {
        steps += 1;
        run();
      });
    }
    run();
  });
}

function framingOf({ frames }: LoadedTape): 'lines' | 'content-length' | 'detect' {
  return frames.some(({ row }) => row.frame === 'content-length') ? 'content-length' : 'lines';
}

/** Stdin is the wire, so Enter is read from the terminal itself. Without a terminal SIGUSR2 remains. */
function onStep(step: () => void): void {
  process.on('SIGUSR2', step);
  const terminal = createReadStream('/dev/tty');
  terminal.on('error', () => {});
  terminal.on('data', step);
}
