// The one connection behind all that is posted to a stream: who posts and who reads need not be the same socket.
// Knows no protocol.
import type { Frontend } from './adapter.ts';
import type { Frame, FrameFault, Out } from './channel.ts';
import { type CommandSink, driveFrontend } from './client-link.ts';
import type { Clock } from './clock.ts';
import type { Stream } from './stream.ts';

/** Takes what clients post. Each method returns the protocol's own error frames; none when all was in order. */
export interface PostLink {
  frame(frame: Frame): readonly Out[];
  fault(fault: FrameFault): readonly Out[];
}

/** Answers go into the stream, where every reader hears them and can resume behind them; refusals answer the post. */
export function linkPosts(frontend: Frontend, stream: Stream, clock: Clock, sink: CommandSink): PostLink {
  /** What the frontend says while it takes one post; null between posts. */
  let said: Out[] | null = null;
  const driver = driveFrontend(frontend, clock, sink, {
    send(out) {
      if (said === null) stream.inject(out);
      else said.push(out);
    },
    // There is no socket to close: the stream ends with its session.
    close: () => {},
  });

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

  return {
    frame: (frame) => take(() => driver.frame(frame)),
    fault: (fault) =>
      take(() => {
        driver.fault(fault);
        return false;
      }),
  };
}
