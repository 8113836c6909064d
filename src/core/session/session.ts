// A session as the rest of the gateway sees it. open-session.ts has its parts.
import type { Projection, SessionView } from '../contract/adapter/projection.ts';
import type { StoredSnapshot } from '../contract/store/session-store.ts';
import type { PostedIds } from '../link/posted-ids.ts';
import type { Command, CommandOf } from '../model/command.ts';
import type { Outcome } from '../model/errors.ts';
import type { Stream, StreamMeasure } from '../stream/stream.ts';
import type { Deleted } from './deletions.ts';
import type { SessionTickets } from './kept/session-tickets.ts';
import type { SessionVersion } from './kept/session-version.ts';
import type { StreamUse } from './session-streams.ts';

/** An open session. */
export interface Session extends SessionView {
  /** `idle`: no run is open and no prompt waits. `down`: the agent has ended; the next prompt starts a new one. */
  readonly state: 'idle' | 'running' | 'down' | 'closed';
  /** Whether an agent runs. */
  readonly hasAgent: boolean;
  /** The number of clients attached to the streams. */
  readonly readers: number;
  /** The dialects that have a stream. */
  readonly dialects: readonly string[];
  /** The sum over the windows of all streams, and the slowest reader of all. */
  measure(): StreamMeasure;
  /** Starts the agent now instead of with the first command. Throws if the agent cannot be started. */
  start(): void;
  /** Calls back exactly once. */
  submit(command: Command, settle: (outcome: Outcome) => void): void;
  /**
   * The same for a deletion whose answer takes its time: the run and the agent end at once, the streams behind the answers of
   * all that have asked. Nobody is told of success before nobody can find the session again, not even the next gateway.
   */
  delete(command: CommandOf<'delete-session'>, told: Deleted): void;
  /** Calls back once when no run is open and no prompt waits, or at once if that is so now. */
  whenIdle(callback: () => void): void;
  /**
   * The stream of a dialect. Created on first use, then shared by all clients with the same key, and let go when nobody
   * has read it for a while (docs/limits.md 5.9).
   */
  stream(key: string, make: (view: SessionView) => Projection, use?: StreamUse): Stream;
  /** A stream with that key is read at another gateway. `source`: see StreamUse. */
  readElsewhere(key: string, source: unknown): void;
  /** The ids under which frames were posted to the stream with that key. */
  postedIds(key: string): PostedIds;
  /** What is kept with the session of the commands that carry tickets. */
  readonly tickets: SessionTickets;
  readonly version: SessionVersion;
  /**
   * Calls back once everything so far is on disk, or cannot be written to it; at once without a store. `isThere`: false if
   * another gateway has the session, and may not know what was said to it here.
   */
  whenKept(then: (isThere: boolean) => void): void;
  /** The whole state, for the store of the session. */
  snapshot(): StoredSnapshot;
  /** Denies and cancels the agent's questions from now on, because nobody can answer any more. */
  setUnattended(): void;
  /** Tells all clients, soon: the caller may be in the middle of an event of this session. */
  warn(text: string): void;
  /** Refuses new prompts. The open run goes on. */
  retire(reason: string): void;
  /** Ends the run, the agent and all streams, and what is kept of the session. Idempotent. */
  close(reason: string): void;
  /**
   * The same, but a session that is kept can be opened again: its clients are told to come back. `isMoved`: another gateway
   * has it now.
   */
  leave(reason: string, isMoved?: boolean): void;
}
