// Carries out `patchbay serve`. serve.ts declares the options, and loads this file when the command runs.
import path from 'node:path';
import { loadAdapters, protocolsOf } from '../../adapters/protocols.ts';
import type { Config } from '../../config/config.ts';
import type { Limited } from '../../core/contract/limits/limit-rule.ts';
import { createGatewayOf, type Gateway } from '../../gateway/gateway.ts';
import type { Log } from '../../gateway/log.ts';
import { measureLoopDelay } from '../../gateway/metering/loop-delay.ts';
import { tapeChannel } from '../../gateway/tapes/tape-channel.ts';
import { openTelemetry } from '../../gateway/tracing/open-telemetry.ts';
import type { ConnectionLimits } from '../../transports/http/connection-table.ts';
import type { InspectorOptions } from '../../transports/http/inspector/inspector.ts';
import { listen, type Listening as Server } from '../../transports/http/server.ts';
import { spareDescriptor } from '../../transports/spare-descriptor.ts';
import { connectEventSource } from '../../transports/sse/client.ts';
import { connectWebSocket } from '../../transports/websocket/dial.ts';
import { configFrom, tellConfigFile } from '../agents/agent-config.ts';
import type { AgentOptions } from '../agents/agent-options.ts';
import { fixHeapGrowth } from '../heap-growth.ts';
import { ownVersion } from '../program.ts';
import { onSignals } from '../signals.ts';
import { stderrLog } from '../stderr-log.ts';
import { installLastResort } from './last-resort.ts';
import { openPlaces, type PlaceOptions, type SessionPlaces } from './session-places.ts';
import { configuredTokens, singleToken, type TokenOptions } from './tokens.ts';

/** The parsed options. */
export interface ServeOptions extends AgentOptions, TokenOptions, PlaceOptions {
  readonly host?: string;
  readonly port?: number;
  readonly origin: readonly string[];
  readonly record?: string;
  /** False: no page at `/`. */
  readonly inspector?: boolean;
  readonly json?: boolean;
  readonly verbose?: boolean;
}

/** Serves until a signal arrives. */
export async function serve(command: readonly string[], options: ServeOptions): Promise<void> {
  spareDescriptor.hold();
  fixHeapGrowth();
  const config = configFrom(options, command);
  tellConfigFile(options);
  let limited: Limited = () => {};
  const log = stderrLog(options.verbose === true ? 'debug' : 'warn', () => limited('unreadLogBytes'));
  let fault: Gateway['fault'] = () => {};
  const places = await openPlaces(options, config, process.env, { log, thrown: (thrown) => fault(thrown) });
  try {
    const gateway = await start(config, options, places, log);
    fault = gateway.fault;
    limited = gateway.board.limited;
  } catch (thrown) {
    // An open journal or store would keep the process alive.
    await places.close();
    throw thrown;
  }
}

/** Builds the gateway and listens. */
async function start(config: Config, options: ServeOptions, places: SessionPlaces, log: Log): Promise<Gateway> {
  const { drainMs } = config.limits;
  const adapters = await loadAdapters({ client: protocolsOf('client'), agent: protocolsOf('agent') });
  const remote = { connectWebSocket, connectEventSource };
  const tracer = await openTelemetry({ env: process.env, name: 'patchbay', version: ownVersion, log });
  const gateway = createGatewayOf({ adapters, remote, player: tapeChannel }, config, {
    log,
    loopDelay: measureLoopDelay(),
    ...(tracer && { tracer }),
    ...places.ports,
    ...(options.record === undefined ? {} : { recordTo: options.record }),
    ...(options.inspector === false || !config.server.inspector ? {} : { inspectedAs: ownVersion }),
  });
  const server = await listen({
    host: options.host ?? config.server.host,
    port: options.port ?? config.server.port,
    token: singleToken(options, process.env),
    tokens: configuredTokens(config, process.env),
    connections: connectionsOf(config),
    allowedOrigins: [...config.server.allowedOrigins, ...options.origin],
    allowedHosts: config.server.allowedHosts,
    board: gateway.board,
    maxFrameBytes: config.limits.clientFrameBytes,
    hop: places.hop,
    inspector: pageOf(gateway),
    onError: (error) => gateway.fault(error),
  });
  const stop = onSignals(
    async (reason) => {
      log(
        'warn',
        `${reason}; waiting up to ${Math.max(gateway.drainMs, drainMs) / 1000} s for open runs to finish; a second signal ends them at once`,
      );
      await gateway.drain(reason, drainMs);
      await Promise.all([server.close(), tracer?.close(Math.min(drainMs, flushMs))]);
      await places.close();
    },
    () => Math.max(gateway.drainMs, drainMs) + closeMs,
  );
  installLastResort({
    now: () => performance.now(),
    report: (thrown) => gateway.fault(thrown),
    end: (reason) => stop(reason, 1),
  });
  process.stdout.write(options.json === true ? readyLine(server) : readyText(server, config.defaultAgent ?? 'demo'));
  return gateway;
}

/** The page of the inspector, as the build left it: `inspector` stands beside the folder of this code, `chunks`. */
function pageOf({ inspector }: Gateway): InspectorOptions | undefined {
  if (inspector === null) return undefined;
  return { api: inspector, folder: path.join(import.meta.dirname, '../inspector'), frontend: 'canonical' };
}

/** How long connections may take to close after the open runs, ms. */
const closeMs = 10_000;

/** How long the last spans of traces may take to be sent, ms. */
const flushMs = 5000;

/** The limits of connections, as far as they are configured. */
function connectionsOf({ limits: { connections, perToken } }: Config): Partial<ConnectionLimits> {
  return {
    ...(connections === undefined ? {} : { connections }),
    ...(perToken.connections === null ? {} : { perToken: perToken.connections }),
  };
}

type Listening = Pick<Server, 'url' | 'token' | 'inspector'>;

function readyLine({ url, token, inspector }: Listening): string {
  return `${JSON.stringify({ type: 'ready', url, token, ...(inspector === null ? {} : { inspector }) })}\n`;
}

/** Three lines: what it is, where to look, and what clients need. A used code is replaced by the token. */
function readyText({ url, token: single, inspector }: Listening, agent: string): string {
  const token = single ?? 'one of the configuration';
  const page = inspector === null ? `clients    ${url}/v1/<protocol>/ws` : `inspector  ${inspector}`;
  return [
    `Patchbay ${ownVersion} listens on ${url}: any client plugs into any agent, here ${agent}`,
    `  ${page}`,
    `  token      ${token}`,
    '',
  ].join('\n');
}
