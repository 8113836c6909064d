// What is said between a session's clients and its agent: the log, the agent's life, who answers which command.
// Knows no protocol, and of the clients no more than the streams that they listen to.
import type { Backend, SessionView } from '../contract/adapter.ts';
import { type AgentLink, linkAgent, sentenceOf } from '../link/agent-link.ts';
import { createQueries } from './queries.ts';
import type { Ending } from '../contract/channel.ts';
import { createTimers } from '../contract/clock.ts';
import { closeRun } from '../log/close-run.ts';
import type { Command } from '../model/command.ts';
import { type ContextFigures, contextAfter, unknownContext } from './context-usage.ts';
import { createDefaultModel } from './default-model.ts';
import { messageOf, type Outcome, refused } from '../model/errors.ts';
import type { Event, EventOf, Logged } from '../model/event.ts';
import { createForks } from './forks.ts';
import { createInstructions } from './session-instructions.ts';
import { messagesOf } from '../log/messages.ts';
import { createContexts } from './prompt-contexts.ts';
import { createPrompts } from './prompts/prompts.ts';
import { createQuestions } from './questions.ts';
import { createRepair } from '../log/repair.ts';
import type { SessionPorts } from './session-ports.ts';
import type { Stream } from '../stream/stream.ts';
import { fold } from '../log/fold.ts';

/** The session around a conversation, as the conversation sees it. */
export interface ConversationPorts extends SessionPorts {
  readonly view: SessionView;
  /** All that listen. */
  readonly streams: ReadonlyMap<string, Stream>;
  /** Clients attached to any of them. */
  readers(): number;
  /** Why there are no more prompts; null while they are taken. */
  retired(): string | null;
  /** Why the session is over; null while it is open. */
  closed(): string | null;
  close(reason: string): void;
}

/** A session's conversation with its agent. */
export interface Conversation {
  /** A run is open or about to be, or a prompt waits. */
  isBusy(): boolean;
  /** See Session. */
  start(): void;
  submit(command: Command, settle: Settle): void;
  whenIdle(callback: () => void): void;
  /** Slows the agent, or lets it go on. */
  pauseStallWatch(pressed: boolean): void;
  /** See Session. */
  setUnattended(): void;
  /** What waits will not run. */
  drop(reason: string): void;
  /** Ends the run and the agent. The session is closed by then. */
  end(reason: string): void;
}

type Settle = (outcome: Outcome) => void;

