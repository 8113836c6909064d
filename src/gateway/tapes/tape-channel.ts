// A channel to an agent that is a tape: its frames come as they came when they were recorded.
import type { Channel } from '../../core/contract/channel.ts';
import type { LoadedTape } from '../../tape/loaded.ts';
import { createPlayer, inWords } from '../../tape/player.ts';
import { createFrameReader } from '../../transports/frame-reader.ts';
import { bytesOf, createFrame } from '../../transports/framing/frame.ts';
import { printable } from '../../transports/printable.ts';
import { faultyChannel } from '../faults/faulty-channel.ts';
import type { TapePlay, TapePlayer } from './tape-player.ts';

/** A request of the tape that was overtaken by a later one is given up after this, ms. */
const patienceMs = 1000;

/** How long a tape that plays by itself waits for what nobody may say, ms. */
const aloneMs = 20;

/** Departures from the tape that are told for each connection (docs/limits.md 12.6). */
const mostTold = 20;

/** The player of tapes. */
export const tapeChannel: TapePlayer = (label, tape, play) => {
  const channel = plainChannel(label, tape, play);
  return play.faults === undefined ? channel : faultyChannel(channel, play.faults);
};

function plainChannel(label: string, tape: LoadedTape, { speed, isAlone = false }: TapePlay): Channel {
  const inlet = createFrameReader();
  const frames = tape.frames.filter(({ dir }) => dir !== 'err');
  const player = createPlayer(frames, { side: 'agent', speed, protocol: tape.protocol });
  // An agent whose input was open on the tape has ended by itself.
  const endsItself = tape.exit !== null && tape.inputEndedAt === null;
  let timer: NodeJS.Timeout | undefined;
  let isScheduled = false;
  /** Departures that were looked at, and those that were told. */
  let seen = 0;
  let told = 0;

  /** Never inside a call of ours: a receiver need not be reentrant. */
  function schedule(): void {
    if (isScheduled) return;
    isScheduled = true;
    queueMicrotask(() => {
      isScheduled = false;
      run();
    });
  }

  /** Tells where the session has left the tape, each place once. */
  function tell(): void {
    for (const departure of player.departures(false).slice(seen)) {
      seen += 1;
      // A tape that plays by itself waits for nobody.
      if ((isAlone && departure.type === 'missing') || told > mostTold) continue;
      told += 1;
      const words = told > mostTold ? 'there are more places, which are not told' : inWords(departure);
      inlet.remark(`The conversation leaves the tape: ${printable(words)}`);
    }
  }

  function run(): void {
    clearTimeout(timer);
    while (inlet.isOpen && !inlet.isPaused && !inlet.isEnded) {
      tell();
      const next = player.next(performance.now());
      switch (next.type) {
        case 'send':
          inlet.frame(createFrame(Buffer.from(next.text)));
          break;
        case 'wait':
          timer = setTimeout(run, next.ms);
          return;
        case 'await':
          if (isAlone) timer = setTimeout(giveUp, aloneMs);
          else if (next.isOvertaken) timer = setTimeout(giveUp, patienceMs);
          return;
        case 'over':
          if (endsItself) inlet.end({ reason: 'the tape is over' });
          return;
        default:
          throw next satisfies never;
      }
    }
  }

  function giveUp(): void {
    player.giveUp(performance.now());
    run();
  }

  return {
    label,
    open(receiver) {
      inlet.open(receiver);
      schedule();
    },
    send(out) {
      if (inlet.isEnded) return;
      player.heard(Buffer.from(bytesOf(out)).toString('utf8'), performance.now());
      schedule();
    },
    buffered: 0,
    pause: () => inlet.pause(),
    resume() {
      inlet.resume();
      schedule();
    },
    close(_code, reason) {
      clearTimeout(timer);
      inlet.shut();
      inlet.end({ reason });
    },
  };
}
