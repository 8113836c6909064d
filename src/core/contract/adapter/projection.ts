// The contract of a projection: the events of a session as frames of one dialect.
import type { Burst } from '../../model/burst.ts';
import type { CommandType } from '../../model/command.ts';
import type { Logged } from '../../model/event.ts';
import type { Transcript } from '../../model/transcript.ts';
import type { Out } from '../channel.ts';
import type { Stretch } from '../stretch.ts';
import type { NoteLevel } from './action.ts';

/** Facts about an agent that are known before its first frame. */
export interface AgentKind {
  readonly protocol: string;
  /** Commands that the protocol has a shape for, and commands that the session carries out in the agent's place. */
  readonly commands: ReadonlySet<CommandType>;
}

/**
 * The part of a session that its projections may see. `transcript` is the fold up to and including the current event.
 * For a late client a fresh projection over a fresh view gets the shortest events that lead to the present state
 * (replay.ts). A projection therefore has one code path for live events and for snapshots.
 */
export interface SessionView {
  readonly id: string;
  readonly epoch: string;
  /** Wall clock, ms since 1970, when the session clock was 0: `timeOrigin + logged.at` is the time of day. */
  readonly timeOrigin: number;
  /** Working directory of the agent, if known. For agents that do not report one (SessionInfo.cwd). */
  readonly place?: string | undefined;
  readonly transcript: Transcript;
  /** Absent if the agent is unknown. */
  readonly agent?: AgentKind | undefined;
}

/** Something that the projection of another dialect could not say. */
export interface DialectLoss {
  /** Whose clients miss it: the id of a protocol. */
  readonly dialect: string;
  /** The words of the loss note. */
  readonly text: string;
}

/** The part of a projection that writes bursts. Writes the same frames as `event` does for each delta. */
export interface BurstProjection {
  /** Absent: bursts with {@link Burst.asides} are not taken, and `takes` is not asked. */
  readonly takesAsides?: true;
  /** Whether {@link BurstProjection.write} may be called for that burst now: each event gives exactly one frame. */
  takes(burst: Burst): boolean;
  /**
   * The frames of the events from place `from` to before place `to`. `seq`: of event `from`; the others follow it. `at`:
   * of all of them, see Logged.
   */
  write(burst: Burst, seq: number, from: number, to: number, at: number): Stretch;
}

/**
 * The events of a session as frames of one dialect. Deterministic; made once per (session, dialect, options) and shared
 * by all clients of that combination. Ids on the wire derive from (epoch, seq, place), so a replay equals the live
 * frames.
 */
export interface Projection {
  /**
   * True if each delta repeats the message so far. While all readers are behind, deltas of one block are then joined
   * into one event, with the place of the last.
   */
  readonly mergesDeltas?: boolean;
  /** Writes many deltas at once. Absent: `event` is called for each. */
  readonly bursts?: BurstProjection | undefined;
  /** Called once for each logged event, in order. `logged.replay` marks events that are replayed for a late client. */
  event(logged: Logged): readonly Out[];
  /** Takes the notes (losses) that were collected since the last call. */
  notes?(): readonly { level: NoteLevel; text: string }[];
  /** Tells a loss of another dialect of the session, or of its agent. Absent: the dialect has no words for losses. */
  loss?(loss: DialectLoss): readonly Out[];
}
