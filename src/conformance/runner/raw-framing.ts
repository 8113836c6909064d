// A framing that can also send bytes without a frame, for checks that send malformed input.
import type { Channel, Out } from '../../core/contract/channel.ts';
import { bytesOf } from '../../transports/framing/frame.ts';
import type { Framing } from '../../transports/framing/framing.ts';

/** The framing, and a function that writes to its channel without a frame. */
export interface RawFraming {
  readonly framing: Framing;
  send(channel: Channel, text: string): void;
}

/** One result serves any number of channels. */
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
