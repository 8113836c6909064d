// A receiver that remembers everything, in order.
import type { Ending, FrameFault, Receiver } from '../../../src/core/contract/channel.ts';
import { type Arrivals, createArrivals } from './arrivals.ts';

export interface Recording {
  readonly receiver: Receiver;
  /** The text of each frame. */
  readonly frames: Arrivals<string>;
  readonly faults: Arrivals<FrameFault>;
  readonly endings: Arrivals<Ending>;
  readonly drains: Arrivals<true>;
  /** The kinds of calls in order, for tests about order. */
  readonly calls: readonly string[];
  /** The ending, once it came. */
  end(): Promise<Ending>;
}

export function record(): Recording {
  const frames = createArrivals<string>();
  const faults = createArrivals<FrameFault>();
  const endings = createArrivals<Ending>();
  const drains = createArrivals<true>();
  const calls: string[] = [];
  return {
    frames,
    faults,
    endings,
    drains,
    calls,
    receiver: {
      frame(frame) {
        calls.push('frame');
        frames.add(frame.text);
      },
      fault(fault) {
        calls.push('fault');
        faults.add(fault);
      },
      end(ending) {
        calls.push('end');
        endings.add(ending);
      },
      drained: () => drains.add(true),
    },
    async end() {
      const [ending] = await endings.first(1);
      if (ending === undefined) throw new Error('unreachable');
      return ending;
    },
  };
}
