// The receiving half of every channel: keeps what comes until somebody listens, holds it while paused, ends once.
// Knows no transport.
import type { Ending, Frame, FrameFault, RecognisedFrame, Peek, Receiver } from '../core/contract/channel.ts';
import type { FrameSink } from './framing/framing.ts';
import { createQueue } from './queue.ts';

/** What a transport tells; the inlet passes it on in this order, and `end` once and last. */
export interface FrameReader extends FrameSink {
  recognise(peek: Peek, start: number, end: number): RecognisedFrame | null;
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
 * A class, for every connection has one: two dozen closures of each would be a tenth of what an idle session weighs. So
 * its methods must be called on it, not handed on by name.
 */
class ReceivingHalf implements FrameReader {
  #receiver: Receiver | undefined;
  readonly #waiting = createQueue<Item>();
  #paused = false;
  #shut = false;
  #ended = false;
  #scheduled = false;

  get isOpen(): boolean {
    return this.#receiver !== undefined;
  }

  get isPaused(): boolean {
    return this.#paused;
  }

  get isEnded(): boolean {
    return this.#ended;
  }

  open(receiver: Receiver): void {
    this.#receiver ??= receiver;
    this.#schedule();
  }

  pause(): void {
    if (!this.#shut) this.#paused = true;
  }

  resume(): void {
    this.#paused = false;
    this.#schedule();
  }

  recognise(peek: Peek, start: number, end: number): RecognisedFrame | null {
    const receiver = this.#receiver;
    // What must wait is cut out, for a glance cannot.
    if (receiver?.recognise === undefined || this.#paused || this.#shut || this.#ended || this.#waiting.length > 0) {
      return null;
    }
    return receiver.recognise(peek, start, end);
  }

  frame(frame: Frame): void {
    this.#tell({ frame });
  }

  fault(fault: FrameFault): void {
    this.#tell({ fault });
  }

  half(ending: Ending): void {
    this.#tell({ half: ending });
  }

  drained(): void {
    if (!this.#ended && !this.#shut) this.#receiver?.drained?.();
  }

  shut(): void {
    this.#shut = true;
    this.#paused = false;
    this.#waiting.keep((item) => 'ending' in item);
    this.#schedule();
  }

  end(ending: Ending): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#wait({ ending });
  }

  #pass(item: Item): void {
    const receiver = this.#receiver;
    if (receiver === undefined) return;
    if ('frame' in item) receiver.frame(item.frame);
    else if ('fault' in item) receiver.fault(item.fault);
    else if ('ending' in item) receiver.end(item.ending);
    else if (receiver.inputEnded !== undefined) receiver.inputEnded();
    else this.end(item.half);
  }

  #tell(item: Item): void {
    if (this.#shut || this.#ended) return;
    if (this.#receiver !== undefined && !this.#paused && this.#waiting.length === 0) this.#pass(item);
    else this.#wait(item);
  }

  #wait(item: Item): void {
    this.#waiting.add(item);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#scheduled || this.#paused || this.#receiver === undefined || this.#waiting.length === 0) return;
    this.#scheduled = true;
    queueMicrotask(() => this.#passWaiting());
  }

  #passWaiting(): void {
    this.#scheduled = false;
    while (!this.#paused) {
      const item = this.#waiting.take();
      if (item === undefined) return;
      this.#pass(item);
    }
  }
}

/**
 * The receiver is called by the transport's own events or on a microtask, never inside `open`, `resume` or `close`:
 * a caller need not be ready for an answer in the middle of its own sentence.
 */
export function createFrameReader(): FrameReader {
  return new ReceivingHalf();
}
