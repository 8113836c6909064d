// The client side for one set of options, in either dialect.
import { z } from 'zod';
import type { Env } from '../../../core/contract/adapter/action.ts';
import type { FrontendSide } from '../../../core/contract/adapter/frontend.ts';
import type { Options } from '../../../core/contract/adapter/launch.ts';
import { GatewayError } from '../../../core/model/errors.ts';
import { createProjection } from '../projection/late-projection.ts';
import { Dialect } from './frame-ids.ts';
import { createConnection } from './frontend.ts';

const Flag = z.union([z.boolean(), z.enum(['true', 'false']).transform((text) => text === 'true')]);

/** The options of a client of this protocol. Values may come from a URL, so they may be strings. */
const ClaudeOptions = z.strictObject({
  dialect: Dialect.optional(),
  /**
   * How frames travel as server-sent events; see ../event-envelope.ts. Clients with and without the envelope share one
   * stream.
   */
  envelope: z.enum(['sdk']).optional(),
  /** Whether `stream_event` frames are sent. Default: on. */
  partialMessages: Flag.optional(),
  /** Whether each prompt is echoed as it joins the conversation. Default: off. */
  replayUserMessages: Flag.optional(),
  /** Whether frames use the agent's name for the session once it is known, instead of the gateway's. Default: off. */
  agentSessionId: Flag.optional(),
});

/** `preset`: the dialect of clients that name none. Throws a GatewayError `invalid`. */
export function createSide(env: Env, options: Options, preset: Dialect): FrontendSide {
  const parsed = ClaudeOptions.safeParse(options);
  if (!parsed.success) throw new GatewayError('invalid', `claude options: ${z.prettifyError(parsed.error)}`);
  const dialect = parsed.data.dialect ?? preset;
  const { partialMessages = true, replayUserMessages = false, agentSessionId = false } = parsed.data;
  const suffix = `${replayUserMessages ? ' echo' : ''}${agentSessionId ? ' agent' : ''}`;
  const frontendOptions = { dialect, replayUserMessages, agentSessionId };
  // Once for all sessions of the connection, and without a spread: V8 gives each copy by spread a hidden class of its own.
  const projectionOptions = { dialect, replayUserMessages, agentSessionId, partialMessages };
  return {
    key: `${dialect} ${partialMessages ? 'partial' : 'whole'}${suffix}`,
    connection: (session) => createConnection(env, frontendOptions, session),
    projection: (session) => createProjection(session, projectionOptions),
  };
}
