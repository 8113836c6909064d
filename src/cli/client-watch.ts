// The channel of a client of the claude protocol, watched: when it may speak, and what the last result was, which decides
// how the program ends. Changes no frame.
import { z } from 'zod';
import type { Channel, Out } from '../core/contract/channel.ts';
import { bytesOf } from '../transports/framing/frame.ts';

/** What counts of a `result` frame (docs/protocols/claude.md 7). */
export const Result = z.looseObject({
  type: z.literal('result'),
  is_error: z.boolean(),
  /** Absent after an interrupt. */
  result: z.string().optional(),
  errors: z.array(z.string()).optional(),
});
export type Result = z.infer<typeof Result>;

/** A client that is watched. */
export interface ClientWatch {
  /** The channel, as the gateway is to see it. */
  wrap(channel: Channel): Channel;
  /** From now on the client is heard. */
  admit(): void;
  /** The last result that it was sent. */
  last(): Result | null;
  /** The same, as it was sent; empty while there was none. */
  lastText(): string;
}

/** Inside a string of JSON the quotes would be escaped, so this is a key and its value. */
const mark = '"type":"result"';

/** The client is not heard before {@link ClientWatch.admit}. */
export function watchClient(): ClientWatch {
  let last: Result | null = null;
  let lastText = '';
  let isAdmitted = false;
  let open: (() => void) | null = null;

  function watch(out: Out): void {
    const text = typeof out === 'string' ? out : bytesOf(out).toString();
    if (!text.includes(mark)) return;
    const read = Result.safeParse(JSON.parse(text));
    if (!read.success) return;
    last = read.data;
    lastText = text;
  }

  return {
    wrap: (channel) => ({
      label: channel.label,
      open(receiver) {
        if (isAdmitted) channel.open(receiver);
        else open = () => channel.open(receiver);
      },
      send(out) {
        watch(out);
        channel.send(out);
      },
      get buffered() {
        return channel.buffered;
      },
      pause: () => channel.pause(),
      resume: () => channel.resume(),
      close: (code, reason) => channel.close(code, reason),
    }),
    admit() {
      isAdmitted = true;
      open?.();
      open = null;
    },
    last: () => last,
    lastText: () => lastText,
  };
}
