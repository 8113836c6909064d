// The figures of a gateway, as `query metrics` returns them. Adapters rename them for their protocol.
import { z } from 'zod';

/** The state of a circuit breaker; see ledger/circuit-breaker.ts. */
const Circuit = z.object({
  /** The agent or session behind the breaker. */
  name: z.string(),
  state: z.enum(['closed', 'open', 'half-open']),
  failureCount: z.number(),
  /** Ms since 1970. */
  lastFailureAt: z.number().nullable(),
  lastChangeAt: z.number().nullable(),
  lastUsedAt: z.number().nullable(),
  calls: z.number(),
  rejected: z.number(),
  slow: z.number(),
  successes: z.number(),
  failures: z.number(),
  averageLatencyMs: z.number(),
  probes: z.number(),
});

/** All figures. */
export const GatewayFigures = z.object({
  sessions: z.number(),
  /** Connections of this protocol's clients. */
  clients: z.number(),
  /** Open questions to users. */
  questions: z.number(),
  ledger: z.object({
    inFlight: z.number(),
    outcomes: z.number(),
    keys: z.number(),
    lanes: z.number(),
    executed: z.number(),
    lastMinute: z.number(),
    maxInFlight: z.number(),
    maxOutcomes: z.number(),
    maxPerMinute: z.number(),
  }),
  refused: z.object({
    sessionLimit: z.number(),
    frameSize: z.number(),
    busy: z.number(),
    rate: z.number(),
    allRate: z.number(),
    answers: z.number(),
  }),
  /** One per agent in use so far. */
  circuits: z.array(Circuit),
  shell: z.object({ all: Circuit, sessions: z.array(Circuit) }),
});
export type GatewayFigures = z.infer<typeof GatewayFigures>;
