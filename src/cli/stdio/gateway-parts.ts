// The code of a gateway with one client on stdin and stdout: loads only the protocols that this gateway may speak.
import { loadAdapters } from '../../adapters/protocols.ts';
import type { Config } from '../../config/config.ts';
import type { GatewayParts } from '../../gateway/gateway.ts';
import type { RemoteTransports } from '../../gateway/remote-transports.ts';
import type { TapePlayer } from '../../gateway/tapes/tape-player.ts';

/** Loads this frontend, and what the agents of the configuration need. */
export async function partsFor({ agents, frontends }: Config, frontend: string): Promise<GatewayParts> {
  const all = Object.values(agents);
  const [adapters, remote, player] = await Promise.all([
    // The gateway checks the settings of all frontends that have settings.
    loadAdapters({ client: [frontend, ...Object.keys(frontends)], agent: all.map(({ protocol }) => protocol) }),
    all.some(({ url }) => url !== undefined) ? loadRemote() : null,
    all.some(({ file }) => file !== undefined) ? loadPlayer() : null,
  ]);
  return { adapters, remote, player };
}

async function loadPlayer(): Promise<TapePlayer> {
  return (await import('../../gateway/tapes/tape-channel.ts')).tapeChannel;
}

async function loadRemote(): Promise<RemoteTransports> {
  const [{ connectWebSocket }, { connectEventSource }] = await Promise.all([
    import('../../transports/websocket/dial.ts'),
    import('../../transports/sse/client.ts'),
  ]);
  return { connectWebSocket, connectEventSource };
}
