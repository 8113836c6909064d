// Creates the parts of a conversation and wires them together.
import type { SessionView } from '../contract/adapter/projection.ts';
import type { Ending } from '../contract/channel.ts';
import { type Clock, createTimers } from '../contract/clock.ts';
import { faultText, guardedClock, internalError } from '../contract/guarded.ts';
import { Exports } from '../export/export.ts';
import { createRepair } from '../log/repair.ts';
import type { Event } from '../model/event.ts';
import type { Stream } from '../stream/stream.ts';
import { createDefaultModel } from './agent/default-model.ts';
import { createSessionAgent } from './agent/session-agent.ts';
import { createInstructions } from './agent/session-instructions.ts';
import { createSilenceLimit } from './agent/silence-limit.ts';
import { createForks } from './forks.ts';
import type { SessionRecorder } from './kept/session-recorder.ts';
import { createContexts } from './prompt-contexts.ts';
import { LatePrompts } from './prompts/late-prompts.ts';
import { createQueries } from './query-routing.ts';
import { LateQuestions } from './questions/late-questions.ts';
import { createReentryGuard } from './reentry-guard.ts';
import { createSessionLog } from './session-log.ts';
import type { SessionPorts } from './session-ports.ts';
import type { ContextFigures } from './transcript/context-usage.ts';
import { createTranscriptLimit } from './transcript/transcript-limit.ts';

/** The session around a conversation, as the conversation sees the session. */
export interface ConversationPorts {
  readonly session: SessionPorts;
  /** The clock of the session. */
  readonly clock: Clock;
  readonly note: SessionPorts['note'];
  readonly view: SessionView;
  /** All streams of the session. */
  readonly streams: ReadonlyMap<string, Stream>;
  /** Null: the session is not kept. */
  readonly recorder: SessionRecorder | null;
  /** The figures of what was logged before. */
  readonly context: ContextFigures;
  /** How many clients are attached to the streams. */
  readers(): number;
  /** Why the session takes no more prompts; null while prompts are accepted. */
  retired(): string | null;
  /** Why the session is closed; null while open. */
  closed(): string | null;
  /** The transcript keeps so many bytes now. */
  measured(bytes: number): void;
}

/** The parts of one conversation. */
export type ConversationParts = ReturnType<typeof createParts>;

/**
 * Creates the parts without an agent. `agentEnded` is called after every command of the ended agent has been answered.
 */
export function createParts(ports: ConversationPorts, agentEnded: (ending: Ending) => void) {
  const { session, view, note } = ports;
  const { limits, exports: port, work, limited = () => {} } = session;
  // A timer of the session belongs to its agent's work: what is thrown there ends the agent.
  const clock = guardedClock(ports.clock, (thrown) => {
    note('internal', faultText(thrown));
    agent.stop(internalError);
  });
  const { transcript } = view;
  const timers = createTimers(clock);
  const guard = createReentryGuard();
  const admit = createRepair({
    transcript,
    append: (event) => log.append(event),
    appendBurst: (burst) => log.appendBurst(burst),
    note,
  });

  function notify(level: 'warning' | 'error', text: string): void {
    admit({ type: 'notice', level, source: 'gateway', text });
  }
  const warn = (text: string) => notify('warning', text);

  const agent = createSessionAgent({
    transcript,
    clock,
    connect: (resume) => session.connect(instructions.current(), resume),
    resume: session.resume,
    prepare: (command, { takesContexts }) => contexts.readable(command, takesContexts === true),
    isSessionClosed: () => ports.closed() !== null,
    admit,
    admitBurst: admit.burst,
    warn,
    note,
    work,
    limited,
    tap: session.tap,
    ended: agentEnded,
  });
  const limitSilence = createSilenceLimit({ transcript, timers, agent, silenceMs: limits.silenceMs, limited });

  const { transcriptBytes: mostBytes } = limits;
  const size = createTranscriptLimit({ transcript, timers, agent, mostBytes, limited, report: ports.measured });

  const { questionMs: deadlineMs } = limits;
  const questions = new LateQuestions({
    transcript,
    clock,
    deadlineMs,
    admit,
    limited,
    readers: ports.readers,
    agent,
    refuseQuestion: () => session.refuseQuestion?.() ?? null,
  });
  const complain = (text: string) => notify('error', text);
  const prompts = new LatePrompts({ transcript, timers, limits, agent, limited, complain, admit });
  const model = createDefaultModel(agent);
  const instructions = createInstructions({ areHeard: session.takesInstructions === true, isStarted: agent.isStarted });
  const contexts = createContexts({
    workspace: session.workspace,
    isConfined: session.isConfined === true,
    warn,
    agent,
  });
  const readStored = session.readStored && ((path: string) => session.readStored?.(path) ?? []);
  const forks = createForks({ view, readStored, admit, agent, isBusy: () => prompts.isBusy() });
  const exports = port === undefined ? undefined : new Exports({ view, clock, port, work });
  const queries = createQueries({
    view,
    exports,
    files: session.sessionFiles && (() => session.sessionFiles?.() ?? []),
    facts: () => ({
      running: prompts.isRunning(),
      waiting: prompts.queued(),
      context: log.context(),
      timeOrigin: view.timeOrigin,
    }),
    admit,
    agent,
  });

  const { streams, recorder, context } = ports;
  const logged = (event: Event) => session.logged?.(event);
  const followers = {
    streams,
    questions,
    prompts,
    model,
    guard,
    size,
    limitSilence,
    logged,
    recorder,
    context,
    tap: session.tap,
  };
  const log = createSessionLog({ transcript, clock, ...followers });

  /** Stops all timers. */
  function clear(): void {
    timers.clear();
    questions.clear();
  }

  const machines = { agent, questions, prompts, model, instructions, contexts, forks, queries, exports };
  return { ...machines, transcript, guard, size, admit, append: log.append, context: log.context, limitSilence, clear };
}
