// Carries out `patchbay serve`. serve.ts declares the options, and loads this file when the command runs.
import { loadAdapters, protocolsOf } from '../adapters/protocols.ts';
import { createGatewayOf } from '../gateway/gateway.ts';
import { measureLoopDelay } from '../gateway/loop-delay.ts';
import { listen } from '../transports/http/server.ts';
import { spareDescriptor } from '../transports/spare-descriptor.ts';
import { connectEventSource } from '../transports/sse-client.ts';
import { connectWebSocket } from '../transports/websocket.ts';
import { configFrom } from './agent-config.ts';
import type { AgentOptions } from './agent-options.ts';
import { installLastResort } from './last-resort.ts';
import { onSignals } from './signals.ts';
import { stderrLog } from './stderr-log.ts';

/** The parsed options. */
export interface ServeOptions extends AgentOptions {
  readonly host?: string;
  readonly port?: number;
  readonly token?: string;
  readonly origin: readonly string[];
  readonly json?: boolean;
  readonly verbose?: boolean;
}

/** How long open runs may continue after a signal, ms (docs/threats.md T29). */
const drainMs = 10_000;

/** Serves until a signal arrives. */
export async function serve(command: readonly string[], options: ServeOptions): Promise<void> {
  spareDescriptor.hold();
  const config = configFrom(options, command);
  const log = stderrLog(options.verbose === true ? 'debug' : 'warn');
  const adapters = await loadAdapters({ client: protocolsOf('client'), agent: protocolsOf('agent') });
  const remote = { connectWebSocket, connectEventSource };
  const gateway = createGatewayOf({ adapters, remote }, config, { log, loopDelay: measureLoopDelay() });
  const server = await listen({
    host: options.host ?? config.server.host,
    port: options.port ?? config.server.port,
    // An empty environment variable counts as unset.
    token: options.token ?? (process.env.PATCHBAY_TOKEN || undefined),
    allowedOrigins: [...config.server.allowedOrigins, ...options.origin],
    board: gateway.board,
    maxFrameBytes: config.limits.clientFrameBytes,
    onError: (error) => gateway.fault(error),
  });
  const stop = onSignals(
    async (reason) => {
      log(
        'warn',
        `${reason}; waiting up to ${(gateway.drainMs || drainMs) / 1000} s for open runs to finish; a second signal ends them at once`,
      );
      await gateway.drain(reason, drainMs);
      await server.close();
    },
    () => 2 * drainMs + gateway.drainMs,
  );
  installLastResort({
    now: () => performance.now(),
    report: (thrown) => gateway.fault(thrown),
    end: (reason) => stop(reason, 1),
  });
  process.stdout.write(options.json === true ? readyLine(server) : readyText(server, config.defaultAgent ?? 'demo'));
}

interface Listening {
  readonly url: string;
  readonly token: string;
}

function readyLine({ url, token }: Listening): string {
  return `${JSON.stringify({ type: 'ready', url, token })}\n`;
}

function readyText({ url, token }: Listening, agent: string): string {
  return [
    `Patchbay listens on ${url}`,
    `  agent  ${agent}`,
    `  token  ${token}`,
    '',
    'Try it:',
    `  curl -s -X POST ${url}/v1/sessions -H 'Authorization: Bearer ${token}' -H 'Content-Type: application/json' -d '{"id":"one"}'`,
    `  curl -N ${url}/v1/claude/sessions/one/events -H 'Authorization: Bearer ${token}' &`,
    `  curl -s ${url}/v1/claude/sessions/one/frames -H 'Authorization: Bearer ${token}' -H 'Content-Type: application/json' \\`,
    `    -d '{"type":"user","message":{"role":"user","content":"hello"}}'`,
    '',
  ].join('\n');
}
