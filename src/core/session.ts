// One conversation with one agent, whoever watches: the log, the agent's life, the prompts that wait. Knows no protocol.
import type { NoteLevel, Projection, SessionView } from './adapter.ts';
import { type AgentConnection, type AgentLink, linkAgent, sentenceOf } from './agent-link.ts';
import type { Ending } from './channel.ts';
import { type Clock, createTimers } from './clock.ts';
import { closeRun } from './close-run.ts';
import type { Command, CommandOf } from './command.ts';
import { messageOf, type Outcome, refused } from './errors.ts';
import type { Event, Logged } from './event.ts';
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
  const waiting: { command: CommandOf<'prompt'>; settle: Settle }[] = [];
  /** The prompt that the agent has and whose run has not started yet. */
  let prompting: Settle | null = null;
  let agent: AgentLink | null = null;
  let idleCallbacks: (() => void)[] = [];
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

  function countReaders(): number {
    return [...streams.values()].reduce((sum, stream) => sum + stream.readers, 0);
  }

  function append(event: Event): void {
    const logged: Logged = { seq: transcript.lastSeq + 1, at: clock.now(), event };
    fold(transcript, logged);
    questions.event(event);
    for (const stream of streams.values()) stream.event(logged);
    if (event.type === 'run-start') settlePrompt({ ok: true });
    if (transcript.run !== null) watchSilence();
    else if (event.type === 'run-end' || event.type === 'compaction-end') afterRun();
  }

  /** A prompt has succeeded once its run has begun: from then on the log tells how it goes, and nobody else. */
  function settlePrompt(outcome: Outcome): void {
    const settle = prompting;
    prompting = null;
    settle?.(outcome);
  }

  function afterRun(): void {
    timers.set('abort', null, () => {});
    timers.set('silence', null, () => {});
    if (isBusy()) return;
    // Not in this tick: the agent may be in the middle of what it says about the end.
    if (waiting.length > 0) timers.set('next', 0, sendNext);
    else tellIdle();
  }

  function tellIdle(): void {
    if (isBusy() || waiting.length > 0) return;
    const callbacks = idleCallbacks;
    idleCallbacks = [];
    for (const callback of callbacks) callback();
  }

  function sendNext(): void {
    if (isBusy() || closed !== null) return;
    const next = waiting.shift();
    if (next !== undefined) prompt(next.command, next.settle);
  }

  const isRunning = () => transcript.run !== null || prompting !== null;
  /** Agents take a prompt during a compaction and then forget it, so a compaction counts as well. */
  const isBusy = () => isRunning() || transcript.compaction !== null;

  function watchSilence(): void {
    if (limits.silenceMs === null) return;
    const waitsForUser = transcript.approvals.size + transcript.dialogs.size > 0;
    timers.set('silence', waitsForUser || held ? null : limits.silenceMs, () => agent?.stop('agent unresponsive'));
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
    settlePrompt(refused('agent-down', message));
    // Legal by itself, and it counts blocks as the log does: it must not pass the repair.
    for (const event of closeRun(transcript, cause)) append(event);
    timers.clear();
    questions.clear();
    if (closed === null) admit({ type: 'agent-changed', state: 'down', reason: ending.reason });
    // Prompts that wait were meant for a conversation that this agent held: never repeat by ourselves (F1).
    for (const { settle } of waiting.splice(0)) settle(refused('agent-down', message));
    tellIdle();
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

  function prompt(command: CommandOf<'prompt'>, settle: Settle): void {
    prompting = settle;
    forward(command, (outcome) => {
      if (outcome.ok || prompting !== settle) return;
      settlePrompt(outcome);
      afterRun();
    });
  }

  function submitPrompt(command: CommandOf<'prompt'>, settle: Settle): void {
    if (retired !== null) return settle(refused('shutting-down', retired));
    // Between two runs the agent is free, but the prompts that wait come first.
    if (!isBusy() && waiting.length === 0) return prompt(command, settle);
    const { whenBusy } = command;
    if ((whenBusy === 'steer' || whenBusy === 'follow-up') && isRunning()) return forward(command, settle);
    if (whenBusy === 'refuse') return settle(refused('busy', 'the agent is still working on an earlier prompt'));
    if (waiting.length >= limits.queuedPrompts) {
      return settle(refused('limit', `${limits.queuedPrompts} prompts are waiting already`));
    }
    waiting.push({ command, settle });
  }

  function abort(command: CommandOf<'abort'>, settle: Settle): void {
    if (command.target === 'run') {
      if (!isBusy()) return settle({ ok: true, data: { waiting: [] } });
      // Counted from the first abort: who asks again must not give a hanging agent more time.
      if (!timers.has('abort')) timers.set('abort', limits.abortMs, stopUnwilling);
    }
    forward(command, (outcome) =>
      settle(outcome.ok ? { ok: true, data: { waiting: waiting.map((next) => next.command) } } : outcome),
    );
  }

  const stopUnwilling = () => agent?.stop('the agent did not stop when it was aborted');

  function submit(command: Command, settle: Settle): void {
    if (closed !== null) return settle(refused('not-found', 'the session is closed'));
    switch (command.type) {
      case 'prompt':
        return submitPrompt(command, settle);
      case 'abort':
        return abort(command, settle);
      case 'answer-approval':
        return questions.answer(command, (outcome) => {
          settle(outcome);
          if (outcome.ok && command.interrupt === true) abort({ type: 'abort', target: 'run' }, () => {});
        });
      case 'answer-dialog':
        return questions.answer(command, settle);
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
    if (transcript.run !== null) watchSilence();
  }

  function close(reason: string): void {
    if (closed !== null) return;
    closed = reason;
    for (const { settle } of waiting.splice(0)) settle(refused('shutting-down', reason));
    settlePrompt(refused('shutting-down', reason));
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
      if (isBusy() || waiting.length > 0) return 'running';
      return transcript.agent === 'down' ? 'down' : 'idle';
    },
    get readers() {
      return countReaders();
    },
    submit,
    whenIdle(callback) {
      idleCallbacks.push(callback);
      tellIdle();
    },
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
      for (const { settle } of waiting.splice(0)) settle(refused('shutting-down', reason));
    },
    close,
  };
}
