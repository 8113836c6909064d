// Answers queries from the agent if possible, else from the session.
import type { SessionView } from '../contract/adapter/projection.ts';
import type { Exports } from '../export/export.ts';
import type { CommandOf } from '../model/command.ts';
import type { ErrorCode, Outcome, Settle } from '../model/errors.ts';
import type { Event } from '../model/event.ts';
import type { SessionFile } from '../model/outcome-data.ts';
import type { AgentPort } from './agent/session-agent.ts';
import { answerFrom, completeState, type SessionFacts } from './transcript/transcript-answers.ts';

/** Commands that a session can carry out itself. */
type Question = CommandOf<'query' | 'set-name' | 'export'>;

/** The dependencies of the queries of a session. */
export interface QueryPorts {
  readonly view: SessionView;
  /** If absent, only the agent can make exports. */
  readonly exports: Pick<Exports, 'pathsForAgent' | 'submit'> | undefined;
  facts(): SessionFacts;
  /** Lists the stored sessions of the agent. If absent, only the agent can list them. */
  readonly files: (() => readonly SessionFile[]) | undefined;
  /** Logs an event through the repair. */
  admit(event: Event): void;
  readonly agent: AgentPort;
}

/**
 * Creates the function that answers queries. The agent is asked first, even in a session without events: an agent that
 * resumes a stored session knows messages, a name and a model that it has not reported. After an agent has ended, the
 * transcript knows more than a new agent would, so no agent is started for a query.
 */
export function createQueries(ports: QueryPorts): (command: Question, settle: Settle) => void {
  const { exports, files, agent } = ports;
  const { transcript } = ports.view;

  /** Answers now, or an export later. Returns false if the session has no answer. */
  function answer(command: Question, settle: Settle): boolean {
    if (command.type === 'export') {
      exports?.submit(command, settle);
      return exports !== undefined;
    }
    const outcome = answerNow(command);
    if (outcome !== null) settle(outcome);
    return outcome !== null;
  }

  function answerNow(command: Exclude<Question, { type: 'export' }>): Outcome | null {
    switch (command.type) {
      case 'set-name':
        ports.admit({ type: 'session-changed', changes: { name: command.name } });
        return { ok: true };
      case 'query':
        if (command.subject === 'session-files' && files !== undefined) return { ok: true, data: { files: files() } };
        return answerFrom(transcript, command, ports.facts());
      default:
        return command satisfies never;
    }
  }

  function settleBetter(command: Question, outcome: Outcome, settle: Settle): void {
    if (!outcome.ok) {
      if (!isForUs(command, outcome.error.code) || !answer(command, settle)) settle(outcome);
    } else if (command.type !== 'query' || command.subject !== 'state') settle(outcome);
    else settle({ ok: true, data: completeState(transcript, outcome.data, ports.facts()) });
  }

  return (command, settle) => {
    if ((agent.isGone() || isOurs(command, exports)) && answer(command, settle)) return;
    agent.forward(command, (outcome) => {
      if (agent.isSessionClosed()) settle(outcome);
      else settleBetter(command, outcome, settle);
    });
  };
}

/**
 * Whether the gateway writes the export itself. An agent writes to any path, so it must not get a path that its client
 * may not write to (docs/threats.md T9).
 */
function isOurs(command: Question, exports: QueryPorts['exports']): boolean {
  return command.type === 'export' && command.path !== undefined && exports?.pathsForAgent === false;
}

/**
 * Whether the refusal means that the agent does not support the query. A refused export is final: the agent has its
 * reasons.
 */
function isForUs({ type }: Question, code: ErrorCode): boolean {
  return code === 'unsupported' || code === 'agent-down' || (type === 'export' && code === 'agent-refused');
}
