// ECA, the protocol of the Editor Code Assistant (docs/protocols/eca.md): editors as clients, ECA servers as agents.
import { z } from 'zod';
import type { Adapter, Env, FrontendSide, Options } from '../../core/contract/adapter.ts';
import { GatewayError } from '../../core/model/errors.ts';
import { agentOptions } from './backend/options.ts';
import { createBackend } from './backend/backend.ts';
import { dialectOf } from './frontend/dialect.ts';
import { eventEnvelope } from './event-envelope.ts';
import { createConnection } from './frontend/frontend.ts';
import { createProjection } from './projection/projection.ts';
import { toldEvents } from './told-events.ts';

/** The options of a client of this protocol. */
const EcaOptions = z.strictObject({
  /**
   * How frames travel as server-sent events: under ECA's own names (default), or bare. All clients share one stream.
   */
  events: z.enum(['eca', 'frames']).optional(),
});

function frontend(env: Env, options: Options): FrontendSide {
  const parsed = EcaOptions.safeParse(options);
  if (!parsed.success) throw new GatewayError('invalid', `eca options: ${z.prettifyError(parsed.error)}`);
  return {
    key: 'eca',
    isMultiplexed: true,
    connection: (session) => createConnection(env, session),
    projection: (session, dialect) => createProjection(session, dialectOf(dialect)),
  };
}

/** Serves editors of both eras (docs/protocols/eca.md 3). */
export const eca: Adapter = {
  id: 'eca',
  title: 'ECA, the protocol of the Editor Code Assistant and its editors',
  framing: { stdio: 'content-length', websocket: 'text', sse: 'event-stream' },
  envelope: eventEnvelope,
  can: {
    events: [...toldEvents, 'turn-start', 'turn-end'],
    commands: [
      'create-session',
      'prompt',
      'steer',
      'abort',
      'answer-approval',
      'answer-dialog',
      'set-model',
      'set-mode',
      'set-thinking',
      'set-name',
      'set-trust',
      'set-tool-server',
      'new-session',
      'delete-session',
      'query',
      'unknown',
    ],
  },
  client: { frontend },
  agent: { backend: (env, options, folders) => createBackend(env, agentOptions(options), folders) },
};
