// The one connection behind everything that is posted to a stream: a client may post over one socket and read the
// stream over another.
import type { Frontend } from '../contract/adapter/frontend.ts';
import type { Broadcast } from '../contract/broadcast.ts';
import type { Frame, FrameFault, Out } from '../contract/channel.ts';
import type { Clock } from '../contract/clock.ts';
import { internalError } from '../contract/guarded.ts';
import type { Traffic } from '../contract/traffic.ts';
import { GatewayError } from '../model/errors.ts';
import type { Stream } from '../stream/stream.ts';
import { CountedSink } from './counted-sink.ts';
import { type CommandSink, driveFrontend, type FrontendDriver, type FrontendPeer } from './frontend-driver.ts';
import { createPostedIds, type PostedIds } from './posted-ids.ts';

/**
 * How long a stream without a reader still gets broadcasts, ms: a client that posts before it reads, or that comes back
 * after a cut, finds them. Later they would only push the session's own frames out of the resumable window.
 */
const unreadMs = 30_000;

/** Commands of all clients that post to one stream, unanswered at once: as many as one post has (docs/limits.md 5.5). */
const mostUnanswered = 1024;

/** Takes what clients post. Each method returns the protocol's own error frames; none when everything was in order. */
export interface PostLink {
  /**
   * Takes a posted frame. A client may post a frame again under the same `id`; if the first post was accepted, the
   * second is ignored. Throws a GatewayError `conflict` if the two posts differ in their `digest`.
   */
  frame(frame: Frame, id?: string, digest?: string): readonly Out[];
  fault(fault: FrameFault): readonly Out[];
  /** Puts what all clients of its protocol get into the stream, while anybody is there. */
  onBroadcast(broadcast: Broadcast): void;
  /**
   * Whether anybody is there: a reader, now or a moment ago, or a post a moment ago, or a post with unanswered
   * commands.
   */
  readonly isHeard: boolean;
  /** A reader has left. */
  left(): void;
  /** The stream that answers go into from now on: one that nobody reads is let go, and the next reader gets another. */
  moveTo(stream: Stream): void;
  /** A fault has ended the link: the next post or reader needs a new one. */
  readonly hasFailed: boolean;
}

/** A class: each stream that clients post to has one. */
class PostConnection implements PostLink, FrontendPeer {
  #stream: Stream;
  /** Ends the hold on the stream that waits for answers; null without such a hold. */
  #release: (() => void) | null = null;
  readonly #clock: Clock;
  readonly #commands: CountedSink;
  readonly #driver: FrontendDriver;
  readonly #traffic: Traffic | undefined;
  readonly #postedIds: PostedIds;
  /** What the frontend has sent while it takes a post; null between posts. */
  #replies: Out[] | null = null;
  #hasFailed = false;
  /** When a client was last here, ms. */
  #lastSeenAt = Number.NEGATIVE_INFINITY;

  constructor(frontend: Frontend, stream: Stream, clock: Clock, sink: CommandSink, postedIds: PostedIds) {
    this.#postedIds = postedIds;
    this.#stream = stream;
    this.#clock = clock;
    this.#traffic = sink.traffic;
    const onAnswer = (settle: () => void) => {
      this.#touch();
      // Often within the post itself: the answer then goes before what the session says because of the command.
      this.#outsidePost(settle);
      this.#holdUntilAnswered();
    };
    this.#commands = new CountedSink(sink, onAnswer, mostUnanswered);
    this.#driver = driveFrontend(frontend, clock, this.#commands, this);
  }

  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  get isHeard(): boolean {
    const isAnyoneHere = this.#stream.readers > 0 || this.#commands.unanswered > 0;
    return isAnyoneHere || this.#clock.now() - this.#lastSeenAt < unreadMs;
  }

  start(): void {
    this.#driver.start();
  }

  frame(frame: Frame, id?: string, digest?: string): readonly Out[] {
    this.#traffic?.received(frame.bytes.length);
    if (id !== undefined && this.#postedIds.has(id, digest)) return [];
    const refusals = this.#take(() => this.#driver.frame(frame));
    if (id !== undefined && refusals.length === 0) this.#postedIds.add(id, digest);
    return refusals;
  }

  fault(fault: FrameFault): readonly Out[] {
    return this.#take(() => {
      this.#driver.fault(fault);
      return false;
    });
  }

  onBroadcast(broadcast: Broadcast): void {
    // Also within a post: the broadcast then goes before what the session says because of the post.
    if (this.isHeard) this.#outsidePost(() => this.#driver.onBroadcast(broadcast));
  }

  left(): void {
    this.#touch();
  }

  moveTo(stream: Stream): void {
    if (stream === this.#stream) return;
    this.#letGo();
    this.#stream = stream;
    this.#holdUntilAnswered();
  }

  send(out: Out): void {
    // An empty frame is a mark for the `mapOutgoing` of a connection; nobody calls that here.
    if (out.length === 0) return;
    if (this.#replies === null) this.#stream.inject(out);
    else this.#replies.push(out);
  }

  /** There is no channel to close: the stream ends with its session. */
  close(): void {}

  /** The frontend may be in any state: its stream ends, and the next post or reader gets a new one. */
  fail(): void {
    this.#hasFailed = true;
    this.#letGo();
    this.#stream.close(internalError);
  }

  /** Keeps the stream while a post waits for answers: nobody would find them in another one. */
  #holdUntilAnswered(): void {
    if (this.#commands.unanswered > 0) this.#release ??= this.#stream.hold();
    else if (this.#replies === null) this.#letGo();
  }

  #letGo(): void {
    this.#release?.();
    this.#release = null;
  }

  #touch(): void {
    this.#lastSeenAt = this.#clock.now();
  }

  /** Takes one post: replies to a post in order go into the stream, refusals are returned. */
  #take(handle: () => boolean): readonly Out[] {
    this.#touch();
    this.#refuseAfterFault();
    // A post shows that a client is there: the time until an unread stream is let go begins anew.
    this.#release ??= this.#stream.hold();
    const replies: Out[] = [];
    this.#replies = replies;
    let isInOrder = false;
    try {
      isInOrder = handle();
    } finally {
      this.#replies = null;
      this.#holdUntilAnswered();
    }
    this.#refuseAfterFault();
    if (!isInOrder) return replies;
    for (const out of replies) this.#stream.inject(out);
    return [];
  }

  #refuseAfterFault(): void {
    if (this.#hasFailed) throw new GatewayError('internal', internalError);
  }

  /** Frames sent by `act` go into the stream at once, behind the replies to the post so far. */
  #outsidePost(act: () => void): void {
    const replies = this.#replies;
    for (const out of replies?.splice(0) ?? []) this.#stream.inject(out);
    this.#replies = null;
    try {
      act();
    } finally {
      this.#replies = replies;
    }
  }
}

/**
 * Answers go into the stream, where every reader gets them and can resume behind them; refusals answer the post itself.
 */
export function linkPosts(
  frontend: Frontend,
  stream: Stream,
  clock: Clock,
  sink: CommandSink,
  postedIds = createPostedIds(),
): PostLink {
  const connection = new PostConnection(frontend, stream, clock, sink, postedIds);
  connection.start();
  return connection;
}
