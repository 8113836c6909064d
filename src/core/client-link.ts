// Drives one client: its channel, its frontend and its place in the streams of its session or sessions. Knows no protocol.
import type { Action, Frontend, NoteLevel, SessionView, Watch } from './adapter.ts';
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
  /** `session`: which one the client means, where its connection carries several. */
  submit(command: Command, settle: (outcome: Outcome) => void, session?: string): void;
  note(level: NoteLevel, text: string): void;
  /** Connections that carry several sessions. Throws a GatewayError, e.g. `not-found`. */
  watch?(watch: Watch): { readonly view: SessionView; readonly reader: Reader };
}

/** A frontend at work, wherever its frames go. */
export interface FrontendDriver {
  /** True when the frame was in order; false when the frontend called it a violation. */
  frame(frame: Frame): boolean;
  fault(fault: FrameFault): void;
  /** That session, which was watched, says nothing more. */
  over(session: string, reason: string): void;
  end(): void;
}

/** Where a frontend's own frames go, and what else concerns its connection. */
export interface FrontendPeer {
  send(out: Out): void;
  close(code: CloseCode, reason: string): void;
  /** Absent where a connection belongs to one session. */
  watch?(watch: Watch): void;
  unwatch?(session: string): void;
}

/** Carries out a frontend's actions. `send` takes the frames that answer this client alone. */
export function driveFrontend(frontend: Frontend, clock: Clock, sink: CommandSink, peer: FrontendPeer): FrontendDriver {
  const timers = createTimers(clock);
  let ended = false;

  function perform(actions: readonly Action<Command>[]): boolean {
    let inOrder = true;
    for (const action of actions) {
      switch (action.do) {
        case 'deliver':
          sink.submit(
            action.message,
            (outcome) => {
              // Nobody hears an answer that comes too late, and nothing may be left running for it.
              if (!ended) perform(frontend.reply(action.message, outcome));
            },
            action.session,
          );
          break;
        case 'watch':
          peer.watch?.(action);
          break;
        case 'unwatch':
          peer.unwatch?.(action.session);
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
    over: (session, reason) => {
      if (!ended) perform(frontend.over?.(session, reason) ?? []);
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

/** A session that a client hears. */
interface Watched {
  /** Null: the one that the connection belongs to, and ends with. */
  readonly session: string | null;
  readonly reader: Reader;
}

/** An answer to a client alone, with its place among what each session says. */
interface Answer {
  readonly out: Out;
  readonly places: readonly { readonly watched: Watched; readonly until: number }[];
}

/**
 * Connects a client on a channel of its own to a session's stream; without a `reader`, to those that its frontend
 * watches by and by.
 */
export function linkClient(
  channel: Channel,
  frontend: Frontend,
  reader: Reader | null,
  clock: Clock,
  sink: CommandSink,
  listener: ClientListener,
): void {
  /** Copied when it changes: a session that is told of may lead to another. */
  let watching: readonly Watched[] = [];
  const answers: Answer[] = [];
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
      if (tellBefore(answer)) continue;
      if (answer !== undefined) {
        answers.shift();
        answerBytes -= sizeOf(answer.out);
        send(answer.out);
      } else if (finishing !== null && unanswered === 0) close('normal', finishing);
      else return;
    }
  }

  /** Some of what comes before that answer; false when there is nothing more. */
  function tellBefore(answer: Answer | undefined): boolean {
    if (answer === undefined) return tellSome(watching, () => undefined);
    // Who came after the answer speaks after it.
    const places = new Map(answer.places.map(({ watched, until }) => [watched, until]));
    const before = watching.filter((watched) => places.has(watched));
    return tellSome(before, (watched) => places.get(watched));
  }

  function tellSome(some: readonly Watched[], until: (watched: Watched) => number | undefined): boolean {
    let isTold = false;
    for (const watched of some) {
      const entries = watched.reader.read(highWater, until(watched));
      for (const entry of entries) tell(watched, entry);
      if (entries.length > 0) isTold = true;
    }
    return isTold;
  }

  function listen(): void {
    if (isOver || answerBytes > highWater === isUnheard) return;
    isUnheard = !isUnheard;
    if (isUnheard) channel.pause();
    else channel.resume();
  }

  function tell(watched: Watched, entry: Entry): void {
    if (isOver) return;
    if (entry.kind === 'frame') send(entry.out);
    // Bare frames cannot say that some are missing: this client must come back for a snapshot (F19).
    else if (entry.kind === 'reset') close('slow', 'too far behind: reconnect for the current state');
    else if (watched.session === null) close('going-away', entry.reason);
    else {
      forget(watched);
      driver.over(watched.session, entry.reason);
    }
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

  function hear(watched: Watched): void {
    watching = [...watching, watched];
    watched.reader.onReadable = pump;
  }

  function forget(watched: Watched): void {
    watching = watching.filter((other) => other !== watched);
    watched.reader.close();
  }

  function watch(wish: Watch): void {
    if (sink.watch === undefined || watching.some(({ session }) => session === wish.session)) return;
    try {
      const { view, reader } = sink.watch(wish);
      frontend.watching?.(view);
      hear({ session: wish.session, reader });
    } catch (thrown) {
      driver.over(wish.session, messageOf(thrown));
    }
    pump();
  }

  function unwatch(session: string): void {
    for (const watched of watching) if (watched.session === session) forget(watched);
  }

  const counted: CommandSink = {
    note: sink.note,
    submit(command, settle, session) {
      if (unanswered >= mostUnanswered) {
        return settle(refused('limit', `${mostUnanswered} commands are waiting for their answers already`));
      }
      unanswered += 1;
      const answered = (outcome: Outcome) => {
        unanswered -= 1;
        settle(outcome);
        pump();
      };
      sink.submit(command, answered, session);
    },
  };
  if (reader !== null) hear({ session: null, reader });
  const driver = driveFrontend(frontend, clock, counted, {
    send: (out) => {
      answers.push({ out, places: watching.map((watched) => ({ watched, until: watched.reader.mark() })) });
      answerBytes += sizeOf(out);
      pump();
    },
    close,
    watch,
    unwatch,
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
      for (const watched of watching) forget(watched);
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
