// The one connection behind all that is posted to a stream: who posts and who reads need not be the same socket.
// Knows no protocol.
import type { Frontend } from '../contract/adapter.ts';
import type { Frame, FrameFault, Out } from '../contract/channel.ts';
import type { Clock } from '../contract/clock.ts';
import { GatewayError, type Outcome } from '../model/errors.ts';
import { type CommandSink, driveFrontend } from './frontend-driver.ts';
import type { Receipt } from '../contract/ticket.ts';
import type { Broadcast } from '../contract/broadcast.ts';
import type { Stream } from '../stream/stream.ts';

/** Ids of posted frames that are remembered: far more than a client sends before it hears that one has arrived. */
const mostRemembered = 1024;

/**
 * How long a stream hears the broadcast that nobody reads, ms: who posts first and reads then, and who comes back after a cut,
 * is to find them. With nobody there they would only push the session's own frames out of what can be resumed.
 */
const patience = 30_000;

/** Takes what clients post. Each method returns the protocol's own error frames; none when all was in order. */
export interface PostLink {
  /**
   * What was in order under that id before is not taken twice. Throws a GatewayError `conflict` when it had another
   * `digest` then.
   */
  frame(frame: Frame, id?: string, digest?: string): readonly Out[];
  fault(fault: FrameFault): readonly Out[];
  /** What all clients of its protocol are told: into the stream, while there is somebody. */
  onBroadcast(broadcast: Broadcast): void;
  /**
   * Whether there is somebody: a reader, or one until a moment ago, or a post a moment ago or whose commands are on
   * their way.
   */
  readonly isHeard: boolean;
  /** A reader has gone. */
  left(): void;
}

/** Answers go into the stream, where every reader hears them and can resume behind them; refusals answer the post. */
export function linkPosts(frontend: Frontend, stream: Stream, clock: Clock, sink: CommandSink): PostLink {
  /** What the frontend says while it takes one post; null between posts. */
  let said: Out[] | null = null;
  /** The digests of frames that were in order, by their ids. */
  const known = new Map<string, string | undefined>();
  let unanswered = 0;
  /** When somebody was here who may come back. */
  let lastAt = Number.NEGATIVE_INFINITY;
  const touch = () => {
    lastAt = clock.now();
  };
  const counted: CommandSink = {
    note: sink.note,
    fault: sink.fault,
    submit(command, settle, session, ticket) {
      unanswered += 1;
      const answered = (outcome: Outcome, receipt?: Receipt) => {
        unanswered -= 1;
        touch();
        // Often in the middle of its post, and then before what the session says because of it.
        aside(() => settle(outcome, receipt));
      };
      sink.submit(command, answered, session, ticket);
    },
  };
  /** What is said there goes into the stream at once, behind what was said of the post already. */
  function aside(tell: () => void): void {
    const outer = said;
    for (const out of outer?.splice(0) ?? []) stream.inject(out);
    said = null;
    try {
      tell();
    } finally {
      said = outer;
    }
  }
  const driver = driveFrontend(frontend, clock, counted, {
    send(out) {
      // A mark that a connection leaves for its own `dress`, which nobody calls here.
      if (out.length === 0) return;
      if (said === null) stream.inject(out);
      else said.push(out);
    },
    // There is no socket to close: the stream ends with its session.
    close: () => {},
  });
  driver.start();

  const isHeard = () => stream.readers > 0 || unanswered > 0 || clock.now() - lastAt < patience;

  function take(tell: () => boolean): readonly Out[] {
    touch();
    const heard: Out[] = [];
    said = heard;
    let inOrder = false;
    try {
      inOrder = tell();
    } finally {
      said = null;
    }
    if (!inOrder) return heard;
    for (const out of heard) stream.inject(out);
    return [];
  }

  function remember(id: string, digest: string | undefined): void {
    known.set(id, digest);
    const [oldest] = known.keys();
    if (known.size > mostRemembered && oldest !== undefined) known.delete(oldest);
  }

  return {
    frame(frame, id, digest) {
      if (id === undefined) return take(() => driver.frame(frame));
      if (known.has(id)) {
        if (known.get(id) === digest) return [];
        throw new GatewayError('conflict', 'something else was posted under that key before');
      }
      const refusals = take(() => driver.frame(frame));
      if (refusals.length === 0) remember(id, digest);
      return refusals;
    },
    onBroadcast(broadcast) {
      if (!isHeard()) return;
      // In the middle of a post: the broadcast go before what the session says because of it.
      aside(() => driver.onBroadcast(broadcast));
    },
    get isHeard() {
      return isHeard();
    },
    left: touch,
    fault: (fault) =>
      take(() => {
        driver.fault(fault);
        return false;
      }),
  };
}
