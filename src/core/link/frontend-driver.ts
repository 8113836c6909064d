// Runs one frontend: carries out the actions that it returns, keeps its timers, gives it the answers to its commands.
import type { Action, NoteLevel, SubscriptionEnd, SubscriptionRequest } from '../contract/adapter/action.ts';
import type { Frontend } from '../contract/adapter/frontend.ts';
import type { SessionView } from '../contract/adapter/projection.ts';
import type { Broadcast } from '../contract/broadcast.ts';
import type { CloseCode, Frame, FrameFault, Out } from '../contract/channel.ts';
import { type Clock, createTimers, type Timers } from '../contract/clock.ts';
import { faultText, guarded } from '../contract/guarded.ts';
import type { Limited } from '../contract/limits/limit-rule.ts';
import type { Reader } from '../contract/reader.ts';
import type { Receipt, Ticket } from '../contract/ticket.ts';
import type { Traffic } from '../contract/traffic.ts';
import type { Command } from '../model/command.ts';
import type { Outcome } from '../model/errors.ts';

/** Takes the commands of a client. */
export interface CommandSink {
  /** Counts the frames of the client. */
  readonly traffic?: Traffic;
  /**
   * `session`: the session that the client names, where its connection carries several. Settles exactly once; with a
   * receipt where there was a ticket.
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
  /** The client has reached a limit of its connection. */
  readonly limited?: Limited;
  /** For connections that carry several sessions. Throws a GatewayError, e.g. `not-found`. */
  subscribe?(request: SubscriptionRequest): { readonly view: SessionView; readonly reader: Reader };
  /** The client is done with a session: it ends, unless another client uses it. */
  closeUnused?(session: string): void;
}

/** A running frontend, wherever its frames go. */
export interface FrontendDriver {
  /** Starts the frontend; to be called once, when the peer can be reached. */
  start(): void;
  /** True when the frame was in order; false when the frontend noted a violation. */
  frame(frame: Frame): boolean;
  fault(fault: FrameFault): void;
  /** Passes on what all clients of its protocol get. */
  onBroadcast(broadcast: Broadcast): void;
  /** A session that the client subscribed to says nothing more. */
  sessionEnded(session: string, reason: string): void;
  end(): void;
}

/** The other side of a frontend: takes its frames and what it wants of its connection. */
export interface FrontendPeer {
  /** Takes the frames that answer this client alone. */
  send(out: Out): void;
  close(code: CloseCode, reason: string): void;
  /** The frontend, or what follows from its actions, has thrown: ends the connection with `internalError`. */
  fail(): void;
  /** Absent where a connection belongs to one session. */
  subscribe?(request: SubscriptionRequest): void;
  unsubscribe?(session: string, end: SubscriptionEnd): void;
}

/** A class: each connection has one. */
class ActionDriver implements FrontendDriver {
  readonly #frontend: Frontend;
  readonly #sink: CommandSink;
  readonly #peer: FrontendPeer;
  readonly #timers: Timers;
  #isEnded = false;

  constructor(frontend: Frontend, clock: Clock, sink: CommandSink, peer: FrontendPeer) {
    this.#frontend = frontend;
    this.#sink = sink;
    this.#peer = peer;
    this.#timers = createTimers(clock);
  }

  start(): void {
    this.#act(() => this.#frontend.start?.() ?? []);
  }

  frame(frame: Frame): boolean {
    try {
      return this.#perform(this.#frontend.decode(frame));
    } catch (thrown) {
      this.#sink.note('internal', faultText(thrown));
      this.#act(() => this.#frontend.fault({ code: 'bad-frame', message: 'the gateway failed on this frame' }));
      return false;
    }
  }

  fault(fault: FrameFault): void {
    this.#sink.fault?.(fault);
    this.#act(() => this.#frontend.fault(fault));
  }

  onBroadcast(broadcast: Broadcast): void {
    if (!this.#isEnded) this.#act(() => this.#frontend.onBroadcast?.(broadcast) ?? []);
  }

  sessionEnded(session: string, reason: string): void {
    if (!this.#isEnded) this.#act(() => this.#frontend.sessionEnded?.(session, reason) ?? []);
  }

  end(): void {
    this.#act(() => this.#frontend.end?.() ?? []);
    this.#isEnded = true;
    this.#timers.clear();
  }

  /** What is thrown here ends this connection, whoever has called: a timer, a session, another client. */
  #act(call: () => readonly Action<Command>[]): void {
    guarded(
      () => void this.#perform(call()),
      (thrown) => {
        this.#sink.note('internal', faultText(thrown));
        this.#peer.fail();
      },
    );
  }

  /** Returns whether no action notes a violation. */
  #perform(actions: readonly Action<Command>[]): boolean {
    let isInOrder = true;
    for (const action of actions) {
      switch (action.do) {
        case 'deliver':
          this.#submit(action.message, action.session, action.ticket);
          break;
        case 'subscribe':
          this.#peer.subscribe?.(action);
          break;
        case 'unsubscribe':
          this.#peer.unsubscribe?.(action.session, action);
          break;
        case 'send':
          this.#peer.send(action.frame);
          break;
        case 'note':
          if (action.level === 'violation') isInOrder = false;
          this.#sink.note(action.level, action.text);
          break;
        case 'timer':
          this.#timers.set(action.id, action.ms, () => this.#act(() => this.#frontend.onTimer?.(action.id) ?? []));
          break;
        case 'close':
          this.#peer.close(action.code, action.reason);
          break;
        case 'settle':
          break;
        default:
          action satisfies never;
      }
    }
    return isInOrder;
  }

  #submit(command: Command, session: string | undefined, ticket: Ticket | undefined): void {
    const settle = (outcome: Outcome, receipt?: Receipt) => {
      // An answer after the end reaches nobody, and must not start anything, e.g. a timer.
      if (!this.#isEnded) this.#act(() => this.#frontend.reply(command, outcome, receipt));
    };
    this.#sink.submit(command, settle, session, ticket);
  }
}

/** Nothing runs before `start`. */
export function driveFrontend(frontend: Frontend, clock: Clock, sink: CommandSink, peer: FrontendPeer): FrontendDriver {
  return new ActionDriver(frontend, clock, sink, peer);
}
