// pi ends and starts its agent again around retries, compactions and follow-ups, inside what is one run elsewhere. Those
// lines ride on the events that follow them, for clients of pi; where none follows that could carry them, they are told
// in an event that says nothing to all others. Knows no phase of a run.
import type { Dictionary } from '../../../core/model/content.ts';
import type { Outbox } from '../../../core/contract/outbox.ts';
import { extraOf } from '../values.ts';

/** The agent_end and agent_start of one run that no event stands for. */
export interface Pauses {
  /** agent_end came, with these fields beside its messages. */
  ended(fields: Dictionary): void;
  /** agent_start came, and the run goes on. */
  restarted(): void;
  /** What the retry or compaction that follows an agent_end must carry. */
  forPause(): Dictionary | undefined;
  /** What the end of the run must carry. */
  forEnd(): Dictionary | undefined;
  /** A turn begins: it says that the agent has started, but not that it had ended before. */
  beforeTurn(): void;
  /** Something comes that could not be told before what pi said; `isEndTold`: another line says whether the run is over. */
  before(isEndTold?: boolean): void;
  /** All that pi said is told now. */
  tellAll(): void;
}

export function createPauses(out: Outbox): Pauses {
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
      // An end that may be the real one waits for what proves it.
      if (restart || isEndTold || ending?.willRetry === true) tellAll();
    },
    tellAll,
  };
}
