// The agent side of `demo`. Options: `paceMs`, 0 to 60000, default 15.
import { z } from 'zod';
import type { AgentAdapter } from '../../core/contract/adapter/adapter.ts';
import { GatewayError } from '../../core/model/errors.ts';
import { createBackend } from './backend.ts';
import { protocol } from './protocol.ts';

const Milliseconds = z.int().min(0).max(60_000);

const DemoOptions = z.strictObject({
  /** Delay between two batches of deltas, ms: a number, or digits from a URL. */
  paceMs: z.union([Milliseconds, z.string().regex(/^\d+$/u).transform(Number).pipe(Milliseconds)]).default(15),
});

/** The scripted agent. */
export const agent: AgentAdapter = {
  ...protocol.agent,
  backend(env, options) {
    const parsed = DemoOptions.safeParse(options);
    if (!parsed.success) throw new GatewayError('invalid', `demo: ${z.prettifyError(parsed.error)}`);
    return createBackend(env, parsed.data);
  },
};
