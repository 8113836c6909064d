// Carries out what one frontend asks for: its commands, its frames, its timers. Knows no protocol and no channel.
import type { Action, Frontend, NoteLevel, SessionView, SubscriptionRequest } from '../contract/adapter.ts';
import type { CloseCode, Frame, FrameFault, Out } from '../contract/channel.ts';
import { type Clock, createTimers } from '../contract/clock.ts';
import type { Command } from '../model/command.ts';
import { messageOf, type Outcome } from '../model/errors.ts';
import type { Receipt, Ticket } from '../contract/ticket.ts';
import type { Broadcast } from '../contract/broadcast.ts';
import type { Reader } from '../contract/reader.ts';

/** Where a client's commands go. */
export interface CommandSink {
  /**
   * `session`: which one the client means, where its connection carries several. Calls back exactly once; with a receipt
   * where there was a ticket.
   */
  submit(
    command: Command,
    settle: (outcome: Outcome, receipt?: Receipt) => void,
    session?: string,
    ticket?: Ticket,
  ): void;
  note(level: NoteLevel, text: string): void;
  /** The client sent bytes that never became a frame. */
  fault?(fault: FrameFault): void;
  /** Connections that carry several sessions. Throws a GatewayError, e.g. `not-found`. */
  subscribe?(watch: SubscriptionRequest): { readonly view: SessionView; readonly reader: Reader };
}

/** A frontend at work, wherever its frames go. */
export interface FrontendDriver {
  /** What the frontend does by itself: to be called once, when its peer can be reached. */
  start(): void;
  /** True when the frame was in order; false when the frontend called it a violation. */
  frame(frame: Frame): boolean;
  fault(fault: FrameFault): void;
  /** What all clients of its protocol are told. */
  onBroadcast(broadcast: Broadcast): void;
  /** That session, which was watched, says nothing more. */
  sessionEnded(session: string, reason: string): void;
  end(): void;
}

/** Where a frontend's own frames go, and what else concerns its connection. */
export interface FrontendPeer {
  /** Takes the frames that answer this client alone. */
  send(out: Out): void;
  close(code: CloseCode, reason: string): void;
  /** Absent where a connection belongs to one session. */
  subscribe?(watch: SubscriptionRequest): void;
  unsubscribe?(session: string): void;
}

/** Nothing is carried out before `start`. */
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
            (outcome, receipt) => {
              // Nobody hears an answer that comes too late, and nothing may be left running for it.
              if (!ended) perform(frontend.reply(action.message, outcome, receipt));
            },
            action.session,
            action.ticket,
          );
          break;
        case 'subscribe':
          peer.subscribe?.(action);
          break;
        case 'unsubscribe':
          peer.unsubscribe?.(action.session);
          break;
        case 'send':
          peer.send(action.frame);
          break;
        case 'note':
          if (action.level === 'violation') inOrder = false;
          sink.note(action.level, action.text);
          break;
        case 'timer':
          timers.set(action.id, action.ms, () => perform(frontend.onTimer?.(action.id) ?? []));
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

  return {
    start: () => {
      perform(frontend.start?.() ?? []);
    },
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
      sink.fault?.(fault);
      perform(frontend.fault(fault));
    },
    onBroadcast: (broadcast) => {
      if (!ended) perform(frontend.onBroadcast?.(broadcast) ?? []);
    },
    sessionEnded: (session, reason) => {
      if (!ended) perform(frontend.sessionEnded?.(session, reason) ?? []);
    },
    end: () => {
      perform(frontend.end?.() ?? []);
      ended = true;
      timers.clear();
    },
  };
}
