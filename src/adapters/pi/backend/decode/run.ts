// Detects the begin and the end of runs. pi up to 0.80 has no single line for the end of a run (docs/protocols/pi.md
// 11.5).

import type { Outbox } from '../../../../core/contract/adapter/outbox.ts';
import type { Dictionary, Failure, Stop } from '../../../../core/model/content.ts';
import type { EventOf } from '../../../../core/model/event.ts';
import { extraOf, failureOf } from '../../decode-values.ts';
import { createAgentRestarts } from '../agent-restarts.ts';

/**
 * `held`: agent_end came, and a retry or a compaction may follow. `retrying`, `compacting`: one did follow, and the run
 * continues.
 */
type Phase = 'idle' | 'running' | 'held' | 'retrying' | 'compacting';

/** Receives notice of runs. */
export interface RunWatcher {
  started(): void;
  ended(): void;
  /** Whether another source reports the end of the current run with `over`, so that no agent_end ends the run. */
  isHeld?(): boolean;
}

/** The reason why a run was cut off, if it did not end by itself. */
export type Cut = Pick<EventOf<'run-end'>, 'outcome' | 'failure'>;

/** The run of one pi process. */
export interface RunDecoder {
  isOpen(): boolean;
  /** Whether a run has ended and no other one has begun. */
  isOver(): boolean;
  /** Whether a run is open and no end is held back. */
  isRunning(): boolean;
  /** Whether agent_end came. The next lines or a timer decide whether it ends the run. */
  isEnding(): boolean;
  /** Delivers the held agent_end to pi clients, because the lines after it are delivered now. */
  tellEnd(): void;
  agentStart(): void;
  /**
   * Reads an agent_end. `fields` are the fields of the line that no other event carries. `willRetry` exists since 0.87.
   */
  agentEnd(fields: Dictionary): void;
  agentSettled(fields: Dictionary): void;
  /** Must be called when pi announces agent_settled: from then on no agent_end ends a run. */
  willSettle(): void;
  /** Both start functions return the fields that the event must carry for pi clients (agent-restarts.ts). */
  retryStart(): Dictionary | undefined;
  retryEnd(success: boolean, failure: Failure | undefined): void;
  compactionStart(): Dictionary | undefined;
  compactionEnd(willRetry: boolean): void;
  turnStart(): void;
  /** Must be called for each line outside of the run's start and end lines. */
  aside(): void;
  /** Opens a run for an event that occurs only inside a run. */
  ensure(): void;
  /** Must be called for a line that never occurs between agent_end and a continuation: the held end is real. */
  proven(): void;
  stopped(stop: Stop, failure: Failure | undefined): void;
  /** Must be called after the gateway has asked pi to abort: a run that now stops with an error counts as aborted. */
  aborting(): void;
  /** Ends the run, whatever is open. `cut` is set if the run did not end as its messages say. */
  over(cut?: Cut): void;
  /** Handles a timer. Returns whether the timer belongs to this part. */
  onTimer(timer: string): boolean;
  /** Must be called when the channel has ended: nothing can continue a held run. */
  finish(): void;
}

/** The timer of a held agent_end. */
export const runTimer = 'run-end';

/**
 * Creates the decoder of runs. `graceMs`: how long an agent_end may be continued, ms. Measured 0.01 to 1.33 ms
 * (docs/protocols/pi.md 11.4, 11.5).
 */
