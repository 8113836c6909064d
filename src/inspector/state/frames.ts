// The frames of the page's own protocol (docs/protocols/canonical.md 3), as types.
import type { Event } from '../../core/model/event.ts';

/** The agent of a session, and what it can carry out. */
export interface AgentKind {
  readonly protocol: string;
  readonly commands: readonly string[];
}

export interface SnapshotFrame {
  readonly snapshot: {
    readonly epoch: string;
    readonly timeOrigin: number;
    readonly place?: string;
    readonly agent?: AgentKind;
  };
}

export interface EventFrame {
  readonly seq: number;
  readonly at: number;
  readonly replay?: 'past' | 'present';
  readonly event: Event;
}

export interface LossFrame {
  readonly seq: number;
  readonly loss: { readonly dialect: string; readonly field: string };
}

export type Outcome =
  | { readonly ok: true; readonly data?: unknown }
  | { readonly ok: false; readonly error: { readonly code: string; readonly message: string } };

export interface OutcomeFrame {
  readonly id: string | number;
  readonly outcome: Outcome;
}

export interface ErrorFrame {
  readonly error: { readonly code: string; readonly message: string };
}

export interface EndedFrame {
  readonly ended: { readonly session: string; readonly reason: string };
}

export type Frame = SnapshotFrame | EventFrame | LossFrame | OutcomeFrame | ErrorFrame | EndedFrame;
