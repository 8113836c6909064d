// Wraps the channel of a claude client: holds back its input until the agent is ready, and records the last result,
// which decides the exit code. Changes no frame.
import { z } from 'zod';
import type { Channel, Out } from '../../core/contract/channel.ts';
import { bytesOf } from '../../transports/framing/frame.ts';

/** The fields of a `result` frame that are used here (docs/protocols/claude.md 7). */
export const Result = z.looseObject({
  type: z.literal('result'),
  is_error: z.boolean(),
  /** Absent after an interrupt. */
  result: z.string().optional(),
  errors: z.array(z.string()).optional(),
});
export type Result = z.infer<typeof Result>;

/** The wrapped channel and its observations. */
export interface ClientWatch {
  /** Wraps the client's channel for the gateway. */
  wrap(channel: Channel): Channel;
  /** Starts delivering the client's frames. */
  admit(): void;
  /** The last result frame sent to the client, or null. */
  last(): Result | null;
  /** The text of the last result frame; empty if there was none. */
  lastText(): string;
}

/** Quotes inside a JSON string are escaped, so this text can only be a key with its value. */
const mark = '"type":"result"';

/** The client's frames are held back until {@link ClientWatch.admit}. */
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
