// A channel of the gateway, and all that passes, in the order in which the gateway takes and sends it. A client sees another order:
// what crosses on the wire would be taken for a fault of the gateway.
import type { Channel } from '../../src/core/contract/channel.ts';
import { bytesOf } from '../../src/transports/framing/frame.ts';

/** Takes a line; `in`: from the client. */
export type Heard = (dir: 'in' | 'out', line: string) => void;

export function tapped(channel: Channel, heard: Heard): Channel {
  return {
    label: channel.label,
    open: (receiver) =>
      channel.open({
        ...(receiver.work === undefined ? {} : { work: receiver.work }),
        frame(frame) {
          heard('in', frame.text);
          receiver.frame(frame);
        },
        fault: (fault) => receiver.fault(fault),
        end: (ending) => receiver.end(ending),
        drained: () => receiver.drained?.(),
      }),
    send(out) {
      heard('out', new TextDecoder().decode(bytesOf(out)));
      channel.send(out);
    },
    get buffered() {
      return channel.buffered;
    },
    pause: () => channel.pause(),
    resume: () => channel.resume(),
    close: (code, reason) => channel.close(code, reason),
  };
}
