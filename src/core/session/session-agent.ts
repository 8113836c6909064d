// The agent of a session: started with the first command that needs it, replaced after it has gone, paused by back-pressure.
import type { Backend } from '../contract/adapter.ts';
import type { Ending } from '../contract/channel.ts';
import type { Clock } from '../contract/clock.ts';
import { type AgentConnection, type AgentLink, linkAgent } from '../link/agent-link.ts';
import { messagesOf } from '../log/messages.ts';
import type { Command } from '../model/command.ts';
import { messageOf, refused, type Settle } from '../model/errors.ts';
import type { Event } from '../model/event.ts';
import type { Transcript } from '../model/transcript.ts';
import type { SessionPorts } from './session-ports.ts';

/** What an agent can do beside answering commands. */
export type Capabilities = Pick<Backend, 'takesContexts' | 'keepsPermissions' | 'restoreHistory'>;

/** The agent of a session, as the other parts of the session reach the agent. */
export interface AgentPort {
  /** Passes a command to the agent, which is started first where none is there. Calls back exactly once. */
  forward(command: Command, settle: Settle): void;
  /** There was an agent, and there is none now. */
  isGone(): boolean;
  /** The session is closed: nothing is answered from the session any more. */
  isSessionClosed(): boolean;
  /** Back-pressure: the agent is not read at the moment. */
  isPaused(): boolean;
  /** Of the agent that was started last; nothing before the first one. */
  capabilities(): Capabilities;
  /** Ends the agent. */
  stop(reason: string): void;
}

/** The same, as the conversation sees it. */
export interface SessionAgent extends AgentPort {
  isStarted(): boolean;
  /** Throws when the agent cannot even be tried. */
  start(): void;
  /** Returns whether that changes anything. */
  setPaused(isPaused: boolean): boolean;
}

/** What the agent needs of its session. */
export interface SessionAgentPorts {
  readonly transcript: Transcript;
  readonly clock: Clock;
  /** Connects a fresh agent. May throw. */
  connect(): AgentConnection;
  /** The command as an agent of those capabilities can take it. */
  prepare(command: Command, capabilities: Capabilities): Command;
  isSessionClosed(): boolean;
  /** Logs an event through the repair. */
  admit(event: Event): void;
  warn(text: string): void;
  readonly note: SessionPorts['note'];
  /** The agent is gone; every command that the agent had has been answered. */
  ended(ending: Ending): void;
}

/** No agent yet. */
export function createSessionAgent(ports: SessionAgentPorts): SessionAgent {
  const { transcript, clock, admit, note } = ports;
  let link: AgentLink | null = null;
  let isPaused = false;
  let capabilities: Capabilities = {};

  const isGone = () => link === null && transcript.agent === 'down';

  function ended(ending: Ending): void {
    link = null;
    isPaused = false;
    ports.ended(ending);
  }

  function connected(): AgentLink {
    if (link !== null) return link;
    const isReplacement = isGone();
    const connection = ports.connect();
    capabilities = connection.backend;
    // Logged before the first event of the new agent.
    if (isReplacement) admit({ type: 'agent-changed', state: 'up' });
    restoreHistory();
    link = linkAgent(connection, clock, { event: admit, note, end: ended });
    return link;
  }

  function restoreHistory(): void {
    if (transcript.items.length === 0) return;
    if (capabilities.restoreHistory !== undefined) capabilities.restoreHistory(messagesOf(transcript));
    else ports.warn('A new agent was started; it does not remember what was said before.');
  }

  function forward(command: Command, settle: Settle): void {
    let started: AgentLink;
    let prepared: Command;
    try {
      started = connected();
    } catch (thrown) {
      return settle(refused('agent-down', messageOf(thrown)));
    }
    try {
      prepared = ports.prepare(command, capabilities);
    } catch (thrown) {
      // A prompt without an answer would keep its session busy for ever.
      note('violation', `internal error: ${messageOf(thrown)}`);
      return settle(refused('internal', 'the contexts of the prompt could not be read'));
    }
    started.submit(prepared, settle);
  }

  return {
    forward,
    isGone,
    isSessionClosed: ports.isSessionClosed,
    isPaused: () => isPaused,
    capabilities: () => capabilities,
    stop: (reason) => link?.stop(reason),
    isStarted: () => link !== null,
    start: () => void connected(),
    setPaused(isPausedNow) {
      if (isPausedNow === isPaused || link === null) return false;
      isPaused = isPausedNow;
      if (isPaused) link.pause();
      else link.resume();
      return true;
    },
  };
}
