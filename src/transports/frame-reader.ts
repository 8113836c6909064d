// The receiving half of every channel: queues frames until a receiver is there and while paused, and ends once.
import type { Ending, Frame, FrameFault, Peek, Receiver, RecognisedFrame } from '../core/contract/channel.ts';
import type { WorkQueue } from '../core/contract/paced-work.ts';
import type { FrameSink } from './framing/framing.ts';
import { createQueue } from './queue.ts';

/** Takes frames, faults and the end from a transport and passes them on in this order, `end` once and last. */
export interface FrameReader extends FrameSink {
  recognise(peek: Peek, start: number, end: number): RecognisedFrame | null;
  takeBurst(peek: Peek, start: number, end: number, maxFrameBytes: number): number;
  readonly isOpen: boolean;
  /** See Receiver. */
  remark(text: string): void;
  /** See Receiver. */
  readonly work: WorkQueue | undefined;
  readonly isPaused: boolean;
  /** True as soon as the transport has reported the end, before the receiver gets it. */
  readonly isEnded: boolean;
  open(receiver: Receiver): void;
  pause(): void;
  resume(): void;
  drained(): void;
  /** The channel was closed on our side: only the end is passed on from now on. */
  shut(): void;
  /** The peer sends nothing more but still reads. A receiver without `inputEnded` gets the end instead. */
  half(ending: Ending): void;
  end(ending: Ending): void;
}

type Item =
  | { readonly frame: Frame }
  | { readonly fault: FrameFault }
  | { readonly remark: string }
  | { readonly half: Ending }
  | { readonly ending: Ending };

/**
 * A class, because every connection has one: two dozen closures would take a tenth of the memory of an idle session. Its
 * methods must be called on the object and not passed by name.
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

  get work(): WorkQueue | undefined {
    return this.#receiver?.work;
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
    return this.#isBusy() ? null : (this.#receiver?.recognise?.(peek, start, end) ?? null);
  }

  takeBurst(peek: Peek, start: number, end: number, maxFrameBytes: number): number {
    return this.#isBusy() ? start : (this.#receiver?.takeBurst?.(peek, start, end, maxFrameBytes) ?? start);
  }

  /** Frames that must wait are cut out, because a recognised frame cannot be queued. */
  #isBusy(): boolean {
    return this.#paused || this.#shut || this.#ended || this.#waiting.length > 0;
  }

  frame(frame: Frame): void {
    this.#tell({ frame });
  }

  fault(fault: FrameFault): void {
    this.#tell({ fault });
  }

  remark(remark: string): void {
    this.#tell({ remark });
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
    else if ('remark' in item) receiver.remark?.(item.remark);
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
 * Calls the receiver from the transport's events or from a microtask, never inside `open`, `resume` or `close`, so that a
 * caller need not be reentrant.
 */
export function createFrameReader(): FrameReader {
  return new ReceivingHalf();
}
