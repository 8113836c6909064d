// What the clients of one dialect would get for the rows of a session: a fresh projection over the events that are kept.
// Nothing of it is kept but the projection, which goes on when a page asks for the next rows.
import type { FrontendSide } from '../../core/contract/adapter/frontend.ts';
import type { Projection, SessionView } from '../../core/contract/adapter/projection.ts';
import type { Out } from '../../core/contract/channel.ts';
import { emptyTranscript, fold } from '../../core/log/fold.ts';
import { createRepair } from '../../core/log/repair.ts';
import type { Event, Logged } from '../../core/model/event.ts';
import { eventsOf, type WireTap } from './wire-tap.ts';

/** What one event became. */
export interface Projected {
  readonly outs: readonly Out[];
  readonly losses: readonly string[];
}

/** A projection that has come to a row. */
export interface DialectCells {
  /** The next row. */
  readonly next: number;
  /** Takes the next row of the tap, and tells of each of its events. */
  step(): readonly Projected[];
  /** As step, for a row that nobody asks for: deltas that came together are taken at once. */
  skip(): void;
}

/** Starts at the first row that is kept. */
export function dialectCells(tap: WireTap, view: SessionView, side: FrontendSide): DialectCells {
  const transcript = emptyTranscript();
  const projection: Projection = side.projection({ ...factsOf(view), transcript });
  let next = tap.kept;
  let outs: Out[] = [];
  let place: Pick<Logged, 'seq' | 'at'> = { seq: 0, at: 0 };

  function append(event: Event): void {
    const logged = { ...place, event };
    fold(transcript, logged);
    for (const out of projection.event(logged)) outs.push(out);
  }
  // The rows may begin in the middle of a run: the order is made legal, as for an agent that forgot its beginning.
  const admit = createRepair({ transcript, append, note: () => {} });

  function take({ seq, at, event }: Logged): Projected {
    outs = [];
    place = { seq, at };
    admit(event);
    const losses = (projection.notes?.() ?? []).flatMap(({ level, text }) => (level === 'loss' ? [text] : []));
    return { outs, losses };
  }

  return {
    get next() {
      return next;
    },
    step() {
      const row = tap.row(next);
      next += 1;
      return row === undefined ? [] : eventsOf(row).map(take);
    },
    skip() {
      const logged = tap.row(next)?.logged ?? null;
      next += 1;
      outs = [];
      if (logged === null) return;
      place = logged;
      admit(logged.event);
      projection.notes?.();
    },
  };
}

function factsOf({ id, epoch, timeOrigin, place, agent }: SessionView): Omit<SessionView, 'transcript'> {
  return { id, epoch, timeOrigin, place, agent };
}
