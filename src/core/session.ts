// One conversation with one agent, whoever watches: the log, the agent's life, who answers which command.
// Knows no protocol.
import type { NoteLevel, Projection, SessionView } from './adapter.ts';
import { type AgentConnection, type AgentLink, linkAgent, sentenceOf } from './agent-link.ts';
import { createAsk } from './ask.ts';
import type { Ending } from './channel.ts';
import { type Clock, createTimers } from './clock.ts';
import { closeRun } from './close-run.ts';
import type { Command } from './command.ts';
import { type ContextFigures, contextAfter, unknownContext } from './context.ts';
import { messageOf, type Outcome, refused } from './errors.ts';
import type { Event, Logged } from './event.ts';
import type { ExportPort } from './export.ts';
import { createPrompts } from './prompts.ts';
import { createQuestions } from './questions.ts';
import { createRepair } from './repair.ts';
import { createStream, type Stream } from './stream.ts';
import { emptyTranscript, fold, type Transcript } from './transcript.ts';
import type { WindowLimits } from './window.ts';

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

/** Limits from the reliability reference (F4, F15). */
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
  readonly clock: Clock;
  readonly limits: SessionLimits;
  /** Starts a fresh agent. May throw; the command that needed it fails then. */
  connect(): AgentConnection;
  /** Where exports go; without it only the agent can make them. */
  readonly exports?: ExportPort;
  note(level: NoteLevel, text: string): void;
}

/** A session at work. */
export interface Session extends SessionView {
  /** `idle`: no run, and no prompt waits. `down`: the agent is gone; the next prompt starts a new one. */
  readonly state: 'idle' | 'running' | 'down' | 'closed';
  /** Clients attached to any of its streams. */
  readonly readers: number;
  /** Calls back exactly once. */
  submit(command: Command, settle: (outcome: Outcome) => void): void;
  /** Calls back once, when no run is open and no prompt waits; at once if that is so now. */
  whenIdle(callback: () => void): void;
  /** The stream of that dialect: made on first use, then shared by all who name the same key. */
  stream(key: string, make: (view: SessionView) => Projection): Stream;
  /** Takes no more prompts; what runs goes on. */
  retire(reason: string): void;
  /** Ends the run, the agent and all streams. Idempotent. */
  close(reason: string): void;
}

type Settle = (outcome: Outcome) => void;

