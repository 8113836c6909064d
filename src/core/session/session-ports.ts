// What a session is made of, and how patient it is. Knows no protocol.
import type { AgentKind, NoteLevel } from '../contract/adapter.ts';
import type { AgentConnection } from '../link/agent-link.ts';
import type { Clock } from '../contract/clock.ts';
import type { Message } from '../model/content.ts';
import type { Event, SessionInfo } from '../model/event.ts';
import type { ExportPort } from '../export/export.ts';
import type { Instructions } from '../contract/instructions.ts';
import type { SessionFile } from '../model/outcome-data.ts';
import type { WindowLimits } from '../stream/window.ts';
import type { WorkspacePort } from '../contract/workspace.ts';

/** How long and how much a session waits and keeps. */
export interface SessionLimits {
  /** An open approval or dialog is denied or cancelled after this, ms. */
  readonly questionMs: number;
  /** An agent that does not end its run so long after an abort is ended itself, ms. */
  readonly abortMs: number;
  /** An agent that says nothing for so long inside a run is ended, ms; null: never. */
  readonly silenceMs: number | null;
  /** Prompts that may wait behind the running one. */
  readonly queuedPrompts: number;
  readonly window?: WindowLimits;
}

/** Limits (docs/faults.md F4, F15). */
export const defaultSessionLimits: SessionLimits = {
  questionMs: 10 * 60_000,
  abortMs: 10_000,
  silenceMs: null,
  queuedPrompts: 64,
};

/** What a session is made of. */
export interface SessionPorts {
  readonly id: string;
  /** 12 hex digits, new with each life of the session. */
  readonly epoch: string;
  /** See SessionView; default 0. */
  readonly timeOrigin?: number;
  /** See SessionView. */
  readonly place?: string;
  readonly clock: Clock;
  readonly limits: SessionLimits;
  /** Starts a fresh agent. May throw; the command that needed it fails then. */
  connect(instructions?: Instructions): AgentConnection;
  /** See SessionView. */
  readonly agent?: AgentKind;
  /** An agent can be started with instructions; default not. */
  readonly takesInstructions?: boolean;
  /** What is known before the agent has said anything. */
  readonly info?: SessionInfo;
  /** What was said before this life of the session, oldest first. */
  readonly history?: readonly Message[];
  /**
   * Its clients may not have the agent read what they name (docs/threats.md T9): contexts are read and found by the workspace, also
   * for agents that could do it.
   */
  readonly isConfined?: boolean;
  /** Reads the contexts of prompts; without it they cannot be read. */
  readonly workspace?: WorkspacePort;
  /** Where exports go; without it only the agent can make them. */
  readonly exports?: ExportPort;
  /** Stored sessions of its agent, newest first; without it only the agent can list them. */
  sessionFiles?(): readonly SessionFile[];
  /** What was said in a stored session that its client names. Throws a GatewayError where it may not have that. */
  readStored?(path: string): readonly Message[];
  note(level: NoteLevel, text: string): void;
  /** Hears each event but deltas when the log has it; what it answers has changed by that, and is told to clients. */
  logged?(event: Event): SessionInfo | undefined;
  /** The session is over; once. */
  ended?(): void;
  /** The agent is gone, and nobody sent it away. `wasSilent`: there is nothing in the log. */
  lost?(sentence: string, wasSilent: boolean): void;
}