export function createRunDecoder(out: Outbox, graceMs: number, watcher: RunWatcher): RunDecoder {
  let phase: Phase = 'idle';
  let hasEnded = false;
  /** Since 0.80.4 pi sends agent_settled. */
  let settles = false;
  /**
   * A run ended without agent_settled, which the gateway then sent itself. A late agent_settled of pi would be the
   * second.
   */
  let unsettled = false;
  let stop: Stop | null = null;
  let failure: Failure | undefined;
  let exhausted: Failure | undefined;
  let aborting = false;
  let armed = false;
  const pauses = createAgentRestarts(out);
  /** Whether only an explicit report ends the run. */
  const isToldEnd = () => settles || watcher.isHeld?.() === true;

  function begin(synthetic: boolean): void {
    phase = 'running';
    stop = null;
    failure = undefined;
    exhausted = undefined;
    aborting = false;
    out.deliver(synthetic ? { type: 'run-start', synthetic } : { type: 'run-start' });
    watcher.started();
  }

  function hold(): void {
    phase = 'held';
    if (isToldEnd()) return;
    out.timer(runTimer, graceMs);
    armed = true;
  }

  function goOn(next: Phase): void {
    if (armed) out.timer(runTimer, null);
    armed = false;
    phase = next;
  }

  function end(settled?: Dictionary, cut?: Cut): void {
    goOn('idle');
    hasEnded = true;
    const { type, ...verdictFields } = verdict(settled?.aborted === true);
    out.deliver({ type, ...verdictFields, ...cut, ...extraOf({ end: pauses.forEnd(), settled }) });
    unsettled = settled === undefined;
    watcher.ended();
  }

  function verdict(settledAborted: boolean): EventOf<'run-end'> {
    const reason = stop?.reason;
    const unfinished = reason === undefined || reason === 'error' || exhausted !== undefined;
    if (settledAborted || reason === 'aborted' || (aborting && unfinished)) {
      return { type: 'run-end', outcome: 'aborted' };
    }
    if (reason === 'error' || exhausted !== undefined) {
      return { type: 'run-end', outcome: 'failed', failure: failure ?? exhausted ?? failureOf(undefined) };
    }
    return { type: 'run-end', outcome: 'completed' };
  }

  return {
    isOpen: () => phase !== 'idle',
    isOver: () => hasEnded && phase === 'idle',
    isRunning: () => phase === 'running',
    isEnding: () => phase === 'held' && !isToldEnd(),
    tellEnd: pauses.tellAll,
    willSettle() {
      settles = true;
    },
    agentStart() {
      if (phase === 'held' && !isToldEnd()) end();
      if (phase === 'idle') return begin(false);
      if (phase === 'running') return;
      pauses.restarted();
      goOn('running');
    },
    agentEnd(fields) {
      if (phase === 'idle') return;
      pauses.ended(fields);
      if (fields.willRetry === true) goOn('retrying');
      else hold();
    },
    agentSettled(fields) {
      if (phase !== 'idle') end(fields);
      else if (!unsettled)
        out.deliver({ type: 'unknown', protocol: 'pi', payload: { type: 'agent_settled', ...fields } });
      unsettled = false;
      settles = true;
    },
    retryStart() {
      if (phase === 'idle') begin(true);
      if (phase === 'held') goOn('retrying');
      return pauses.forPause();
    },
    retryEnd(success, finalFailure) {
      exhausted = success ? undefined : (finalFailure ?? failureOf(undefined));
      // A cancelled retry: neither agent_start nor another agent_end will come.
      if (!success && phase === 'retrying') hold();
    },
    compactionStart() {
      if (phase === 'held') goOn('compacting');
      return pauses.forPause();
    },
    compactionEnd(willRetry) {
      if (willRetry && phase === 'compacting') goOn('retrying');
      // The retry that agent_end announced will not come (the overflow could not be compacted).
      if (!willRetry && phase === 'retrying') hold();
      if (!willRetry && phase === 'compacting') isToldEnd() ? hold() : end();
    },
    turnStart: pauses.beforeTurn,
    aside: () => pauses.before(phase === 'held' && isToldEnd()),
    ensure() {
      if (phase === 'idle') begin(true);
    },
    proven() {
      if (phase === 'held' && !isToldEnd()) end();
    },
    stopped(newStop, newFailure) {
      stop = newStop;
      failure = newFailure;
    },
    aborting() {
      aborting = phase !== 'idle';
    },
    over(cut) {
      if (phase !== 'idle') end(undefined, cut);
    },
    onTimer(name) {
      if (name !== runTimer) return false;
      armed = false;
      if (phase === 'held') end();
      return true;
    },
    finish() {
      if (phase === 'held') end();
    },
  };
}
