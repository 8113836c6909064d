// Drives one client on a channel of its own: connects it to its sessions, counts its commands, and closes it in order.
import type { SubscriptionEnd, SubscriptionRequest } from '../contract/adapter/action.ts';
import type { Frontend } from '../contract/adapter/frontend.ts';
import type { Broadcast } from '../contract/broadcast.ts';
import type { Channel, CloseCode, Frame, FrameFault, Out, Receiver } from '../contract/channel.ts';
import type { Clock } from '../contract/clock.ts';
import { faultText, guarded, internalError } from '../contract/guarded.ts';
import { unpaced, type WorkQueue } from '../contract/paced-work.ts';
import type { Entry, Reader } from '../contract/reader.ts';
import type { Traffic } from '../contract/traffic.ts';
import { BroadcastBacklog } from './broadcast-backlog.ts';
import { ClientSender, type SenderListener } from './client-sender.ts';
import { ClientSubscriptions, type SubscriptionOwner } from './client-subscriptions.ts';
import { CountedSink } from './counted-sink.ts';
import { FaultLimit, mostFaults } from './fault-limit.ts';
import { type CommandSink, driveFrontend, type FrontendDriver, type FrontendPeer } from './frontend-driver.ts';
import { createSendScheduler, type SendScheduler, type Subscription } from './send-scheduler.ts';

/** Commands of one client, over all its sessions, that may be unanswered at once (docs/threats.md T32). */
const mostUnanswered = 256;

/** The work that a client leaves behind when it sends nothing more. */
export interface Remainder {
  /** Why the channel is closed when that work is done. */
  readonly reason: string;
  /** Calls back once, when nothing is running that the client has begun; within this call if that is so already. */
  whenIdle(callback: () => void): void;
}

/** Learns how a client ends. */
export interface ClientListener {
  /** The channel has ended; called once. */
  end(): void;
  /**
   * The client sends nothing more. The channel is closed when the client is idle, its commands are answered (an answer
   * may lead to more of them) and everything has been sent to it. Absent: such a client has ended.
   */
  half?(): Remainder;
  /** The client is a program of others: it is closed after too many bad frames (docs/faults.md F21). */
  readonly isStrict?: boolean;
}

/** Where the work for a client takes its turn. */
interface ClientWork {
  readonly sending: WorkQueue;
  readonly reading: WorkQueue;
}

/** A client that is being served. */
export interface ClientLink {
  /** Closes the channel as soon as everything has been sent to the client. Idempotent. */
  leave(code: CloseCode, reason: string): void;
  /** Sends what all clients of its protocol get. A client that does not read is closed. */
  onBroadcast(broadcast: Broadcast): void;
}

/** How far a client is on its way to the end of its channel. */
type Phase =
  | { readonly is: 'serving' }
  /** The client sends nothing more: it is closed when its commands are answered and everything is sent. */
  | { readonly is: 'finishing'; readonly remainder: Remainder }
  /** So far so good, and `remainder.whenIdle` has been asked. */
  | { readonly is: 'awaiting-idle'; readonly remainder: Remainder }
  /** The gateway lets the client go: it is closed when everything is sent. */
  | { readonly is: 'leaving'; readonly code: CloseCode; readonly reason: string }
  /** The gateway has closed the channel. */
  | { readonly is: 'closed' }
  /** The channel has ended. */
  | { readonly is: 'ended' };

const serving: Phase = { is: 'serving' };
const closed: Phase = { is: 'closed' };
const ended: Phase = { is: 'ended' };

/** A class: each connection has one. As closures, its functions would weigh as much as the rest of an idle client. */
class ClientConnection implements Receiver, ClientLink, FrontendPeer, SenderListener, SubscriptionOwner {
  readonly work: WorkQueue;
  /** Absent: a client that sends nothing more has ended. */
  readonly inputEnded?: () => void;
  readonly #channel: Channel;
  readonly #clock: Clock;
  readonly #listener: ClientListener;
  readonly #scheduler: SendScheduler = createSendScheduler();
  readonly #broadcasts = new BroadcastBacklog();
  readonly #commands: CountedSink;
  readonly #sender: ClientSender;
  readonly #subscriptions: ClientSubscriptions;
  readonly #driver: FrontendDriver;
  readonly #faults = new FaultLimit();
  readonly #sink: CommandSink;
  #phase: Phase = serving;

