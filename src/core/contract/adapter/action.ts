// The requests of a machine to its driver, and the outside world of a machine.
import type { Outcome } from '../../model/errors.ts';
import type { CloseCode, Out } from '../channel.ts';
import type { LimitRule } from '../limits/limit-rule.ts';
import type { Ticket } from '../ticket.ts';

/** The only access of a machine to the outside world. */
export interface Env {
  /** A clock, ms. The origin is arbitrary; only differences count. */
  now(): number;
  /** A fresh id. `kind` says what the id is for. */
  id(kind: string): string;
}

/**
 * `loss`: the other protocol has no shape for something. `repair`: the order of events was mended. `violation`: the
 * peer broke its protocol. `internal`: a fault of the gateway ended a stream, a client or an agent.
 */
export type NoteLevel = 'loss' | 'repair' | 'violation' | 'internal';

/** A session that a client subscribes to. For connections that carry several sessions (decision 0016). */
export interface SubscriptionRequest {
  readonly session: string;
  /** The client's own name for the session, if any. The projection uses this name as the session id. */
  readonly as?: string;
  /** Facts about the client that the connection has learned since it began; see {@link FrontendSide.projection}. */
  readonly dialect?: string;
}

/** How a subscription ends. */
export interface SubscriptionEnd {
  /** Frames of the session until now are still sent. */
  readonly isDrained?: true;
  /** Then the session ends, unless another client uses it. A session that is kept can be opened again. */
  readonly closes?: true;
}

/** A request of a machine to its driver. Plain data: tests compare actions with toEqual. */
export type Action<Message> =
  /**
   * Passes a canonical message inwards. Connections that carry several sessions name the session. `ticket`: the place
   * of the message among the commands of all clients of this protocol (decision 0018).
   */
  | { readonly do: 'deliver'; readonly message: Message; readonly session?: string; readonly ticket?: Ticket }
  /**
   * Subscribes the peer to a session. For connections that carry several sessions. A repeated subscription with the
   * same name and dialect has no effect; with another name or dialect the subscription starts over with a snapshot.
   */
  | ({ readonly do: 'subscribe' } & SubscriptionRequest)
  | ({ readonly do: 'unsubscribe'; readonly session: string } & SubscriptionEnd)
  /** Sends a frame to the peer. Covers replies at protocol level that core never sees. */
  | { readonly do: 'send'; readonly frame: Out }
  /** Answers the command with this id (backends only). Later answers to the same id are ignored. */
  | { readonly do: 'settle'; readonly id: string; readonly outcome: Outcome }
  | { readonly do: 'note'; readonly level: NoteLevel; readonly text: string }
  /** (Re)starts the timer with this name; `null` stops the timer. `onTimer(id)` follows. */
  | { readonly do: 'timer'; readonly id: string; readonly ms: number | null }
  /** `limit`: the peer has reached a limit that ends it. */
  | { readonly do: 'close'; readonly code: CloseCode; readonly reason: string; readonly limit?: LimitRule };
