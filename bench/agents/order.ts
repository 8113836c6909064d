// What a prompt asks of the made-up agent: how much to say, in which dialect, how fast.
import { z } from 'zod';

/** An order, carried by the words of a prompt. */
export const Order = z.strictObject({
  /** Those of pi; a Claude Code has one only. */
  dialect: z.enum(['snapshot', 'delta-only']).default('delta-only'),
  /** The size that each message grows to in the sample, bytes of text. */
  bytes: z.int().positive(),
  /** Delta lines that are sampled from it and said over and over. */
  sample: z.int().positive(),
  /** How often the sample is said in one message. */
  plays: z.int().positive().default(1),
  /** Messages, each in a turn of its own. */
  messages: z.int().positive().default(1),
  /** Lines a second, each delta a time stamp (`process.hrtime`, ns); absent: as fast as the reader reads. */
  perSecond: z.int().positive().optional(),
  /** Bytes behind each time stamp. */
  padding: z.int().min(0).default(0),
});
export type Order = z.input<typeof Order>;

/** The words of the prompt. */
export function wordsOf(order: Order): string {
  return `say ${JSON.stringify(order)}`;
}

/** Finds an order in the words of a prompt, whatever a gateway put around them. */
export function orderIn(words: string): z.output<typeof Order> | null {
  const found = /say (\{[^}]*\})/u.exec(words)?.[1];
  return found === undefined ? null : Order.parse(JSON.parse(found));
}
