// A channel whose receiver the test calls by itself. Nothing happens to what is sent.
import type { Channel, Receiver } from '../../../src/core/contract/channel.ts';

/** A channel with that label. Whoever opens it is added to `receivers`. */
export function openChannel(label: string, receivers: Receiver[]): Channel {
  return {
    label,
    buffered: 0,
    open: (receiver) => void receivers.push(receiver),
    send: () => {},
    pause: () => {},
    resume: () => {},
    close: () => {},
  };
}
