// What may be set for an ECA server as agent, checked. Knows no message.
import { z } from 'zod';
import { GatewayError } from '../../../core/model/errors.ts';

const milliseconds = z.union([z.number(), z.string().regex(/^\d+$/u).transform(Number)]).pipe(z.number().min(1));

const AgentOptions = z.strictObject({
  /** Absolute paths that the agent is to work in. Default: where its session works, as far as that is known. */
  workspaceFolders: z
    .union([z.array(z.string()), z.string().transform((paths) => paths.split(','))])
    .pipe(z.array(z.string().min(1)))
    .optional(),
  /**
   * How long the agent may take to answer a request, ms. A prompt's clock stops with the first sign of its run. Starting
   * a server from its source takes half a minute (docs/protocols/eca.md 6.9).
   */
  requestTimeoutMs: milliseconds.default(120_000),
  /** How long who asks for models waits for an agent that is still gathering them, ms. */
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
