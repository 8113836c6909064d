// The adapter for pi-server: many sessions of pi over one connection (docs/protocols/pi-server.md).
import type { Adapter, Env, FrontendSide, Options } from '../../core/contract/adapter.ts';
import { toldEvents } from '../pi/told-events.ts';
import { multiplexing } from './backend/frames.ts';
import { agentOptions } from './backend/options.ts';
import { createBackend } from './backend/backend.ts';
import { readClientOptions } from './frontend/dialect.ts';
import { serverReady } from './frontend/encode-broadcast.ts';
import { createConnection } from './frontend/frontend.ts';
import { createProjection } from './projection/projection.ts';
import { limitsOf, readSettings } from './settings.ts';

/** The gateway's name in the ids of commands without an id: the same for all connections. */
const serverIds = new WeakMap<Env, string>();

function serverIdOf(env: Env): string {
  const known = serverIds.get(env);
  if (known !== undefined) return known;
  const made = env.id('server');
  serverIds.set(env, made);
  return made;
}

function frontend(env: Env, options: Options, settings: Options = {}): FrontendSide {
  const { dialect } = readClientOptions(options);
  const read = readSettings(settings);
  const { commandTimeoutMs } = read;
  const limits = limitsOf(read);
  const { maxFrameBytes } = limits;
  const serverId = serverIdOf(env);
  return {
    // A session's frames are the same in both dialects.
    key: '',
    isMultiplexed: true,
    limits,
    greeting: () => [serverReady],
    connection: (bound) =>
      createConnection({ dialect, serverId, commandTimeoutMs, handle: () => env.id('prompt'), maxFrameBytes, bound }),
    projection: (session) => createProjection(session),
  };
}

/** pi-server 1.0.0, with the document's lifecycle and the newer one. */
export const piServer: Adapter = {
  id: 'pi-server',
  title: 'pi-server, many sessions over one connection',
  framing: { stdio: 'jsonl', websocket: 'text', sse: 'event-stream' },
  can: {
    events: toldEvents,
    commands: [
      'create-session',
      'delete-session',
      'list-sessions',
      'list-stored-sessions',
      'load-session',
      'prompt',
      'steer',
      'follow-up',
      'abort',
      'answer-approval',
      'answer-dialog',
      'compact',
      'bash',
      'set-model',
      'cycle-model',
      'set-thinking',
      'cycle-thinking',
      'set-auto',
      'set-name',
      'new-session',
      'switch-session',
      'fork',
      'export',
      'query',
    ],
  },
  client: { hasSettings: true, replaysHistory: false, frontend },
  agent: {
    backend: (env, options, folders, name) => createBackend(env, agentOptions(options), folders, name),
    multiplexing,
  },
};
