// Who answers what may be known without the agent: the agent, else the session. Knows no protocol.
import type { SessionView } from '../contract/adapter.ts';
import { answerFrom, completeState, type SessionFacts } from './transcript-answers.ts';
import type { Clock } from '../contract/clock.ts';
import type { CommandOf } from '../model/command.ts';
import type { ErrorCode, Outcome, Settle } from '../model/errors.ts';
import type { Event } from '../model/event.ts';
import { type ExportPort, exportSession } from '../export/export.ts';
import type { SessionFile } from '../model/outcome-data.ts';
import type { AgentPort } from './session-agent.ts';

/** Commands that a session can carry out itself. */
type Question = CommandOf<'query' | 'set-name' | 'export'>;

/** What the answers of a session need. */
export interface QueryPorts {
  readonly view: SessionView;
  readonly clock: Clock;
  /** Without it only the agent can make exports. */
  readonly exports: ExportPort | undefined;
  facts(): SessionFacts;
  /** Stored sessions of its agent; without it only the agent can list them. */
  readonly files: (() => readonly SessionFile[]) | undefined;
  /** Logs an event through the repair. */
  admit(event: Event): void;
  readonly agent: AgentPort;
}

/**
 * The agent first, for it may know more than it told here: one that resumes a stored session knows messages, a name and
 * a model before it has said anything. That goes for a session that nobody has used yet as well. But where an agent is
 * gone, the next one knows less than the transcript does, and is not started for a question.
 */
export function createQueries(ports: QueryPorts): (command: Question, settle: Settle) => void {
  const { view, clock, exports, files, agent } = ports;
  const { transcript } = view;

  function answer(command: Question): Outcome | null {
    switch (command.type) {
      case 'set-name':
        ports.admit({ type: 'session-changed', changes: { name: command.name } });
        return { ok: true };
      case 'export':
        return exports === undefined ? null : exportSession(view, command, exports, clock.now());
      case 'query':
        if (command.subject === 'session-files' && files !== undefined) return { ok: true, data: { files: files() } };
        return answerFrom(transcript, command, ports.facts());
      default:
        return command satisfies never;
    }
  }

  function better(command: Question, outcome: Outcome): Outcome {
    if (!outcome.ok) return isForUs(command, outcome.error.code) ? (answer(command) ?? outcome) : outcome;
    if (command.type !== 'query' || command.subject !== 'state') return outcome;
    return { ok: true, data: completeState(transcript, outcome.data, ports.facts()) };
  }

  return (command, settle) => {
    const own = agent.isGone() || isOurs(command, exports) ? answer(command) : null;
    if (own !== null) return settle(own);
    agent.forward(command, (outcome) => settle(agent.isSessionClosed() ? outcome : better(command, outcome)));
  };
}

/** An agent writes wherever it is told to: a path that it must not be trusted with is ours to write (docs/threats.md T9). */
function isOurs(command: Question, exports: ExportPort | undefined): boolean {
  return command.type === 'export' && command.path !== undefined && exports?.pathsForAgent === false;
}

/** Refusals that mean: the agent cannot, ask somebody else. Why one makes no export is the agent's own affair. */
function isForUs({ type }: Question, code: ErrorCode): boolean {
  return code === 'unsupported' || code === 'agent-down' || (type === 'export' && code === 'agent-refused');
}
