// pi ends and restarts its agent around retries, compactions and follow-ups, inside what other protocols call one run.
// These lines travel in `extra` of the events that follow, for pi clients. If no suitable event follows, an empty
// `session-changed` event carries the line, which other clients ignore.

import type { Outbox } from '../../../core/contract/adapter/outbox.ts';
import type { Dictionary } from '../../../core/model/content.ts';
import { extraOf } from '../decode-values.ts';

/** The agent_end and agent_start lines of one run that have no event of their own. */
export interface AgentRestarts {
  /** Handles an agent_end with these fields besides its messages. */
  ended(fields: Dictionary): void;
  /** Handles an agent_start that continues the run. */
  restarted(): void;
  /** The fields for the retry or compaction that follows an agent_end. */
  forPause(): Dictionary | undefined;
  /** The fields for the end of the run. */
  forEnd(): Dictionary | undefined;
  /**
   * Must be called before a turn begins. The turn implies that the agent has started, but not that it had ended before.
   */
  beforeTurn(): void;
  /**
   * Must be called before any other event, so that pi's earlier lines precede it. `isEndTold`: another line reports the
   * end of the run.
   */
  before(isEndTold?: boolean): void;
  /** Delivers all pending lines now. */
  tellAll(): void;
}

export function createAgentRestarts(out: Outbox): AgentRestarts {
  let ending: Dictionary | null = null;
  let restart = false;

  function take(): Dictionary | undefined {
    const fields = ending;
    ending = null;
    return fields === null || Object.keys(fields).length === 0 ? undefined : fields;
  }

  function tell(line: Dictionary): void {
    out.deliver({ type: 'session-changed', changes: {}, ...extraOf({ line }) });
  }

  function tellAll(): void {
    if (ending !== null) tell({ type: 'agent_end', ...ending });
    if (restart) tell({ type: 'agent_start' });
    ending = null;
    restart = false;
  }

  return {
    ended(fields) {
      ending = fields;
    },
    restarted() {
      restart = true;
    },
    forPause: take,
    forEnd: take,
    beforeTurn() {
      if (restart && ending !== null) tellAll();
      restart = false;
    },
    before(isEndTold = false) {
      // An end that may be the final one waits for proof.
      if (restart || isEndTold || ending?.willRetry === true) tellAll();
    },
    tellAll,
  };
}
