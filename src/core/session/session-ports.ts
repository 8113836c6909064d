// The ports and limits of a session.
import type { NoteLevel } from '../contract/adapter/action.ts';
import type { Instructions } from '../contract/adapter/instructions.ts';
import type { AgentKind } from '../contract/adapter/projection.ts';
import type { Resumption } from '../contract/adapter/stored-conversations.ts';
import type { Clock } from '../contract/clock.ts';
import type { Limited } from '../contract/limits/limit-rule.ts';
import type { WorkQueue } from '../contract/paced-work.ts';
import type { Tap } from '../contract/tap.ts';
import type { WorkspacePort } from '../contract/workspace.ts';
import type { ExportPort } from '../export/export.ts';
import type { AgentConnection } from '../link/agent-link.ts';
import type { Posted, SessionState } from '../log/stored-records.ts';
import type { Command } from '../model/command.ts';
import type { Message } from '../model/content.ts';
import type { Outcome, Problem } from '../model/errors.ts';
import type { Event } from '../model/event.ts';
import type { SessionFile } from '../model/outcome-data.ts';
import type { SessionInfo } from '../model/session-info.ts';
import type { Transcript } from '../model/transcript.ts';
import type { WindowLimits } from '../stream/window.ts';
import type { KeptSession } from './kept/session-recorder.ts';
import type { TranscriptBudget } from './transcript/transcript-budget.ts';

/** Time limits and queue limits of a session. */
export interface SessionLimits {
  /** An open approval or dialog is denied or cancelled after this, ms. */
  readonly questionMs: number;
  /** How long after an abort an agent may keep its run open before the agent is stopped, ms. */
  readonly abortMs: number;
  /** How long an agent may stay silent inside a run before the agent is stopped, ms; null: no limit. */
  readonly silenceMs: number | null;
  /** Most prompts that may wait behind the running one. */
  readonly queuedPrompts: number;
  /** What the transcript may keep, estimated bytes (docs/limits.md 5.2). */
  readonly transcriptBytes: number;
  readonly window?: WindowLimits;
}

/** Default limits (docs/faults.md F4, F15). */
export const defaultSessionLimits: SessionLimits = {
  questionMs: 10 * 60_000,
  abortMs: 5000,
  silenceMs: null,
  queuedPrompts: 64,
  transcriptBytes: 64 * 1024 * 1024,
};

/** Takes a command to the gateway that has the session. */
export type Forward = (command: Command, settle: (outcome: Outcome) => void) => void;

/** Takes there what clients have posted, and which streams they read. */
export interface ForwardPosts {
  /** Clients read a stream here. Its owner is to keep that, so that their cursors lead on at the next owner. */
  stream(key: string, source: unknown): void;
  /** A frame was posted to a stream under an id. Comes there behind its commands. */
  posted(posted: Posted): void;
  /** Calls back once everything so far is kept there. `isThere`: false if the owner may not have got it. */
  sync(then: (isThere: boolean) => void): void;
}

/** The surroundings of a session. */
export interface SessionPorts {
  readonly id: string;
  /** 12 hex digits, new each time the session is opened. */
  readonly epoch: string;
  /** See SessionView; default 0. */
  readonly timeOrigin?: number;
  /** See SessionView. */
  readonly place?: string;
  readonly clock: Clock;
  readonly limits: SessionLimits;
  /** What all sessions may keep together. If absent, each session has its own limit only. */
  readonly budget?: TranscriptBudget;
  /**
   * Starts a new agent. `resume`: the conversation that the agent is to go on with, if it can. A thrown error fails the
   * command that needed the agent.
   */
  connect(instructions?: Instructions, resume?: Resumption): AgentConnection;
  /** The agent's own name for a conversation of before this session, which its first agent opens. */
  readonly resume?: string;
  /**
   * Set if the session belongs to another gateway and this one only shows it: takes its commands there, and calls back
   * exactly once. Such a session starts no agent and records nothing.
   */
  readonly forward?: Forward;
  readonly forwardPosts?: ForwardPosts | undefined;
  /** Such a session should come to a halt, because a reader here cannot keep up, or go on. */
  paused?(isPaused: boolean): void;
  /** Why one more question of the agent is refused at once; null if it may wait for an answer. Default: it may. */
  refuseQuestion?(): string | null;
  /** See SessionView. */
  readonly agent?: AgentKind;
  /** Whether the agent can be started with instructions; default false. */
  readonly takesInstructions?: boolean;
  /** Session info that is known before the agent reports anything. */
  readonly info?: SessionInfo;
  /** Where the session is kept. If absent, it is nowhere. */
  readonly kept?: KeptSession;
  /** Messages of an earlier opening of this session, oldest first. */
  readonly history?: readonly Message[];
  /**
   * True if clients must not choose what the agent reads (docs/threats.md T9). The workspace then reads and searches
   * contexts, even for agents that could do so themselves.
   */
  readonly isConfined?: boolean;
  /** Reads the contexts of prompts. If absent, contexts cannot be read. */
  readonly workspace?: WorkspacePort;
  /** Writes exports. If absent, only the agent can make exports. */
  readonly exports?: ExportPort;
  /** Stored sessions of the agent, newest first. If absent, only the agent can list them. */
  sessionFiles?(): readonly SessionFile[];
  /**
   * Messages of a stored session that a client names. Throws a GatewayError if the client may not read that session.
   */
  readStored?(path: string): readonly Message[];
  /** Where the work for this session takes its turn. If absent, everything is done at once. */
  readonly work?: WorkQueue;
  note(level: NoteLevel, text: string): void;
  /** Looks at the agent's frames and the events; default nobody. */
  readonly tap?: Tap | undefined;
  /** Called when the agent or a client reaches a limit of the session. */
  readonly limited?: Limited;
  /** Called after each logged event except deltas. Returned changes become an event of the session. */
  logged?(event: Event): SessionInfo | undefined;
  /**
   * Forgets what is kept of the session, before `ended`. Calls back once nobody can find the session again, or with what has
   * gone wrong. Absent: nothing is kept.
   */
  forget?(then: (problem: Problem | null) => void): void;
  /** Called once, after the session has ended. `staysKept`: what is kept of it stays, so that it can be opened again. */
  ended?(staysKept: boolean): void;
  /** Called after the agent has ended by itself. `wasSilent`: the log is empty. */
  lost?(sentence: string, wasSilent: boolean): void;
}

/** What a session begins with that is made again. */
export interface RestoredState {
  /** The clock goes on behind the times of the records. Default: that of the ports. */
  readonly clock?: Clock;
  /** What the session was before its first record that is still there. */
  readonly past?: Omit<SessionState, 'transcript'> & { readonly transcript: Transcript };
}
