// The options of an ACP agent, with their checks.
import { z } from 'zod';
import { GatewayError } from '../../../core/model/errors.ts';

const milliseconds = z.union([z.number(), z.string().regex(/^\d+$/u).transform(Number)]).pipe(z.number().min(1));

const AgentOptions = z.strictObject({
  /** How long the agent may take to answer a request, ms. Prompts have no deadline: the session watches their silence. */
  requestTimeoutMs: milliseconds.default(120_000),
  /** How long a cancelled prompt may stay unanswered, ms (docs/protocols/acp.md 4.29). */
  cancelTimeoutMs: milliseconds.default(10_000),
});
export type AgentOptions = z.infer<typeof AgentOptions>;

/** Throws a GatewayError `invalid`. */
export function agentOptions(options: Readonly<Record<string, unknown>>): AgentOptions {
  const parsed = AgentOptions.safeParse(options);
  if (!parsed.success) throw new GatewayError('invalid', `acp agent options: ${z.prettifyError(parsed.error)}`);
  return parsed.data;
}
