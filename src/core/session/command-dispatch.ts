// Dispatches each command of a session to the part that carries the command out.
import type { Command, CommandOf } from '../model/command.ts';
import { isUnsupported, refused, type Settle } from '../model/errors.ts';
import type { Event } from '../model/event.ts';
import type { DefaultModel } from './agent/default-model.ts';
import type { AgentPort } from './agent/session-agent.ts';
import type { SessionInstructions } from './agent/session-instructions.ts';
import type { createForks } from './forks.ts';
import type { Contexts } from './prompt-contexts.ts';
import type { Prompts } from './prompts/prompts.ts';
import type { createQueries } from './query-routing.ts';
import type { Questions } from './questions/questions.ts';
import type { TranscriptLimit } from './transcript/transcript-limit.ts';

/** The parts that carry out commands. */
export interface DispatchParts {
  readonly agent: AgentPort;
  readonly prompts: Prompts;
  readonly questions: Questions;
  readonly contexts: Contexts;
  readonly queries: ReturnType<typeof createQueries>;
  readonly forks: ReturnType<typeof createForks>;
  readonly model: DefaultModel;
  readonly instructions: SessionInstructions;
  readonly size: Pick<TranscriptLimit, 'refusal'>;
  /** Logs an event through the repair. */
  admit(event: Event): void;
}

/** The session around the parts. */
export interface DispatchPorts {
  /** See ConversationPorts. */
  retired(): string | null;
  /** Keeps what is said to the agent until the conversation shows it. Returns what answers the command. */
  keep(command: CommandOf<'prompt' | 'steer' | 'follow-up'>, settle: Settle): Settle;
}

/** Creates the function that takes all commands of a session. */
export function createDispatch(parts: DispatchParts, ports: DispatchPorts): (command: Command, settle: Settle) => void {
  const { agent, prompts, questions, contexts, model } = parts;

  return (command, settle) => {
    const retired = isWork(command) ? ports.retired() : null;
    if (retired !== null) return settle(refused('shutting-down', retired));
    const full = isWork(command) ? parts.size.refusal() : null;
    if (full !== null) return settle(refused('limit', full));
    switch (command.type) {
      case 'prompt':
        return prompts.submit(command, ports.keep(command, settle));
      case 'steer':
        return agent.forward(command, ports.keep(command, settle));
      case 'compact':
        return command.asPrompt === true ? prompts.submit(command, settle) : agent.forward(command, settle);
      case 'follow-up':
        return prompts.followUp(command, ports.keep(command, settle));
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
        return command.subject === 'contexts' ? contexts.find(command, settle) : parts.queries(command, settle);
      case 'set-trust':
        questions.trust(command.enabled);
        parts.admit({ type: 'session-changed', changes: { trusted: command.enabled } });
        return settle({ ok: true });
      case 'set-name':
      case 'export':
        return parts.queries(command, settle);
      case 'set-model':
        return model.set(command, settle);
      case 'set-instructions':
        return settle(parts.instructions.set(command));
      case 'fork':
      case 'new-session':
      case 'switch-session':
        return parts.forks(command, settle);
      case 'delete-session':
        return command.stored === true ? deleteAtAgent(agent, command, settle) : settle({ ok: true });
      default:
        return agent.forward(command, settle);
    }
  };
}

/** An agent without a word for it keeps what it has. */
function deleteAtAgent(agent: AgentPort, command: CommandOf<'delete-session'>, settle: Settle): void {
  agent.forward(command, (outcome) => settle(isUnsupported(outcome) ? { ok: true } : outcome));
}

/** Whether a retired or full session refuses the command. */
function isWork(command: Command): boolean {
  return (
    command.type === 'prompt' ||
    command.type === 'follow-up' ||
    (command.type === 'compact' && command.asPrompt === true)
  );
}
