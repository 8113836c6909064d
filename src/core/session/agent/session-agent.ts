// The agent of a session: started with the first command that needs an agent, replaced after its end, paused by
// back-pressure.
import type { Backend } from '../../contract/adapter/backend.ts';
import { beginsAnew, type Resumption } from '../../contract/adapter/stored-conversations.ts';
import type { Ending } from '../../contract/channel.ts';
import type { Clock } from '../../contract/clock.ts';
import { faultText } from '../../contract/guarded.ts';
import { type AgentConnection, type AgentLink, linkAgent } from '../../link/agent-link.ts';
import { messagesOf } from '../../log/messages.ts';
import { repeatedTexts } from '../../log/repeated-texts.ts';
import type { Burst } from '../../model/burst.ts';
import type { Command } from '../../model/command.ts';
import { messageOf, refused, type Settle } from '../../model/errors.ts';
import type { Event } from '../../model/event.ts';
import type { Transcript } from '../../model/transcript.ts';
import type { SessionPorts } from '../session-ports.ts';

/** What an agent can do besides answering commands. */
export type Capabilities = Pick<Backend, 'takesContexts' | 'keepsPermissions' | 'takesOtherAnswers' | 'restoreHistory'>;

/** The agent as the parts of its session use it. */
export interface AgentPort {
  /** Passes a command to the agent. Starts an agent first if none runs. Calls back exactly once. */
  forward(command: Command, settle: Settle): void;
  /** Whether an agent has ended and none runs now. */
  isGone(): boolean;
  /** Whether the session is closed. A closed session answers nothing. */
  isSessionClosed(): boolean;
  /** Back-pressure: the agent is not read at the moment. */
  isPaused(): boolean;
  /** The capabilities of the latest agent; empty before the first one. */
  capabilities(): Capabilities;
  /** Ends the agent; the run goes on until the agent is gone. */
  stop(reason: string): void;
  /** Ends the agent and the run now; see AgentLink. */
  abandon(reason: string): void;
}

/** The agent as the conversation uses it. */
export interface SessionAgent extends AgentPort {
  isStarted(): boolean;
  /** Starts the agent. Throws if the agent cannot be started. */
  start(): void;
  /** Pauses or resumes reading. Returns whether that changed anything. */
  setPaused(isPaused: boolean): boolean;
}

/** The dependencies of the agent. */
export interface SessionAgentPorts {
  readonly transcript: Transcript;
  readonly clock: Clock;
  /** Connects a fresh agent. May throw. */
  connect(resume: Resumption | undefined): AgentConnection;
  /** See SessionPorts. */
  readonly resume: string | undefined;
  /** Adapts a command to the agent's capabilities. */
  prepare(command: Command, capabilities: Capabilities): Command;
  isSessionClosed(): boolean;
  /** Logs an event through the repair. */
  admit(event: Event): void;
  /** Logs deltas that came together through the repair. */
  admitBurst(burst: Burst): void;
  warn(text: string): void;
  readonly note: SessionPorts['note'];
  readonly work: SessionPorts['work'];
  readonly limited?: SessionPorts['limited'];
  readonly tap?: SessionPorts['tap'];
  /** Called after the agent has ended and all its commands have been answered. */
  ended(ending: Ending): void;
}

/** Creates the agent port of a session. No agent is connected until it is started or gets a command. */
export function createSessionAgent(ports: SessionAgentPorts): SessionAgent {
  const { transcript, clock, admit, note, limited, tap } = ports;
  let link: AgentLink | null = null;
  let isPaused = false;
  let capabilities: Capabilities = {};
  /** Whether the agent was given a conversation to go on with. `tried`: it got a prompt, and has not named it yet. */
  let resumption: 'none' | 'opened' | 'tried' | 'proven' = 'none';
  /** The conversation that an agent could not open. Without this, every next agent would end as that one did. */
  let failed: string | undefined;

  const isGone = () => link === null && transcript.agent === 'down';

  function ended(ending: Ending): void {
    link = null;
    if (resumption === 'tried') failed = transcript.info.resume ?? ports.resume;
    resumption = 'none';
    isPaused = false;
    ports.ended(ending);
  }

  function connected(): AgentLink {
    if (link !== null) return link;
    const isReplacement = isGone();
    const connection = ports.connect(wanted());
    capabilities = connection.backend;
    resumption = connection.isResumed === true ? 'opened' : 'none';
    // Must be logged before the first event of the new agent.
    if (isReplacement) admit({ type: 'agent-changed', state: 'up' });
    restoreHistory();
    const event = resumption === 'none' ? admit : proving;
    const texts = () => repeatedTexts(transcript);
    const listener = { event, burst: ports.admitBurst, note, texts, limited, tap, end: ended };
    link = linkAgent(connection, clock, listener, ports.work);
    return link;
  }

  /** What a new agent is to go on with. */
  function wanted(): Resumption | undefined {
    const { info, items } = transcript;
    const isKnown = items.length > 0;
    const name = isKnown ? (info.resume ?? ports.resume) : info.resume === undefined ? ports.resume : undefined;
    return name === undefined || name === '' || name === failed ? undefined : { name, isKnown };
  }

  /** An agent that names its conversation has opened it. */
  function proving(event: Event): void {
    if (event.type === 'session-changed' && event.changes.resume !== undefined) resumption = 'proven';
    admit(event);
  }

  function restoreHistory(): void {
    if (resumption !== 'none' || transcript.items.length === 0) return;
    if (capabilities.restoreHistory !== undefined) capabilities.restoreHistory(messagesOf(transcript));
    else ports.warn(beginsAnew);
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
      // Always answer: a prompt without an answer would keep the session busy forever.
      note('internal', faultText(thrown));
      return settle(refused('internal', 'the contexts of the prompt could not be read'));
    }
    if (resumption === 'opened' && command.type === 'prompt') resumption = 'tried';
    started.submit(prepared, settle);
  }

  return {
    forward,
    isGone,
    isSessionClosed: ports.isSessionClosed,
    isPaused: () => isPaused,
    capabilities: () => capabilities,
    stop: (reason) => link?.stop(reason),
    abandon: (reason) => link?.abandon(reason),
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
