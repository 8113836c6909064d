// The contract of protocols that wrap their frames in server-sent events and posts.
import type { Out } from '../channel.ts';
import type { FrameEntry } from '../reader.ts';

/**
 * How the frames of a protocol travel as server-sent events and posts, for protocols that wrap them. All pure; the
 * transports use one half for clients and the other half for agents. Without `posted`, `acceptedBody` and `post`, posts
 * carry bare frames.
 */
export interface EventEnvelope {
  /**
   * Wraps a frame as an event. The `id` of the event, if any, comes back as Last-Event-ID and is a cursor like that of
   * a bare frame. `isMissed`: the client was away when the frame was made. Null: the frame is only for clients that are
   * live.
   */
  wrap(
    entry: FrameEntry,
    isMissed: boolean,
  ): { readonly event: string; readonly id?: string; readonly data: Out } | null;
  /** The event for a client that resumes at a place that is gone. A snapshot follows. */
  lost(reason: string): { readonly event: string; readonly data: string };
  /**
   * The frames in the body of a client's post, as JSON values. A repeated `id` (the client missed our answer) counts
   * once. Throws a GatewayError `invalid`.
   */
  posted?(body: unknown): readonly { readonly frame: unknown; readonly id?: string | undefined }[];
  /** The response body for a post that was in order. */
  readonly acceptedBody?: string;
  /** A machine that reads the event stream of one agent. */
  reader(): EventReader;
  /** The body of a post to an agent. */
  post?(frames: readonly string[]): string;
}

/** Reads the events of one agent, across all reconnections of its stream. Synchronous. */
export interface EventReader {
  /**
   * The frame in an event, or the reason why the agent has lost our place. Null: the event has no meaning for us.
   * Throws a GatewayError `bad-frame`.
   */
  read(event: string, data: string): { readonly frame: string } | { readonly lost: string } | null;
  /** Called when a cut stream resumes behind the last id. Events that are only sent live were missed. */
  resumed(): void;
}