/** Opens a session. The agent starts with the first command that needs it. */
export function createSession(ports: SessionPorts): Session {
  const { clock, limits } = ports;
  const transcript: Transcript = emptyTranscript();
  const streams = new Map<string, Stream>();
  const timers = createTimers(clock);
  let agent: AgentLink | null = null;
  let context: ContextFigures = unknownContext;
  /** Commands that came while a prompt was being answered, before its run was in the log. */
  let postponed: (() => void)[] | null = null;
  /** Streams with a reader that cannot keep up. */
  const pressing = new Set<string>();
  let held = false;
  let retired: string | null = null;
  /** Why the session is over. */
  let closed: string | null = null;

  const view: SessionView = { id: ports.id, epoch: ports.epoch, timeOrigin: ports.timeOrigin ?? 0, transcript };
  const admit = createRepair({ transcript, append, note: ports.note });
  const questions = createQuestions({
    transcript,
    clock,
    deadlineMs: limits.questionMs,
    admit,
    readers: countReaders,
    forward: (answer, settle) => forward(answer, settle),
  });

  const prompts = createPrompts({
    transcript,
    timers,
    limits,
    forward: (command, settle) => forward(command, settle),
    stopAgent: (reason) => agent?.stop(reason),
    complain: (text) => admit({ type: 'notice', level: 'error', source: 'gateway', text }),
  });

  const ask = createAsk({
    view,
    clock,
    exports: ports.exports,
    facts: () => ({ running: prompts.running, waiting: prompts.waiting, context, timeOrigin: view.timeOrigin }),
    admit,
    forward: (command, settle) => forward(command, settle),
    isAgentGone: () => agent === null && transcript.agent === 'down',
    isOver: () => closed !== null,
  });

  function countReaders(): number {
    return [...streams.values()].reduce((sum, stream) => sum + stream.readers, 0);
  }

  function append(event: Event): void {
    if (event.type === 'run-start') return startRun(event);
    log(event);
  }

  /** The prompt is answered first: clients hear that it was accepted before they hear of its run. */
  function startRun(event: Event): void {
    const commands: (() => void)[] = [];
    postponed = commands;
    try {
      prompts.accept();
    } finally {
      postponed = null;
    }
    log(event);
    for (const submitNow of commands) submitNow();
  }

  function log(event: Event): void {
    for (const stream of streams.values()) stream.before(event);
    const logged: Logged = { seq: transcript.lastSeq + 1, at: clock.now(), event };
    fold(transcript, logged);
    context = contextAfter(context, event);
    questions.event(event);
    for (const stream of streams.values()) stream.event(logged);
    watchSilence();
    prompts.event(event);
  }

  function watchSilence(): void {
    if (limits.silenceMs === null) return;
    const waitsForUser = transcript.approvals.size + transcript.dialogs.size > 0;
    const mayBeSilent = closed !== null || transcript.run === null || waitsForUser || held;
    timers.set('silence', mayBeSilent ? null : limits.silenceMs, () => agent?.stop('agent unresponsive'));
  }

  function connectAgent(): AgentLink {
    if (agent !== null) return agent;
    const isReplacement = transcript.agent === 'down';
    const connection = ports.connect();
    // Before it says anything itself.
    if (isReplacement) {
      admit({ type: 'agent-changed', state: 'up' });
      const text = 'A new agent was started; it does not remember what was said before.';
      admit({ type: 'notice', level: 'warning', source: 'gateway', text });
    }
    agent = linkAgent(connection, clock, { event: admit, note: ports.note, end: agentEnded });
    return agent;
  }

  function agentEnded(ending: Ending): void {
    agent = null;
    held = false;
    const message = sentenceOf(ending);
    const cause = { outcome: 'failed' as const, failure: { kind: 'agent' as const, message } };
    prompts.lose(refused('agent-down', message));
    // Legal by itself, and it counts blocks as the log does: it must not pass the repair.
    for (const event of closeRun(transcript, cause)) append(event);
    timers.clear();
    questions.clear();
    if (closed === null) admit({ type: 'agent-changed', state: 'down', reason: ending.reason });
    // Prompts that wait were meant for a conversation that this agent held: never repeat by ourselves (F1).
    prompts.drop(refused('agent-down', message));
    prompts.tellIdle();
  }

  function forward(command: Command, settle: Settle): void {
    let link: AgentLink;
    try {
      link = connectAgent();
    } catch (thrown) {
      return settle(refused('agent-down', messageOf(thrown)));
    }
    link.submit(command, settle);
  }

  function submit(command: Command, settle: Settle): void {
    if (postponed !== null) {
      postponed.push(() => submit(command, settle));
      return;
    }
    if (closed !== null) return settle(refused('not-found', 'the session is closed'));
    switch (command.type) {
      case 'prompt':
        return retired === null ? prompts.submit(command, settle) : settle(refused('shutting-down', retired));
      case 'follow-up':
        return retired === null ? prompts.followUp(command, settle) : settle(refused('shutting-down', retired));
      case 'clear-queue':
        return prompts.clearQueue(command, settle);
      case 'abort':
        return prompts.abort(command, settle);
      case 'answer-approval':
        return questions.answer(command, (outcome) => {
          settle(outcome);
          if (outcome.ok && command.interrupt === true) prompts.abort({ type: 'abort', target: 'run' }, () => {});
        });
      case 'answer-dialog':
        return questions.answer(command, settle);
      case 'query':
      case 'set-name':
      case 'export':
        return ask(command, settle);
      case 'delete-session':
        // The answer first: a client hears nothing any more once its stream has ended.
        settle({ ok: true });
        return close('the session was deleted');
      default:
        return forward(command, settle);
    }
  }

  /** A single reader that cannot keep up slows the agent instead of filling memory (F20). */
  function press(key: string, pressure: boolean): void {
    if (pressure) pressing.add(key);
    else pressing.delete(key);
    const hold = pressing.size > 0;
    if (hold === held || agent === null) return;
    held = hold;
    if (hold) agent.hold();
    else agent.release();
    // An agent that we do not listen to is not silent.
    watchSilence();
  }

  function close(reason: string): void {
    if (closed !== null) return;
    closed = reason;
    prompts.drop(refused('shutting-down', reason));
    prompts.lose(refused('shutting-down', reason));
    const failure = { kind: 'gateway' as const, message: reason };
    for (const event of closeRun(transcript, { outcome: 'aborted', failure })) append(event);
    agent?.stop(reason);
    timers.clear();
    questions.clear();
    for (const stream of streams.values()) stream.close(reason);
  }

  return {
    ...view,
    get state() {
      if (closed !== null) return 'closed';
      if (prompts.busy || prompts.queued > 0) return 'running';
      return transcript.agent === 'down' ? 'down' : 'idle';
    },
    get readers() {
      return countReaders();
    },
    submit,
    whenIdle: prompts.whenIdle,
    stream(key, make) {
      const existing = streams.get(key);
      if (existing !== undefined) return existing;
      const pressure = (pressed: boolean) => press(key, pressed);
      const stream = createStream(view, make, { limits: limits.window, pressure, note: ports.note });
      streams.set(key, stream);
      if (closed !== null) stream.close(closed);
      return stream;
    },
    retire(reason) {
      retired ??= reason;
      prompts.drop(refused('shutting-down', reason));
    },
    close,
  };
}
