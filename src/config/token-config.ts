// The part of patchbay.json that names further tokens and their rights.
import { z } from 'zod';

/** A token: its hash, or the environment variable that holds it, and what its holder may do. Never the token itself. */
export const TokenConfig = z
  .strictObject({
    name: z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,64}$/u, 'has 1 to 64 letters, digits, - and _')
      .refine((name) => name !== 'owner', 'owner is the name of the single token')
      .describe('What logs call the holder.'),
    sha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/u, 'must be 64 hexadecimal digits in lower case')
      .optional()
      .describe('The SHA-256 hash of the token: printf %s "$TOKEN" | sha256sum.'),
    variable: z.string().min(1).optional().describe('The environment variable that holds the token.'),
    role: z
      .enum(['controller', 'observer'])
      .default('controller')
      .describe('An observer reads sessions; everything else is refused.'),
    agents: z.array(z.string()).min(1).optional().describe('The agents that the holder may use and see. Default: all.'),
    sessions: z
      .enum(['own', 'all'])
      .optional()
      .describe(
        'The sessions that the holder reaches: those that it has opened, or all. Default: own for a controller, all for an observer.',
      ),
  })
  .refine(
    ({ sha256, variable }) => (sha256 === undefined) !== (variable === undefined),
    'a token has a sha256 or a variable, and not both',
  );
export type TokenConfig = z.infer<typeof TokenConfig>;
