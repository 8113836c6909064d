// When a run begins and when it is over: the one thing that pi up to 0.80 does not say in one line (docs/protocols/pi.md 11.5). Knows no message and no command.
import type { Dictionary, Failure, Stop } from '../../../core/model/content.ts';
import type { EventOf } from '../../../core/model/event.ts';
import type { Outbox } from '../../../core/contract/outbox.ts';
import { createPauses } from './pauses.ts';
import { extraOf, failureOf } from '../values.ts';

/**
 * `held`: agent_end came and may be followed by a retry or a compaction. `retrying`, `compacting`: it was; the run
 * goes on.
 */
type Phase = 'idle' | 'running' | 'held' | 'retrying' | 'compacting';

/** Who wants to know of runs. */
export interface RunWatcher {
  started(): void;
  ended(): void;
  /** Whether somebody else tells when the run at hand is over (`over`), so that no agent_end is its end. */
  isHeld?(): boolean;
}

/** How a run is cut off that did not end by itself. */
export type Cut = Pick<EventOf<'run-end'>, 'outcome' | 'failure'>;

/** The run of one pi process. */
export interface RunDecoder {
  readonly open: boolean;
  /** Open, with no end that is held back. */
  readonly running: boolean;
  /** agent_end came, and whether it is the end of the run the next lines or a timer show. */
  readonly ending: boolean;
  /** pi's clients are told the agent_end that is held, for lines behind it are told now. */
  tellEnd(): void;
  agentStart(): void;
  /** `fields` are those of the line that stand nowhere else; `willRetry` since 0.87. */
  agentEnd(fields: Dictionary): void;
  agentSettled(fields: Dictionary): void;
  /** pi is one that says so: no agent_end is the end of a run. */
  willSettle(): void;
  /** Both return what the event of their line must carry for clients of pi (pauses.ts). */
  retryStart(): Dictionary | undefined;
  retryEnd(success: boolean, failure: Failure | undefined): void;
  compactionStart(): Dictionary | undefined;
  compactionEnd(willRetry: boolean): void;
  /** A turn begins. */
  turnStart(): void;
  /** A line comes that is no part of this. */
  aside(): void;
  /** Opens a run for something that only happens inside one. */
  ensure(): void;
  /** A line that never comes between agent_end and what prolongs a run: a held end is real. */
  proven(): void;
  stopped(stop: Stop, failure: Failure | undefined): void;
  /** We asked pi to abort: a run that now stops with an error was aborted. */
  aborting(): void;
  /** Who holds the run says that it is over, whatever is open; `cut` where it did not end as its messages say. */
  over(cut?: Cut): void;
  /** Whether the timer was this one's. */
  wake(timer: string): boolean;
  /** The channel ended: nothing can prolong a held run any more. */
  finish(): void;
}

/** The timer of an agent_end that is held. */
export const runTimer = 'run-end';

/** `graceMs`: how long an agent_end may be prolonged; measured 0.01 to 1.33 ms (docs/protocols/pi.md 11.4, 11.5). */
export function createRunDecoder(out: Outbox, graceMs: number, watcher: RunWatcher): RunDecoder {
  let phase: Phase = 'idle';
  /** Since 0.80.4 pi says when it has settled. `willRetry` is older than that. */
  let settles = false;
  /** A run has ended without that word, which is then said for it, so pi's own would be the second. */
  let unsettled = false;
  let stop: Stop | null = null;
  let failure: Failure | undefined;
  let exhausted: Failure | undefined;
  let aborting = false;
  let armed = false;
  const pauses = createPauses(out);
  /** Nothing but a word to that effect ends the run. */
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
    const { type, ...told } = verdict(settled?.aborted === true);
    out.deliver({ type, ...told, ...cut, ...extraOf({ end: pauses.forEnd(), settled }) });
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
    get open() {
      return phase !== 'idle';
    },
    get running() {
      return phase === 'running';
    },
    get ending() {
      return phase === 'held' && !isToldEnd();
    },
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
      // A cancelled retry: no agent_start and no further agent_end will come.
      if (!success && phase === 'retrying') hold();
    },
    compactionStart() {
      if (phase === 'held') goOn('compacting');
      return pauses.forPause();
    },
    compactionEnd(willRetry) {
      if (willRetry && phase === 'compacting') goOn('retrying');
      // The retry that agent_end announced will not come (an overflow that could not be compacted).
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
    wake(name) {
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
