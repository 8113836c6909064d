// The one connection behind all that is posted to a stream: who posts and who reads need not be the same socket.
// Knows no protocol.
import type { Frontend } from './adapter.ts';
import type { Frame, FrameFault, Out } from './channel.ts';
import type { Clock } from './clock.ts';
import { type CommandSink, driveFrontend } from './frontend-driver.ts';
import type { News } from './news.ts';
import type { Stream } from './stream.ts';

/** Ids of posted frames that are remembered: far more than a client sends before it hears that one has arrived. */
const mostRemembered = 1024;

/** Takes what clients post. Each method returns the protocol's own error frames; none when all was in order. */
export interface PostLink {
  /** What was in order under that id before is not taken twice. */
  frame(frame: Frame, id?: string): readonly Out[];
  fault(fault: FrameFault): readonly Out[];
  /** What all clients of its protocol are told: into the stream. */
  hear(news: News): void;
}

/** Answers go into the stream, where every reader hears them and can resume behind them; refusals answer the post. */
export function linkPosts(frontend: Frontend, stream: Stream, clock: Clock, sink: CommandSink): PostLink {
  /** What the frontend says while it takes one post; null between posts. */
  let said: Out[] | null = null;
  const known = new Set<string>();
  const driver = driveFrontend(frontend, clock, sink, {
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

  function take(tell: () => boolean): readonly Out[] {
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

  function remember(id: string): void {
    known.add(id);
    const [oldest] = known;
    if (known.size > mostRemembered && oldest !== undefined) known.delete(oldest);
  }

  return {
    frame(frame, id) {
      if (id === undefined) return take(() => driver.frame(frame));
      if (known.has(id)) return [];
      const refusals = take(() => driver.frame(frame));
      if (refusals.length === 0) remember(id);
      return refusals;
    },
    hear: driver.hear,
    fault: (fault) =>
      take(() => {
        driver.fault(fault);
        return false;
      }),
  };
}
