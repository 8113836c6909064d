// The receiving half of every channel: keeps what comes until somebody listens, holds it while paused, ends once.
// Knows no transport.
import type { Ending, Frame, FrameFault, Glance, Glimpse, Receiver } from '../core/channel.ts';
import type { FrameSink } from './framing/framing.ts';
import { createQueue } from './queue.ts';

/** What a transport tells; the inlet passes it on in this order, and `end` once and last. */
export interface Inlet extends FrameSink {
  glance(glimpse: Glimpse, start: number, end: number): Glance | null;
  readonly isOpen: boolean;
  readonly isPaused: boolean;
  /** Set as soon as `end` was told, before the receiver hears it. */
  readonly isEnded: boolean;
  open(receiver: Receiver): void;
  pause(): void;
  resume(): void;
  drained(): void;
  /** We closed: nothing but the end is passed on from now. */
  shut(): void;
  /** The peer sends nothing more but still reads: the end, for a receiver that does not know `half`. */
  half(ending: Ending): void;
  end(ending: Ending): void;
}

type Item =
  | { readonly frame: Frame }
  | { readonly fault: FrameFault }
  | { readonly half: Ending }
  | { readonly ending: Ending };

/**
 * The receiver is called by the transport's own events or on a microtask, never inside `open`, `resume` or `close`:
 * a caller need not be ready for an answer in the middle of its own sentence.
 */
export function createInlet(): Inlet {
  let receiver: Receiver | undefined;
  const waiting = createQueue<Item>();
  let paused = false;
  let shut = false;
  let ended = false;
  let scheduled = false;

  function pass(item: Item): void {
    if (receiver === undefined) return;
    if ('frame' in item) receiver.frame(item.frame);
    else if ('fault' in item) receiver.fault(item.fault);
    else if ('ending' in item) receiver.end(item.ending);
    else if (receiver.half !== undefined) receiver.half();
    else end(item.half);
  }

  function tell(item: Item): void {
    if (shut || ended) return;
    if (receiver !== undefined && !paused && waiting.length === 0) pass(item);
    else wait(item);
  }

  function wait(item: Item): void {
    waiting.add(item);
    schedule();
  }

  function schedule(): void {
    if (scheduled || paused || receiver === undefined || waiting.length === 0) return;
    scheduled = true;
    queueMicrotask(passWaiting);
  }

  function passWaiting(): void {
    scheduled = false;
    while (!paused) {
      const item = waiting.take();
      if (item === undefined) return;
      pass(item);
    }
  }

  function end(ending: Ending): void {
    if (ended) return;
    ended = true;
    wait({ ending });
  }

  return {
    get isOpen() {
      return receiver !== undefined;
    },
    get isPaused() {
      return paused;
    },
    get isEnded() {
      return ended;
    },
    open(listener) {
      receiver ??= listener;
      schedule();
    },
    pause() {
      if (!shut) paused = true;
    },
    resume() {
      paused = false;
      schedule();
    },
    glance(glimpse, start, end) {
      // What must wait is cut out, for a glance cannot.
      if (receiver?.glance === undefined || paused || shut || ended || waiting.length > 0) return null;
      return receiver.glance(glimpse, start, end);
    },
    frame: (frame) => tell({ frame }),
    fault: (fault) => tell({ fault }),
    half: (ending) => tell({ half: ending }),
    drained() {
      if (!ended && !shut) receiver?.drained?.();
    },
    shut() {
      shut = true;
      paused = false;
      waiting.keep((item) => 'ending' in item);
      schedule();
    },
    end,
  };
}
