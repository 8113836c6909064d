// The client side of `pi-server`.
import type { Env } from '../../core/contract/adapter/action.ts';
import type { ClientAdapter } from '../../core/contract/adapter/adapter.ts';
import type { FrontendSide } from '../../core/contract/adapter/frontend.ts';
import type { Options } from '../../core/contract/adapter/launch.ts';
import { readClientOptions } from './frontend/dialect.ts';
import { serverReady } from './frontend/encode-broadcast.ts';
import { createConnection } from './frontend/frontend.ts';
import { createProjection } from './projection/projection.ts';
import { protocol } from './protocol.ts';
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

/** Serves clients of pi-server. */
export const client: ClientAdapter = { ...protocol.client, frontend };
