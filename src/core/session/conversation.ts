// The conversation between the clients of a session and its agent: start, commands and end. conversation-parts.ts wires
// the parts, session-log.ts has the log, session-agent.ts the agent, command-dispatch.ts the command table.
import type { Ending } from '../contract/channel.ts';
import { sentenceOf } from '../link/agent-link.ts';
import { type Cause, closeRun } from '../log/close-run.ts';
import type { Command, CommandOf } from '../model/command.ts';
import { refused, type Settle } from '../model/errors.ts';
import { createDispatch } from './command-dispatch.ts';
import { type ConversationParts, type ConversationPorts, createParts } from './conversation-parts.ts';
import type { ContextFigures } from './transcript/context-usage.ts';

/** A session's conversation with its agent. */
export interface Conversation {
  /** Whether no run and no compaction is open and no prompt waits. */
  isIdle(): boolean;
  /** Whether an agent runs. */
  hasAgent(): boolean;
  /** See Session. */
  start(): void;
  submit(command: Command, settle: Settle): void;
  whenIdle(callback: () => void): void;
  /** Back-pressure: stops or resumes reading the agent. */
  setPaused(isPaused: boolean): void;
  /** See Session. */
  setUnattended(): void;
  /** Tells all clients, outside of what the agent says. */
  warn(text: string): void;
  /** How much of the model's context is used. */
  context(): ContextFigures;
  /** Drops all waiting prompts. */
  drop(reason: string): void;
  /** Ends the agent and fails the run with the reason. */
  abandon(reason: string): void;
  /** Ends the run and the agent. Called after the session is closed. */
  end(reason: string): void;
}

/** Creates a conversation without an agent. */
export function startConversation(ports: ConversationPorts): Conversation {
  const parts = createParts(ports, (ending) => guard.run(() => forgetAgent(parts, ports, ending)));
  const { agent, prompts, questions, guard } = parts;
  const dispatch = createDispatch(parts, { ...ports, keep: (command, settle) => keepPrompt(ports, command, settle) });

  function submit(command: Command, settle: Settle): void {
    if (guard.defer(() => submit(command, settle))) return;
    if (ports.closed() === null) dispatch(command, settle);
    else settle(refused('not-found', 'the session is closed'));
  }

  return {
    isIdle: () => prompts.isIdle(),
    hasAgent: agent.isStarted,
    start: agent.start,
    submit,
    whenIdle: (callback) => prompts.whenIdle(callback),
    setPaused(isPaused) {
      if (!agent.setPaused(isPaused)) return;
      // An agent that goes on may have been paused again within the call.
      prompts.pauseStallWatch(agent.isPaused(), ports.clock.now());
      parts.limitSilence();
    },
    setUnattended: () => questions.setUnattended(),
    drop: (reason) => prompts.drop(refused('shutting-down', reason)),
    warn: (text) => parts.admit({ type: 'notice', level: 'warning', source: 'gateway', text }),
    context: parts.context,
    abandon: agent.abandon,
    end(reason) {
      const outcome = refused('shutting-down', reason);
      prompts.drop(outcome);
      prompts.lose(outcome);
      parts.exports?.end(outcome);
      endRun(parts, { outcome: 'aborted', failure: { kind: 'gateway', message: reason } });
      agent.stop(reason);
      parts.clear();
    },
  };
}

/** Keeps a prompt until the conversation shows it. Returns what answers the prompt. */
function keepPrompt(
  { recorder, view }: ConversationPorts,
  command: CommandOf<'prompt' | 'steer' | 'follow-up'>,
  settle: Settle,
): Settle {
  if (recorder === null) return settle;
  const prompt = recorder.prompt(command.content, view.transcript.run !== null);
  // An answer at the end of the run says nothing of its beginning.
  const isLate = command.type === 'prompt' && command.untilIdle === true;
  return (outcome) => {
    recorder.promptAnswered(prompt, isLate || !outcome.ok);
    settle(outcome);
  };
}

/** Closes the open run after the agent has ended. The session stays open. */
function forgetAgent(parts: ConversationParts, ports: ConversationPorts, ending: Ending): void {
  const { prompts, model, transcript } = parts;
  model.forget();
  const message = sentenceOf(ending);
  const outcome = refused('agent-down', message);
  const wasSilent = transcript.lastSeq === 0;
  prompts.lose(outcome);
  endRun(parts, { outcome: 'failed', failure: { kind: 'agent', message } });
  parts.clear();
  if (ports.closed() === null) parts.admit({ type: 'agent-changed', state: 'down', reason: ending.reason });
  // Waiting prompts were meant for the context of the ended agent. The gateway never repeats a prompt (docs/faults.md
  // F1).
  prompts.drop(outcome);
  if (ports.closed() === null) ports.session.lost?.(message, wasSilent);
  prompts.tellIdle();
}

/** Appends to the log without the repair: closeRun returns events in legal order and with canonical block indexes. */
function endRun({ transcript, append }: ConversationParts, cause: Cause): void {
  for (const event of closeRun(transcript, cause)) append(event);
}
