// What is kept of a ledger beyond its process: commands that were admitted, and outcomes (decision 0026).
import { z } from 'zod';
import type { Outcome } from '../model/errors.ts';

const names = {
  id: z.string().optional(),
  /** The idempotency key together with its lane. */
  key: z.string().optional(),
  type: z.string(),
  fingerprint: z.string(),
  /** The session whose end drops the outcome that is kept by key. */
  session: z.string().optional(),
  /** Wall clock, ms since 1970. */
  at: z.number(),
};

/** One record of a ledger, without its place. */
export const LedgerRecord = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('admitted'), ...names }),
  z.object({
    kind: z.literal('outcome'),
    ...names,
    outcome: z.custom<Outcome>((value) => z.object({ ok: z.boolean() }).safeParse(value).success),
    receipt: z.object({ replayed: z.boolean(), version: z.number().optional(), timedOut: z.boolean() }),
  }),
  z.object({ kind: z.literal('forget'), session: z.string() }),
]);
export type LedgerRecord = z.infer<typeof LedgerRecord>;

/** A record about one command. */
export type CommandRecord = Exclude<LedgerRecord, { kind: 'forget' }>;

/** Keeps the records of a ledger. */
export interface LedgerKeeper {
  /** Ms since 1970 when the clock of the ledger was 0. */
  readonly timeOrigin: number;
  /** Takes a record. `then`: called once the record is on disk, or once it is known that it is not. */
  keep(record: LedgerRecord, then?: () => void): void;
}
