// The marks of all rows at a glance, beside the rows. A click goes there; the keys e and l do the same.
import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { EventLog } from '../state/event-log.ts';
import type { MarkKind } from '../state/marks.ts';
import type { Session } from '../state/session.ts';

/** Places that are told apart. */
const steps = 200;
/** How often it is drawn anew at most, ms. */
const pace = 300;

const ranks: readonly MarkKind[] = ['ignored', 'loss', 'repair', 'violation'];

type Ticks = ReadonlyMap<number, MarkKind>;

/** The worst mark of each place. */
function ticksOf(log: EventLog): Ticks {
  const { length } = log.shown();
  const ticks = new Map<number, MarkKind>();
  for (const { seq, kind } of log.marks.places) {
    const step = Math.floor((Math.max(0, log.rowOf(log.placeOf(seq))) / length) * steps);
    const known = ticks.get(step);
    if (known === undefined || ranks.indexOf(kind) > ranks.indexOf(known)) ticks.set(step, kind);
  }
  return ticks;
}

interface Props {
  readonly session: Session;
  /** Goes to the row at that share of all rows, 0 to 1. */
  readonly go: (share: number) => void;
}

export function Minimap({ session: { log }, go }: Props): VNode | null {
  const [ticks, setTicks] = useState<Ticks>(new Map());
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  void log.changed.value;
  const stamp = `${log.marks.places.length} ${log.shown().length}`;
  useEffect(() => {
    timer.current ??= setTimeout(() => {
      timer.current = null;
      setTicks(ticksOf(log));
    }, pace);
  }, [stamp]);
  useEffect(() => () => clearTimeout(timer.current ?? undefined), []);
  if (ticks.size === 0) return null;
  return (
    <div
      class="minimap"
      aria-hidden="true"
      title="Marks: click to go there"
      onClick={(event) => {
        const { top, height } = event.currentTarget.getBoundingClientRect();
        go((event.clientY - top) / height);
      }}
    >
      {[...ticks].map(([step, kind]) => (
        <i key={step} class={kind} style={{ top: `${(step / steps) * 100}%` }} />
      ))}
    </div>
  );
}
