// Counters of what changes with every event. Each frame of the screen tells them; in a flood, which nobody can read, some frames do:
// drawing takes the time in which the page should answer its reader.
import { batch, type Signal } from '@preact/signals';

/** Events since the last telling that are a flood. */
const flood = 8;
/** Time between two tellings in a flood, ms. */
const pause = 100;

const changed = new Set<Signal<number>>();
let events = 0;
let last = Number.NEGATIVE_INFINITY;

/** The counter will have changed. */
export function count(counter: Signal<number>): void {
  changed.add(counter);
}

/** Tells the counters, unless a flood goes on: false, and the caller comes again. `taken`: events since the last call; `now`: ms. */
export function tell(taken: number, now: number): boolean {
  events += taken;
  if (events > flood && now - last < pause) return false;
  events = 0;
  last = now;
  batch(() => {
    for (const counter of changed) counter.value += 1;
  });
  changed.clear();
  return true;
}
