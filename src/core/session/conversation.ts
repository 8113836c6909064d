// What is said between the clients of a session and its agent: the way in, and the end. conversation-parts.ts joins the
// parts: session-log.ts has the log, session-agent.ts the agent, command-dispatch.ts who carries out which command.
import type { Ending } from '../contract/channel.ts';
import { sentenceOf } from '../link/agent-link.ts';
import { type Cause, closeRun } from '../log/close-run.ts';
import type { Command } from '../model/command.ts';
import { refused, type Settle } from '../model/errors.ts';
import { createDispatch } from './command-dispatch.ts';
import { type ConversationParts, type ConversationPorts, createParts } from './conversation-parts.ts';

/** A session's conversation with its agent. */
export interface Conversation {
  /** No run, no compaction, and nothing waits that will run by itself. */
  isIdle(): boolean;
  /** See Session. */
  start(): void;
  submit(command: Command, settle: Settle): void;
  whenIdle(callback: () => void): void;
  /** Back-pressure: stops reading the agent, or goes on. */
  setPaused(isPaused: boolean): void;
  /** See Session. */
  setUnattended(): void;
  /** What waits will not run. */
  drop(reason: string): void;
  /** Ends the run and the agent. The session is closed by then. */
  end(reason: string): void;
}

/** Starts without an agent. */
export function startConversation(ports: ConversationPorts): Conversation {
  const parts = createParts(ports, (ending) => guard.run(() => forgetAgent(parts, ports, ending)));
  const { agent, prompts, questions, guard } = parts;
  const dispatch = createDispatch({ ...parts, retired: ports.retired, close: ports.close });

  function submit(command: Command, settle: Settle): void {
    if (guard.defer(() => submit(command, settle))) return;
    if (ports.closed() === null) dispatch(command, settle);
    else settle(refused('not-found', 'the session is closed'));
  }

  return {
    isIdle: prompts.isIdle,
    start: agent.start,
    submit,
    whenIdle: prompts.whenIdle,
    setPaused(isPaused) {
      if (!agent.setPaused(isPaused)) return;
      prompts.pauseStallWatch(isPaused, ports.clock.now());
      parts.limitSilence();
    },
    setUnattended: questions.setUnattended,
    drop: (reason) => prompts.drop(refused('shutting-down', reason)),
    end(reason) {
      const outcome = refused('shutting-down', reason);
      prompts.drop(outcome);
      prompts.lose(outcome);
      endRun(parts, { outcome: 'aborted', failure: { kind: 'gateway', message: reason } });
      agent.stop(reason);
      parts.clear();
    },
  };
}

/** The agent is gone, and its session goes on. */
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
  // Prompts that wait were meant for a conversation that this agent held: the gateway repeats nothing (docs/faults.md F1).
  prompts.drop(outcome);
  if (ports.closed() === null) ports.lost?.(message, wasSilent);
  prompts.tellIdle();
}

/** These events are in legal order, and count blocks as the log does: they must not pass the repair. */
function endRun({ transcript, append }: ConversationParts, cause: Cause): void {
  for (const event of closeRun(transcript, cause)) append(event);
}
