// Drives one client: its channel, its frontend and its place in the session's stream. Knows no protocol.
import type { Action, Frontend, NoteLevel } from './adapter.ts';
import type { Channel, CloseCode, Frame, FrameFault, Out } from './channel.ts';
import { type Clock, createTimers } from './clock.ts';
import type { Command } from './command.ts';
import { messageOf, type Outcome, refused } from './errors.ts';
import type { Entry, Reader } from './reader.ts';
import { sizeOf } from './window.ts';

/** Bytes that may wait in a client's socket before its reader stops pulling (reference reliability T26). */
export const highWater = 64 * 1024;

/** Commands of one client that may be on their way at once (reference reliability T32). */
const mostUnanswered = 256;

/** Where a client's commands go. */
export interface CommandSink {
  submit(command: Command, settle: (outcome: Outcome) => void): void;
  note(level: NoteLevel, text: string): void;
}

/** A frontend at work, wherever its frames go. */
export interface FrontendDriver {
  /** True when the frame was in order; false when the frontend called it a violation. */
  frame(frame: Frame): boolean;
  fault(fault: FrameFault): void;
  end(): void;
}

/** Carries out a frontend's actions. `send` takes the frames that answer this client alone. */
export function driveFrontend(
  frontend: Frontend,
  clock: Clock,
  sink: CommandSink,
  peer: { send(out: Out): void; close(code: CloseCode, reason: string): void },
): FrontendDriver {
  const timers = createTimers(clock);
  let ended = false;

  function perform(actions: readonly Action<Command>[]): boolean {
    let inOrder = true;
    for (const action of actions) {
      switch (action.do) {
        case 'deliver':
          sink.submit(action.message, (outcome) => {
            // Nobody hears an answer that comes too late, and nothing may be left running for it.
            if (!ended) perform(frontend.reply(action.message, outcome));
          });
          break;
        case 'send':
          peer.send(action.frame);
          break;
        case 'note':
          if (action.level === 'violation') inOrder = false;
          sink.note(action.level, action.text);
          break;
        case 'timer':
          timers.set(action.id, action.ms, () => perform(frontend.wake?.(action.id) ?? []));
          break;
        case 'close':
          peer.close(action.code, action.reason);
          break;
        case 'settle':
          break;
        default:
          action satisfies never;
      }
    }
    return inOrder;
  }

  perform(frontend.start?.() ?? []);
  return {
    frame(frame) {
      try {
        return perform(frontend.decode(frame));
      } catch (thrown) {
        sink.note('violation', `internal error: ${messageOf(thrown)}`);
        perform(frontend.fault({ code: 'bad-frame', message: 'the gateway failed on this frame' }));
        return false;
      }
    },
    fault: (fault) => {
      perform(frontend.fault(fault));
    },
    end: () => {
      perform(frontend.end?.() ?? []);
      ended = true;
      timers.clear();
    },
  };
}

/** Who wants to know about a client. */
export interface ClientListener {
  /** It is gone; once. */
  end(): void;
  /**
   * It sends nothing more; where this is absent, that is its end. `finish` closes the channel as soon as the client has
   * been sent all that there is for it and its commands have been answered.
   */
  half?(finish: (reason: string) => void): void;
}

/** Connects a client on a channel of its own to a session's stream. */
export function linkClient(
  channel: Channel,
  frontend: Frontend,
  reader: Reader,
  clock: Clock,
  sink: CommandSink,
  listener: ClientListener,
): void {
  /** Answers to this client alone, each with its place among what the session says. */
  const answers: { readonly out: Out; readonly place: number }[] = [];
  /** Bytes of them. A client that asks and does not read is not heard either (reference reliability T26, T32). */
  let answerBytes = 0;
  let isUnheard = false;
  let isPumping = false;
  let mustPump = false;
  let unanswered = 0;
  let finishing: string | null = null;
  let blocked = false;
  let isOver = false;

  /** Sending may make the session say more, and so come back here: what is in hand goes first. */
  function pump(): void {
    mustPump = true;
    if (isPumping) return;
    isPumping = true;
    try {
      while (mustPump) {
        mustPump = false;
        sendAll();
      }
    } finally {
      isPumping = false;
    }
    listen();
  }

  function sendAll(): void {
    while (!isOver) {
      blocked = channel.buffered >= highWater;
      if (blocked) return;
      const answer = answers[0];
      const entries = reader.read(highWater, answer?.place);
      for (const entry of entries) tell(entry);
      if (entries.length > 0) continue;
      if (answer !== undefined) {
        answers.shift();
        answerBytes -= sizeOf(answer.out);
        send(answer.out);
      } else if (finishing !== null && unanswered === 0) close('normal', finishing);
      else return;
    }
  }

  function listen(): void {
    if (isOver || answerBytes > highWater === isUnheard) return;
    isUnheard = !isUnheard;
    if (isUnheard) channel.pause();
    else channel.resume();
  }

  function tell(entry: Entry): void {
    if (isOver) return;
    if (entry.kind === 'frame') send(entry.out);
    // Bare frames cannot say that some are missing: this client must come back for a snapshot (F19).
    else if (entry.kind === 'reset') close('slow', 'too far behind: reconnect for the current state');
    else close('going-away', entry.reason);
  }

  function send(out: Out): void {
    if (frontend.dress === undefined) return channel.send(out);
    const dressed = frontend.dress(out);
    if (dressed === null) return;
    if (typeof dressed === 'object' && 'frames' in dressed) for (const frame of dressed.frames) channel.send(frame);
    else channel.send(dressed);
  }

  /** Answers that still wait are this client's last chance to learn why. */
  function close(code: CloseCode, reason: string): void {
    isOver = true;
    for (const { out } of answers.splice(0)) send(out);
    channel.close(code, reason);
  }

  reader.onReadable = pump;
  const counted: CommandSink = {
    note: sink.note,
    submit(command, settle) {
      if (unanswered >= mostUnanswered) {
        return settle(refused('limit', `${mostUnanswered} commands are waiting for their answers already`));
      }
      unanswered += 1;
      sink.submit(command, (outcome) => {
        unanswered -= 1;
        settle(outcome);
        pump();
      });
    },
  };
  const driver = driveFrontend(frontend, clock, counted, {
    send: (out) => {
      answers.push({ out, place: reader.mark() });
      answerBytes += sizeOf(out);
      pump();
    },
    close,
  });
  let ended = false;
  channel.open({
    frame: (frame) => {
      driver.frame(frame);
    },
    fault: driver.fault,
    drained: () => {
      if (blocked) pump();
    },
    end: () => {
      if (ended) return;
      ended = true;
      isOver = true;
      driver.end();
      reader.close();
      listener.end();
    },
    ...(listener.half === undefined
      ? {}
      : {
          half: () =>
            listener.half?.((reason) => {
              finishing = reason;
              pump();
            }),
        }),
  });
  pump();
}
