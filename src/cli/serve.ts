// `patchbay serve`: HTTP, WebSocket and SSE for any number of clients.
import { Command, InvalidArgumentError } from 'commander';
import { messageOf } from '../core/model/errors.ts';
import { createGateway } from '../gateway/gateway.ts';
import { type AgentOptions, configFrom, withAgentOptions } from './agent-options.ts';
import { onSignals } from './signals.ts';
import { stderrLog } from './stderr-log.ts';

interface ServeOptions extends AgentOptions {
  readonly host?: string;
  readonly port?: number;
  readonly token?: string;
  readonly origin: readonly string[];
  readonly json?: boolean;
  readonly verbose?: boolean;
}

const help = `
Examples:
  patchbay serve --port 8137
  patchbay serve --agent pi --config ./patchbay.json --json
  patchbay serve --backend pi -- pi --mode rpc --no-session

The token comes from --token, else PATCHBAY_TOKEN, else a new one is made and printed.`;

/** How long open runs may go on after a signal, ms (docs/threats.md T29). */
const drainMs = 10_000;

/** The command. */
export function serveCommand(): Command {
  return withAgentOptions(new Command('serve'))
    .description('serve agents over HTTP: WebSocket, SSE and a small REST interface')
    .option('--host <host>', 'address to listen on (default 127.0.0.1)')
    .option('--port <port>', 'port to listen on (default: any free one)', portNumber)
    .option('--token <token>', 'the bearer token that clients must send')
    .option('--origin <origin>', 'a web page that may connect, e.g. http://localhost:5173; may be repeated', append, [])
    .option('--json', 'print one JSON line when ready instead of text')
    .option('--verbose', 'log repairs and losses too')
    .addHelpText('after', help)
    .action((command: string[], options: ServeOptions) => serve(command, options));
}

async function serve(command: readonly string[], options: ServeOptions): Promise<void> {
  // Only here: the other commands serve nothing, and they start about a tenth sooner without the HTTP packages.
  const { listen } = await import('../transports/http/server.ts');
  const config = configFrom(options, command);
  const log = stderrLog(options.verbose === true ? 'debug' : 'warn');
  const gateway = createGateway(config, { log });
  const server = await listen({
    host: options.host ?? config.server.host,
    port: options.port ?? config.server.port,
    // An empty variable is a variable that nobody has set.
    token: options.token ?? (process.env.PATCHBAY_TOKEN || undefined),
    allowedOrigins: [...config.server.allowedOrigins, ...options.origin],
    board: gateway.board,
    maxFrameBytes: config.limits.clientFrameBytes,
    onError: (error) => log('error', messageOf(error)),
  });
  onSignals(
    async (reason) => {
      log(
        'warn',
        `${reason}; open runs may end, for at most ${(gateway.drainMs || drainMs) / 1000} s; a second signal ends them at once`,
      );
      await gateway.drain(reason, drainMs);
      await server.close();
    },
    () => 2 * drainMs + gateway.drainMs,
  );
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

function portNumber(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/u.test(text) || port > 65535) throw new InvalidArgumentError('must be a number from 0 to 65535');
  return port;
}

function append(text: string, before: readonly string[]): string[] {
  return [...before, text];
}
