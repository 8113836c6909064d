// One direction behind its faults: does each step at its time, in order, no faster than its reader reads.
import type { Writable } from 'node:stream';
import type { FaultAction } from '../../faults/action.ts';

/** Steps that are no writes. */
export type FaultDeed = Exclude<FaultAction, { readonly type: 'write' | 'fill' }>;

/** What an outlet needs. */
export interface OutletPorts {
  /** Where `fill` writes if its target is stderr. */
  readonly errors: Writable;
  readonly output: Writable;
  /** ms since the start. */
  now(): number;
  deed(deed: FaultDeed): void;
  /** Called when little enough is waiting, after `take` has said false. */
  drained(): void;
}

/** The steps of one direction. */
export interface Outlet {
  /** Queues steps. False: enough is waiting; wait for `drained`. */
  take(actions: readonly FaultAction[]): boolean;
  /** Waits for a time that never comes. */
  isStuck(): boolean;
  /** Drops what is waiting. */
  close(): void;
}

/** More waiting bytes stop the source. */
const mostWaiting = 1024 * 1024;
/** `fill` is written in pieces of this size, bytes. */
const pieceBytes = 64 * 1024;

/** An outlet that waits for its first step. */
export function createOutlet({ errors, output, now, deed, drained }: OutletPorts): Outlet {
  const queue: FaultAction[] = [];
  let waiting = 0;
  let isFull = false;
  let isBlocked = false;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  /** Bytes of the first step that are written; only for `fill`. */
  let filled = 0;

  function run(): void {
    clearTimeout(timer);
    while (!isClosed && !isBlocked) {
      const [step] = queue;
      if (step === undefined) break;
      const wait = step.at - now();
      if (wait > 0) {
        // setTimeout takes at most 2^31 - 1 ms. A time that never comes needs no timer.
        if (Number.isFinite(wait)) timer = setTimeout(run, Math.min(wait, 2 ** 30));
        break;
      }
      carryOut(step);
    }
    if (isFull && waiting <= mostWaiting && !isClosed) {
      isFull = false;
      drained();
    }
  }

  function carryOut(step: FaultAction): void {
    switch (step.type) {
      case 'write':
        queue.shift();
        waiting -= step.bytes.length;
        return write(output, step.bytes);
      case 'fill': {
        const size = Math.min(pieceBytes, step.bytes - filled);
        filled += size;
        if (filled >= step.bytes) {
          queue.shift();
          filled = 0;
        }
        return write(step.on === 'err' ? errors : output, Buffer.alloc(size, step.byte));
      }
      default:
        queue.shift();
        deed(step);
    }
  }

  function write(target: Writable, bytes: Buffer): void {
    if (target.destroyed || target.write(bytes)) return;
    isBlocked = true;
    const go = () => {
      target.off('drain', go);
      target.off('close', go);
      isBlocked = false;
      run();
    };
    target.on('drain', go);
    target.on('close', go);
  }

  return {
    take(actions) {
      for (const action of actions) {
        if (isClosed) break;
        queue.push(action);
        if (action.type === 'write') waiting += action.bytes.length;
      }
      if (!isBlocked) run();
      isFull ||= waiting > mostWaiting;
      return !isFull;
    },
    isStuck: () => queue[0]?.at === Number.POSITIVE_INFINITY,
    close() {
      isClosed = true;
      clearTimeout(timer);
      queue.length = 0;
    },
  };
}
