// The contract of a backend: one connection to an agent.
import type { Burst } from '../../model/burst.ts';
import type { Command } from '../../model/command.ts';
import type { Message } from '../../model/content.ts';
import type { Event } from '../../model/event.ts';
import type { Frame, Peek, Splice } from '../channel.ts';
import type { Action } from './action.ts';

/** The backend's view of a frame that was recognised by its first bytes; see RecognisedFrame for the fields. */
export interface RecognisedEvent {
  readonly next: number;
  readonly ending: Uint8Array;
  readonly splice: Splice | null;
  /** Consumes the frame. Returns the single event that `decode` would have delivered for this frame. */
  accept(): Event;
}

/** The backend's view of consecutive frames that were recognised as deltas of one block and what comes before each. */
export interface RecognisedBurst {
  /** Offset behind the last of them. */
  readonly next: number;
  /** Consumes the frames. Returns what `decode` would have delivered for them, one event each. */
  accept(): Burst;
}

/** One agent connection; the gateway plays the client. Synchronous and total: never throws. */
export interface Backend {
  /** The agent reads the contexts of a prompt itself. Otherwise the session reads them first (context-text.ts). */
  readonly takesContexts?: boolean;
  /**
   * The agent remembers the permissions that it suggests. Otherwise the session remembers them (standing-approvals.ts).
   */
  readonly keepsPermissions?: boolean;
  /** The options of a question are suggestions: the agent takes an answer in other words as well. */
  readonly takesOtherAnswers?: boolean;
  /** Called once when the channel is open. */
  start?(): Action<Event>[];
  decode(frame: Frame): Action<Event>[];
  /** Recognises frames of the hot path without decoding them. Null: `decode` must read the frame (decision 0011). */
  recognise?(peek: Peek, start: number, end: number): RecognisedEvent | null;
  /**
   * Recognises as many whole frames from byte `start` on as are consecutive deltas of one block, or each such delta and
   * a frame before it, each of at most `maxFrameBytes`. Null: fewer than two frames are.
   */
  recogniseBurst?(peek: Peek, start: number, end: number, maxFrameBytes: number): RecognisedBurst | null;
  /**
   * Passes a command to the agent. `id` is the gateway's own and returns in `settle`, exactly once unless the channel
   * ends first. A prompt that succeeds gives exactly one run (a synthetic run if the agent shows none), unless the
   * prompt joins the open run.
   */
  encode(command: Command, id: string): Action<Event>[];
  onTimer?(timer: string): Action<Event>[];
  /** The session is over and its channel is about to close. Returns the last frames for the agent. */
  leave?(): Action<Event>[];
  /**
   * Replaces the history of the agent with these messages, oldest first. Called before the first command, and between
   * runs when the session cuts its conversation (forks.ts). Only for agents that keep no sessions themselves.
   */
  restoreHistory?(messages: readonly Message[]): void;
  /** The channel ended. Last chance to deliver events that were held back. The session closes the run itself. */
  end?(): Action<Event>[];
}
