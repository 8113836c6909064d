// The options of an agent that speaks Claude's format.
import { z } from 'zod';
import type { Instructions } from '../../../core/contract/adapter/instructions.ts';
import type { AgentLaunch } from '../../../core/contract/adapter/launch.ts';
import { GatewayError } from '../../../core/model/errors.ts';

const milliseconds = z.union([z.number(), z.string().regex(/^\d+$/u).transform(Number)]).pipe(z.number().min(1));

const AgentOptions = z.strictObject({
  /** How frames travel as server-sent events; see event-envelope.ts. */
  envelope: z.enum(['sdk']).optional(),
  /** The session's name in posts to the agent, in an envelope. */
  sessionId: z.string().optional(),
  /** How long the agent may take to answer a request of the gateway, ms. */
  requestTimeoutMs: milliseconds.default(30_000),
  /** How long a client may take to answer what only a client can answer (hooks, its own tools), ms. */
  passedTimeoutMs: milliseconds.default(600_000),
});
export type AgentOptions = z.infer<typeof AgentOptions>;

/**
 * The launch of a Claude Code with these instructions. `--name=text` as one word, because the text may look like an
 * option.
 */
export function withInstructions(start: AgentLaunch, { text, addition }: Instructions): AgentLaunch {
  return {
    ...start,
    argv: [
      ...start.argv,
      ...(text === undefined ? [] : [`--system-prompt=${text}`]),
      ...(addition === undefined ? [] : [`--append-system-prompt=${addition}`]),
    ],
  };
}

/** Throws a GatewayError `invalid`. */
export function agentOptions(options: Readonly<Record<string, unknown>>): AgentOptions {
  const parsed = AgentOptions.safeParse(options);
  if (!parsed.success) throw new GatewayError('invalid', `claude agent options: ${z.prettifyError(parsed.error)}`);
  return parsed.data;
}
