// A gateway for clients and agents of every protocol: loads all code.
import { adapters } from '../adapters/index.ts';
import type { Config } from '../config/config.ts';
import { connectEventSource } from '../transports/sse/client.ts';
import { connectWebSocket } from '../transports/websocket/dial.ts';
import { createGatewayOf, type Gateway, type GatewayPorts } from './gateway.ts';
import { tapeChannel } from './tapes/tape-channel.ts';

export type { Gateway } from './gateway.ts';

/** Builds a gateway from its configuration. Throws `invalid` for settings that no protocol reads. */
export function createGateway(config: Config, ports: GatewayPorts): Gateway {
  return createGatewayOf(
    { adapters, remote: { connectWebSocket, connectEventSource }, player: tapeChannel },
    config,
    ports,
  );
}
