// The contract of a frontend: one connection of a client, and what all clients with the same options share.
import type { Command } from '../../model/command.ts';
import type { Outcome } from '../../model/errors.ts';
import type { Broadcast } from '../broadcast.ts';
import type { Frame, FrameFault, Out } from '../channel.ts';
import type { BreakerLimits } from '../limits/breaker-limits.ts';
import type { LedgerLimits } from '../limits/ledger-limits.ts';
import type { StretchPart } from '../stretch.ts';
import type { Receipt } from '../ticket.ts';
import type { Action } from './action.ts';
import type { Projection, SessionView } from './projection.ts';

/** Several frames that replace one frame, in order. */
export interface Frames {
  readonly frames: readonly Out[];
}

/** One client connection; the gateway plays the agent: handshakes, requests, replies. Synchronous and total. */
export interface Frontend {
  start?(): Action<Command>[];
  decode(frame: Frame): Action<Command>[];
  /** The client sent bytes that never became a frame. */
  fault(fault: FrameFault): Action<Command>[];
  /** The outcome of a command that `decode` delivered (the same object). `receipt`: for commands with a ticket. */
  reply(command: Command, outcome: Outcome, receipt?: Receipt): Action<Command>[];
  /** A message for all clients of this protocol. */
  onBroadcast?(broadcast: Broadcast): Action<Command>[];
  /**
   * Maps each outgoing frame of this client, in wire order; replies and broadcasts included. Null drops the frame.
   * Absent: frames go out unchanged.
   */
  mapOutgoing?(out: Out): Out | Frames | null;
  /**
   * Maps frames of deltas that were made together, as `mapOutgoing` does with each. Null: each must be mapped by itself.
   * Absent: as null where there is `mapOutgoing`, else they go out unchanged.
   */
  mapStretch?(part: StretchPart): StretchPart | null;
  /**
   * Called with the answer to `subscribe`, before the first frame of the session. `session.id` is the real id of the
   * session.
   */
  subscribed?(session: SessionView): void;
  /** A session that this connection subscribed to is over, or the subscription failed. No more frames of it follow. */
  sessionEnded?(session: string, reason: string): Action<Command>[];
  onTimer?(timer: string): Action<Command>[];
  end?(): Action<Command>[];
}

/** Limits of a protocol for all its clients together. Times in ms. */
export interface FrontendLimits {
  readonly ledger: LedgerLimits;
  /** For agents and for shells. */
  readonly breaker: BreakerLimits;
  /** Longest frame of a client, bytes. */
  readonly maxFrameBytes: number;
  /** Open questions in sessions that these clients open are cancelled after this time. */
  readonly questionMs: number;
  /** How long runs may continue after a shutdown was requested. */
  readonly drainMs: number;
}

/** The client side of a protocol for one set of options. */
export interface FrontendSide {
  /** The options as one canonical string. Clients with equal keys share a projection. */
  readonly key: string;
  /**
   * A connection carries many sessions: the client opens them (`create-session`), names one with each command and
   * subscribes to some. Exception: connections that are bound to one session, as those behind posts always are.
   */
  readonly isMultiplexed?: true;
  /** Set if commands carry tickets. Their ledger has these bounds, the same for all options. */
  readonly limits?: FrontendLimits;
  /** The first frames for each reader of a stream, for readers without a connection of their own. */
  greeting?(): readonly Out[];
  /**
   * A machine for one connection. `session`: the session that the connection is bound to; absent if it carries many.
   */
  connection(session?: SessionView): Frontend;
  /** `dialect`: from the connection's SubscriptionRequest; absent for readers without a connection of their own. */
  projection(session: SessionView, dialect?: string): Projection;
}
