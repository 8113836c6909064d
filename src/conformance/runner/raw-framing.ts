// A framing through which bytes can also go as they stand, for whoever tries a peer with what is no frame. Knows no protocol.
import type { Channel, Out } from '../../core/contract/channel.ts';
import type { Framing } from '../../transports/framing/framing.ts';
import { bytesOf } from '../../transports/framing/frame.ts';

/** Writes to a channel with that framing without a frame around it. */
export interface RawFraming {
  readonly framing: Framing;
  send(channel: Channel, text: string): void;
}

/** Good for one channel or for several. */
export function rawFraming(framing: Framing): RawFraming {
  const raw = new WeakSet<object>();
  const isRaw = (out: Out) => typeof out !== 'string' && raw.has(out);
  const { apart } = framing;
  return {
    framing: {
      ...framing,
      encode: (out) => (isRaw(out) ? out : framing.encode(out)),
      ...(apart === undefined ? {} : { apart: (out: Out) => (isRaw(out) ? bytesOf(out) : apart(out)) }),
    },
    send(channel, text) {
      const out: Out = [text];
      raw.add(out);
      channel.send(out);
    },
  };
}
