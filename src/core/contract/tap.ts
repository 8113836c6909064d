// Somebody who looks at one session: what its agent sends and gets, and the events that came of it.
import type { Burst } from '../model/burst.ts';
import type { Command } from '../model/command.ts';
import type { Logged } from '../model/event.ts';
import type { NoteLevel } from './adapter/action.ts';
import type { FrameHeader, Out } from './channel.ts';

/** Frames as they were read, behind one another: with headers, or each with an LF behind it. */
export interface ReadFrames {
  readonly bytes: Uint8Array;
  /** See Peek. */
  readonly header: FrameHeader | null;
  /** How many. */
  readonly count: number;
}

/** All calls come in the order in which things happen. */
export interface Tap {
  /** Whether anybody looks now. While nobody does, nothing below is called, and single deltas take the fast path. */
  readonly isOn: boolean;
  /** The clock of a session that was made again, which is ahead of the gateway's. */
  timed(now: () => number): void;
  /** A frame of the agent begins to be taken. Everything until {@link Tap.taken} is its doing. */
  frame(bytes: Uint8Array): void;
  /** As {@link Tap.frame}, for frames that are taken together. */
  frames(frames: ReadFrames): void;
  taken(): void;
  /** A command goes to the agent. Everything until {@link Tap.submitted} is its doing. */
  command(command: Command): void;
  submitted(): void;
  /** A frame for the agent. */
  sent(out: Out): void;
  /** An event was logged. */
  event(logged: Logged): void;
  /** Deltas were logged together; `seq`: of the first event. */
  burst(burst: Burst, seq: number, at: number): void;
  note(level: NoteLevel, text: string): void;
}