  constructor(
    channel: Channel,
    frontend: Frontend,
    clock: Clock,
    sink: CommandSink,
    listener: ClientListener,
    { sending, reading }: ClientWork,
  ) {
    this.#channel = channel;
    this.#clock = clock;
    this.#listener = listener;
    this.#sink = sink;
    this.work = reading;
    if (listener.half !== undefined) this.inputEnded = () => this.#act(() => this.#finish());
    this.#sender = new ClientSender(channel, frontend, this.#scheduler, this, sending, sink.traffic);
    this.#subscriptions = new ClientSubscriptions(this.#scheduler, frontend, sink, this);
    this.#commands = new CountedSink(
      sink,
      (settle) => {
        settle();
        this.#sender.pump();
      },
      mostUnanswered,
    );
    this.#driver = driveFrontend(frontend, clock, this.#commands, this);
  }

  get isOver(): boolean {
    return this.#phase.is === 'closed' || this.#phase.is === 'ended';
  }

  /** Serves the client. `reader`: of the session that the connection belongs to, if it belongs to one. */
  open(reader: Reader | null): void {
    // Before the first subscription: a greeting goes out before everything that the session has said.
    this.#driver.start();
    if (reader !== null) this.#subscriptions.add(null, reader, null);
    this.#channel.open(this);
    this.#sender.pump();
  }

  frame(frame: Frame): void {
    this.#sink.traffic?.received(frame.bytes.length);
    if (!this.#driver.frame(frame)) this.#countFault();
  }

  fault(fault: FrameFault): void {
    this.#driver.fault(fault);
    this.#countFault();
  }

  drained(): void {
    this.#sender.drained();
  }

  #countFault(): void {
    if (this.#listener.isStrict !== true || this.isOver) return;
    if (!this.#faults.isTooMuch(this.#clock.now())) return;
    this.#sink.limited?.('badFrames');
    this.close('bad-frame', `more than ${mostFaults} bad frames within 10 s`);
  }

  #finish(): void {
    const remainder = this.#listener.half?.();
    if (remainder === undefined) return;
    if (this.#phase.is === 'serving') this.#phase = { is: 'finishing', remainder };
    this.#sender.pump();
  }

  end(): void {
    if (this.#phase.is === 'ended') return;
    // An answer that still waits for its turn goes out first: a client on stdio has ended its input and still reads.
    this.#sendAnswers();
    this.#phase = ended;
    this.#driver.end();
    this.#act(() => this.#scheduler.unsubscribeAll());
    this.#act(() => this.#listener.end());
  }

  #act(call: () => void): void {
    guarded(call, (thrown) => this.onThrown(thrown));
  }

  onThrown(thrown: unknown): void {
    this.#commands.note('internal', faultText(thrown));
    this.fail();
  }

  /** Without the answers that still wait: one of them may be what cannot be sent. */
  fail(): void {
    if (this.#phase.is === 'ended') return;
    this.#phase = closed;
    this.#channel.close('error', internalError);
  }

  leave(code: CloseCode, reason: string): void {
    if (this.isOver) return;
    this.#phase = { is: 'leaving', code, reason };
    this.#sender.pump();
  }

  onBroadcast(broadcast: Broadcast): void {
    if (this.isOver) return;
    const before = this.#scheduler.answerBytes;
    this.#driver.onBroadcast(broadcast);
    if (this.#broadcasts.isTooMuch(before, this.#scheduler.answerBytes, this.#clock.now())) {
      this.#sink.limited?.('waitingBroadcasts');
      this.close('slow', 'too far behind: reconnect');
    }
  }

  send(out: Out): void {
    if (this.isOver) return;
    this.#scheduler.answer(out);
    this.#sender.pump();
  }

  close(code: CloseCode, reason: string): void {
    if (!this.isOver) this.#sender.flush();
    if (this.#phase.is !== 'ended') this.#phase = closed;
    // Answers that still wait are the client's last chance to learn why.
    this.#sendAnswers();
    this.#channel.close(code, reason);
  }

  #sendAnswers(): void {
    this.#act(() => {
      for (const out of this.#scheduler.takeAnswers()) this.#sender.send(out);
    });
  }

  onEntry(subscription: Subscription, entry: Entry): void {
    // An earlier entry may have ended the client or the subscription.
    if (this.isOver || subscription.isOver) return;
    if (entry.kind === 'frame') this.#sender.send(entry.out, subscription.reader.isShared);
    // Bare frames cannot say that some are missing, so the client must come back for a snapshot (docs/faults.md F19).
    // Its whole connection is closed, for the slow part is the client and not one session.
    else if (entry.kind === 'reset') this.#fellBehind(entry.reason);
    else if (subscription.session === null)
      this.close(entry.kind === 'away' && entry.isMoved ? 'moved' : 'going-away', entry.reason);
    else this.#subscriptions.end(subscription, subscription.session, entry.reason);
  }

  #fellBehind(reason: keyof Traffic['resets']): void {
    if (this.#sink.traffic !== undefined) this.#sink.traffic.resets[reason] += 1;
    this.#sink.limited?.('window');
    this.close('slow', 'too far behind: reconnect for the current state');
  }

  onAllSent(): void {
    const phase = this.#phase;
    switch (phase.is) {
      case 'leaving':
        return this.close(phase.code, phase.reason);
      case 'finishing':
        return this.#closeWhenIdle(phase.remainder);
      case 'serving':
      case 'awaiting-idle':
      case 'closed':
      case 'ended':
        return;
      default:
        phase satisfies never;
    }
  }

  #closeWhenIdle(remainder: Remainder): void {
    if (this.#commands.unanswered > 0) return;
    const awaiting: Phase = { is: 'awaiting-idle', remainder };
    this.#phase = awaiting;
    let isWithinCall = true;
    remainder.whenIdle(() => {
      if (isWithinCall) return this.close('normal', remainder.reason);
      // The end of that work may have left something to send or to answer.
      if (this.#phase === awaiting) this.#phase = { is: 'finishing', remainder };
      this.#sender.pump();
    });
    isWithinCall = false;
  }

  subscribe(request: SubscriptionRequest): void {
    this.#subscriptions.subscribe(request);
  }

  unsubscribe(session: string, end: SubscriptionEnd): void {
    this.#subscriptions.unsubscribe(session, end);
  }

  sessionEnded(session: string, reason: string): void {
    this.#driver.sessionEnded(session, reason);
  }

  pump(): void {
    this.#sender.pump();
  }
}

/**
 * Connects a client on a channel of its own to the stream of one session; with `reader` null, to the sessions that its
 * frontend subscribes to. `reading`: the queue for what the client sends.
 */
export function linkClient(
  channel: Channel,
  frontend: Frontend,
  reader: Reader | null,
  clock: Clock,
  sink: CommandSink,
  listener: ClientListener,
  reading: WorkQueue = unpaced,
): ClientLink {
  // The clients of a session are sent to in the queue of that session, so that none of them counts for more than one.
  const work = { sending: reader?.work ?? reading, reading };
  const connection = new ClientConnection(channel, frontend, clock, sink, listener, work);
  connection.open(reader);
  return connection;
}
