// The options of an ECA server as agent, with their checks.
import { z } from 'zod';
import { GatewayError } from '../../../core/model/errors.ts';

const milliseconds = z.union([z.number(), z.string().regex(/^\d+$/u).transform(Number)]).pipe(z.number().min(1));

const AgentOptions = z.strictObject({
  /** Absolute paths of the folders that the agent works in. Default: the folders of its session, as far as known. */
  workspaceFolders: z
    .union([z.array(z.string()), z.string().transform((paths) => paths.split(','))])
    .pipe(z.array(z.string().min(1)))
    .optional(),
  /**
   * How long the agent may take to answer a request, ms. The deadline of a prompt ends with the first sign of its run.
   * A server that runs from source takes half a minute to start (docs/protocols/eca.md 6.9).
   */
  requestTimeoutMs: milliseconds.default(120_000),
  /** How long a query for models waits for an agent that is still collecting them, ms. */
  modelsTimeoutMs: milliseconds.default(8_000),
  /** How frames travel as server-sent events; see event-envelope.ts. */
  events: z.enum(['eca', 'frames']).optional(),
});
export type AgentOptions = z.infer<typeof AgentOptions>;

/** Throws a GatewayError `invalid`. */
export function agentOptions(options: Readonly<Record<string, unknown>>): AgentOptions {
  const parsed = AgentOptions.safeParse(options);
  if (!parsed.success) throw new GatewayError('invalid', `eca agent options: ${z.prettifyError(parsed.error)}`);
  return parsed.data;
}
