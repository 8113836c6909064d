// One client on our own stdin and stdout, until it has gone: what `patchbay stdio` and the stand-ins have in common.
import { Console } from 'node:console';
import type { Config } from '../config.ts';
import { GatewayError } from '../core/errors.ts';
import { createGateway, type Opening } from '../gateway.ts';
import { createLog } from '../log.ts';
import { stdioChannel } from '../transports/stdio.ts';
import { onSignals } from './signals.ts';

/** Whom to serve, and how. */
export interface ServeOptions {
  /** Its default agent is the one behind. */
  readonly config: Config;
  readonly frontend: string;
  /** Options of the frontend. */
  readonly client: Readonly<Record<string, unknown>>;
  /** Log repairs and losses to stderr. */
  readonly verbose?: boolean;
  readonly opening?: Opening;
  /** End when the agent does before anything was said: who starts us waits for that, as for the agent itself. */
  readonly endsWithAgent?: boolean;
  /** The exit code after a signal; default 0. */
  readonly signalCode?: (signal: NodeJS.Signals) => number;
}

/**
 * Resolves when the client has gone and everything has been said. Throws `invalid` or `not-found`, as the gateway does,
 * and `agent-down` when it ends with its agent.
 */
export async function serveStdio(options: ServeOptions): Promise<void> {
  const { config, frontend, client, opening, endsWithAgent = false } = options;
  // stdout is the protocol: whatever a package prints must not get between the frames (threat T30).
  globalThis.console = new Console(process.stderr);
  const log = createLog(options.verbose === true ? 'debug' : 'error', (line) => process.stderr.write(line));
  const gateway = createGateway(config, { log });
  const channel = stdioChannel({
    input: process.stdin,
    output: process.stdout,
    label: 'stdio',
    maxFrameBytes: config.limits.clientFrameBytes,
  });
  const failures: string[] = [];
  const watched: Opening | undefined = opening && {
    ...opening,
    lost(sentence, wasSilent) {
      if (!endsWithAgent || !wasSilent) return opening.lost?.(sentence, wasSilent);
      failures.push(sentence);
      // What this has refused is answered first.
      setImmediate(() => gateway.close(sentence));
    },
  };
  const served = gateway.serveClient(channel, { frontend, options: client }, watched);
  onSignals(
    async (reason) => {
      gateway.close(reason);
      await served;
    },
    10_000,
    options.signalCode,
  );
  // An agent inside this process holds nothing open: without this Node would leave in the middle of a silent run.
  const stayAlive = setInterval(() => {}, 60_000);
  try {
    await served;
  } finally {
    clearInterval(stayAlive);
    gateway.close('the client is gone');
  }
  const [failure] = failures;
  if (failure !== undefined) throw new GatewayError('agent-down', failure);
}