/** Starts without an agent. */
export function startConversation(ports: ConversationPorts): Conversation {
  const { clock, limits, view, streams } = ports;
  const { transcript } = view;
  const timers = createTimers(clock);
  let agent: AgentLink | null = null;
  let context: ContextFigures = unknownContext;
  /** Commands that came while a prompt was being answered, before its run was in the log. */
  let postponed: (() => void)[] | null = null;
  let held = false;
  /** What the agent that is there now can do. */
  let able: Pick<Backend, 'takesContexts' | 'keepsPermissions' | 'restoreHistory'> = {};

  const admit = createRepair({ transcript, append, note: ports.note });
  const questions = createQuestions({
    transcript,
    clock,
    deadlineMs: limits.questionMs,
    admit,
    readers: ports.readers,
    keepsPermissions: () => able.keepsPermissions === true,
    forward: (answer, settle) => forward(answer, settle),
  });

  const prompts = createPrompts({
    transcript,
    timers,
    limits,
    forward: (command, settle) => forward(command, settle),
    isPaused: () => held,
    stopAgent: (reason) => agent?.stop(reason),
    complain: (text) => admit({ type: 'notice', level: 'error', source: 'gateway', text }),
    admit,
  });

  const ask = createQueries({
    view,
    clock,
    exports: ports.exports,
    files: ports.sessionFiles,
    facts: () => ({ running: prompts.isRunning(), waiting: prompts.queued(), context, timeOrigin: view.timeOrigin }),
    admit,
    forward: (command, settle) => forward(command, settle),
    isAgentGone,
    isOver: () => ports.closed() !== null,
  });

  const model = createDefaultModel((command, settle) => forward(command, settle));

  const instructions = createInstructions({
    areHeard: ports.takesInstructions === true,
    isStarted: () => agent !== null,
  });

  const contexts = createContexts({
    workspace: ports.workspace,
    isConfined: ports.isConfined === true,
    warn,
    forward: (command, settle) => forward(command, settle),
    isAgentGone,
    isOver: () => ports.closed() !== null,
  });

  const fork = createForks({
    transcript,
    timeOrigin: view.timeOrigin,
    forward: (command, settle) => forward(command, settle),
    restoreHistory: () => able.restoreHistory,
    readStored: ports.readStored,
    admit,
    isBusy: () => prompts.isBusy(),
    isOver: () => ports.closed() !== null,
  });

  function isAgentGone(): boolean {
    return agent === null && transcript.agent === 'down';
  }

  function warn(text: string): void {
    admit({ type: 'notice', level: 'warning', source: 'gateway', text });
  }

  function append(event: Event): void {
    if (event.type === 'run-start') return startRun(event);
    const isTurn = event.type === 'compaction-start' && prompts.isCompactionDue();
    log(isTurn ? { ...event, asPrompt: true } : questions.marked(event));
  }

  /** The prompt is answered first: clients hear that it was accepted before they hear of its run. */
  function startRun(event: EventOf<'run-start'>): void {
    postponing(() => {
      prompts.accept(event);
      log(event);
    });
  }

  /** Who hears an answer in the middle of this may submit something: it is taken up when this is through. */
  function postponing(act: () => void): void {
    if (postponed !== null) return act();
    const commands: (() => void)[] = [];
    postponed = commands;
    try {
      act();
    } finally {
      postponed = null;
    }
    for (const submitNow of commands) submitNow();
  }

  function log(event: Event): void {
    for (const stream of streams.values()) stream.before(event);
    const logged: Logged = { seq: transcript.lastSeq + 1, at: clock.now(), event };
    fold(transcript, logged);
    context = contextAfter(context, event);
    if (event.type !== 'block-delta') {
      questions.event(event);
      model.event(event);
    }
    for (const stream of streams.values()) stream.event(logged);
    const changes = event.type === 'block-delta' ? undefined : ports.logged?.(event);
    watchSilence();
    prompts.event(logged);
    // Legal anywhere, and there before the messages that an agent tells again behind its reset.
    if (changes !== undefined) log({ type: 'session-changed', changes });
  }

  function watchSilence(): void {
    if (limits.silenceMs === null) return;
    const waitsForUser = transcript.approvals.size + transcript.dialogs.size > 0;
    const mayBeSilent = ports.closed() !== null || transcript.run === null || waitsForUser || held;
    timers.set('silence', mayBeSilent ? null : limits.silenceMs, () => agent?.stop('agent unresponsive'));
  }

  function connectAgent(): AgentLink {
    if (agent !== null) return agent;
    const isReplacement = transcript.agent === 'down';
    const connection = ports.connect(instructions.current());
    able = connection.backend;
    // Before it says anything itself.
    if (isReplacement) admit({ type: 'agent-changed', state: 'up' });
    if (transcript.items.length > 0) {
      if (able.restoreHistory === undefined)
        warn('A new agent was started; it does not remember what was said before.');
      else able.restoreHistory(messagesOf(transcript));
    }
    agent = linkAgent(connection, clock, { event: admit, note: ports.note, end: agentEnded });
    return agent;
  }

  function agentEnded(ending: Ending): void {
    postponing(() => forgetAgent(ending));
  }

  function forgetAgent(ending: Ending): void {
    agent = null;
    held = false;
    model.forget();
    const message = sentenceOf(ending);
    const wasSilent = transcript.lastSeq === 0;
    const cause = { outcome: 'failed' as const, failure: { kind: 'agent' as const, message } };
    prompts.lose(refused('agent-down', message));
    // Legal by itself, and it counts blocks as the log does: it must not pass the repair.
    for (const event of closeRun(transcript, cause)) append(event);
    timers.clear();
    questions.clear();
    if (ports.closed() === null) admit({ type: 'agent-changed', state: 'down', reason: ending.reason });
    // Prompts that wait were meant for a conversation that this agent held: never repeat by ourselves (docs/faults.md F1).
    prompts.drop(refused('agent-down', message));
    if (ports.closed() === null) ports.lost?.(message, wasSilent);
    prompts.tellIdle();
  }

  function forward(command: Command, settle: Settle): void {
    let link: AgentLink;
    let asked: Command;
    try {
      link = connectAgent();
    } catch (thrown) {
      return settle(refused('agent-down', messageOf(thrown)));
    }
    try {
      asked = contexts.readable(command, able.takesContexts === true);
    } catch (thrown) {
      // A prompt that is never answered would keep its session busy for ever.
      ports.note('violation', `internal error: ${messageOf(thrown)}`);
      return settle(refused('internal', 'the contexts of the prompt could not be read'));
    }
    link.submit(asked, settle);
  }

  function submit(command: Command, settle: Settle): void {
    if (postponed !== null) {
      postponed.push(() => submit(command, settle));
      return;
    }
    if (ports.closed() !== null) return settle(refused('not-found', 'the session is closed'));
    const retired = ports.retired();
    switch (command.type) {
      case 'prompt':
        return retired === null ? prompts.submit(command, settle) : settle(refused('shutting-down', retired));
      case 'compact':
        if (command.asPrompt !== true) return forward(command, settle);
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
        return command.subject === 'contexts' ? contexts.find(command, settle) : ask(command, settle);
      case 'set-trust':
        questions.trust(command.enabled);
        admit({ type: 'session-changed', changes: { trusted: command.enabled } });
        return settle({ ok: true });
      case 'set-name':
      case 'export':
        return ask(command, settle);
      case 'set-model':
        return model.set(command, settle);
      case 'set-instructions':
        return settle(instructions.set(command));
      case 'fork':
      case 'new-session':
      case 'switch-session':
        return fork(command, settle);
      case 'delete-session':
        // The answer first: a client hears nothing any more once its stream has ended.
        settle({ ok: true });
        return ports.close('the session was deleted');
      default:
        return forward(command, settle);
    }
  }

  function pauseStallWatch(pressed: boolean): void {
    if (pressed === held || agent === null) return;
    held = pressed;
    if (pressed) agent.pause();
    else agent.resume();
    prompts.pauseStallWatch(pressed, clock.now());
    // An agent that we do not listen to is not silent.
    watchSilence();
  }

  function end(reason: string): void {
    prompts.drop(refused('shutting-down', reason));
    prompts.lose(refused('shutting-down', reason));
    const failure = { kind: 'gateway' as const, message: reason };
    for (const event of closeRun(transcript, { outcome: 'aborted', failure })) append(event);
    agent?.stop(reason);
    timers.clear();
    questions.clear();
  }

  return {
    isBusy: () => !prompts.isIdle(),
    start: () => void connectAgent(),
    submit,
    whenIdle: prompts.whenIdle,
    pauseStallWatch,
    setUnattended: questions.setUnattended,
    drop: (reason) => prompts.drop(refused('shutting-down', reason)),
    end,
  };
}
