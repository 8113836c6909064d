// Sends to one client what its scheduler has for it, as fast as the client reads, and stops reading from a client that
// does not read its answers.
import type { Frontend } from '../contract/adapter/frontend.ts';
import type { Channel, Out } from '../contract/channel.ts';
import { type PacedTask, type WorkQueue, writeCost } from '../contract/paced-work.ts';
import type { Entry } from '../contract/reader.ts';
import { frameIn, type StretchPart } from '../contract/stretch.ts';
import type { Traffic } from '../contract/traffic.ts';
import type { SendScheduler, Subscription } from './send-scheduler.ts';

/** Bytes that may wait in a client's socket before its reader stops pulling (docs/threats.md T26). */
export const highWater = 64 * 1024;

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** Takes part in sending. */
export interface SenderListener {
  /** Nothing more is sent. */
  readonly isOver: boolean;
  /** The next entry of a subscription; its frame goes out by {@link ClientSender.send}. */
  onEntry(subscription: Subscription, entry: Entry): void;
  /** The scheduler has nothing more for now. */
  onAllSent(): void;
  /** Sending has thrown: the frames that come next would be the wrong ones. */
  onThrown(thrown: unknown): void;
}

/** A class: each connection has one, and `pump` runs with each wake-up of a reader. */
export class ClientSender implements PacedTask {
  readonly #channel: Channel;
  readonly #frontend: Frontend;
  readonly #scheduler: SendScheduler;
  readonly #listener: SenderListener;
  readonly #work: WorkQueue;
  readonly #traffic: Traffic | undefined;
  #isStepping = false;
  /** The socket is full: go on when it has drained. */
  #isBlocked = false;
  #isReadingPaused = false;

  constructor(
    channel: Channel,
    frontend: Frontend,
    scheduler: SendScheduler,
    listener: SenderListener,
    work: WorkQueue,
    traffic?: Traffic,
  ) {
    this.#channel = channel;
    this.#frontend = frontend;
    this.#scheduler = scheduler;
    this.#listener = listener;
    this.#work = work;
    this.#traffic = traffic;
  }

  /** Sends all that there is, in portions. A call from within a portion makes another one follow. */
  pump(): void {
    this.#work.run(this);
    this.#updateReading();
  }

  /** Sends all that the socket takes now, without waiting for a turn: the channel is about to be closed. */
  flush(): void {
    while (!this.#isStepping && this.step() !== null);
  }

  drained(): void {
    if (this.#isBlocked) this.pump();
  }

  /** Sends one frame now, in the way that the frontend maps it. */
  send(out: Out, isShared?: boolean): void {
    if (this.#frontend.mapOutgoing === undefined) return this.#pass(out, isShared);
    const mapped = this.#frontend.mapOutgoing(out);
    if (mapped === null) return;
    if (typeof mapped === 'object' && 'frames' in mapped) for (const frame of mapped.frames) this.#pass(frame);
    else this.#pass(mapped, isShared);
  }

  #pass(out: Out, isShared?: boolean): void {
    this.#traffic?.sent(out);
    this.#channel.send(out, isShared);
  }

  step(): number | null {
    this.#isStepping = true;
    try {
      return this.#sendSome();
    } catch (thrown) {
      this.#listener.onThrown(thrown);
      return null;
    } finally {
      this.#isStepping = false;
      this.#updateReading();
    }
  }

  /** Sends one answer, or about as much of one session as the socket takes. Null: nothing is left for now. */
  #sendSome(): number | null {
    if (this.#listener.isOver) return null;
    const before = this.#channel.buffered;
    this.#isBlocked = before >= highWater;
    if (this.#isBlocked) return null;
    const step = this.#scheduler.next(highWater, this.#takesStretches());
    if (step === null) {
      if (!this.#scheduler.isPreparing) this.#listener.onAllSent();
      return null;
    }
    if ('answer' in step) this.send(step.answer);
    else if ('parts' in step) for (const part of step.parts) this.#sendStretch(part);
    else for (const entry of step.entries) this.#listener.onEntry(step.subscription, entry);
    return Math.max(0, this.#channel.buffered - before) + writeCost;
  }

  /** Whether frames of deltas may go to the channel as they were made. */
  #takesStretches(): boolean {
    const { mapOutgoing, mapStretch } = this.#frontend;
    return this.#channel.sendStretch !== undefined && (mapOutgoing === undefined || mapStretch !== undefined);
  }

  #sendStretch(part: StretchPart): void {
    const { mapStretch } = this.#frontend;
    const mapped = mapStretch === undefined ? part : mapStretch(part);
    if (mapped === null) {
      for (let place = part.from; place < part.to; place += 1) this.send(utf8.decode(frameIn(part.stretch, place)));
      return;
    }
    this.#traffic?.sentStretch(mapped);
    this.#channel.sendStretch?.(mapped);
  }

  /** Pauses reading while too many bytes of answers are unread (docs/threats.md T26, T32). */
  #updateReading(): void {
    const mustPause = this.#scheduler.answerBytes > highWater;
    if (this.#listener.isOver || mustPause === this.#isReadingPaused) return;
    this.#isReadingPaused = mustPause;
    if (mustPause) this.#channel.pause();
    else this.#channel.resume();
  }
}
