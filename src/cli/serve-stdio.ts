// One client on our own stdin and stdout, until it has gone: what `patchbay stdio` and the stand-ins have in common.
import { Console } from 'node:console';
import type { Readable, Writable } from 'node:stream';
import { adapterOf } from '../gateway/agents.ts';
import type { Config } from '../config/config.ts';
import type { Channel, Out } from '../core/contract/channel.ts';
import { GatewayError } from '../core/model/errors.ts';
import { createGateway, type StartOptions } from '../gateway/gateway.ts';
import { streamFraming } from '../transports/framing/framings.ts';
import { stdioChannel } from '../transports/stdio.ts';
import { onSignals } from './signals.ts';
import { stderrLog } from './stderr-log.ts';

/** Whom to serve, and how. */
export interface ServeOptions {
  /** Its default agent is the one behind. */
  readonly config: Config;
  readonly frontend: string;
  /** Options of the frontend. */
  readonly client: Readonly<Record<string, unknown>>;
  /** The session's id; default a new one. */
  readonly session?: string;
  /** Log repairs and losses to stderr. */
  readonly verbose?: boolean;
  /** Without its `lost`, an agent that is lost is logged, and the exit code is 1. */
  readonly opening?: StartOptions;
  /**
   * End when the agent does, as who starts us expects of the agent itself: whenever that is, or only before anything
   * was said.
   */
  readonly endsWithAgent?: 'always' | 'silent';
  /** Ends it all, with a sentence as the reason. */
  readonly failure?: AbortSignal;
  /** What the client hears at the last moment, when it ends with its agent or by `failure`; null: nothing. */
  lastWords?(sentence: string): Out | null;
  /** The exit code after a signal; default as without one. */
  readonly signalCode?: (signal: NodeJS.Signals) => number;
  /** Default our own stdin and stdout. */
  readonly input?: Readable;
  readonly output?: Writable;
  /** The channel as the gateway is to see it. */
  wrap?(channel: Channel): Channel;
}

/**
 * Resolves when the client has gone and everything has been said. Throws `invalid` or `not-found`, as the gateway does,
 * and `agent-down` when it ends with its agent or by `failure`.
 */
export async function serveStdio(options: ServeOptions): Promise<void> {
  const { config, frontend, client, opening } = options;
  const adapter = adapterOf(frontend, 'client');
  // stdout is the protocol: whatever a package prints must not get between the frames (docs/threats.md T30).
  globalThis.console = new Console(process.stderr);
  const log = stderrLog(options.verbose === true ? 'debug' : 'error');
  const gateway = createGateway(config, { log });
  const plain = stdioChannel({
    input: options.input ?? process.stdin,
    output: options.output ?? process.stdout,
    label: 'stdio',
    framing: streamFraming(adapter.framing.stdio),
    blank: adapter.client?.acceptsEmptyFrames === true ? 'deliver' : 'skip',
    maxFrameBytes: gateway.board.maxFrameBytes?.(frontend) ?? config.limits.clientFrameBytes,
  });
  const channel = options.wrap?.(plain) ?? plain;
  const failures: string[] = [];
  function fail(sentence: string): void {
    failures.push(sentence);
    // What this has refused is answered first.
    setImmediate(() => {
      const words = options.lastWords?.(sentence) ?? null;
      if (words !== null) channel.send(words);
      gateway.close(sentence);
    });
  }
  options.failure?.addEventListener('abort', () => fail(String(options.failure?.reason)), { once: true });
  function lost(sentence: string, wasSilent: boolean): void {
    const ends = options.endsWithAgent === 'always' || (options.endsWithAgent === 'silent' && wasSilent);
    if (ends) return fail(sentence);
    if (opening?.lost !== undefined) return opening.lost(sentence, wasSilent);
    log('error', 'the agent is gone', { agent: config.defaultAgent ?? 'demo', reason: sentence });
    process.exitCode = 1;
  }
  const watched: StartOptions = { commands: [], settled: () => {}, ...opening, lost };
  const served = gateway.serveClient(channel, { frontend, options: client, id: options.session }, watched);
  onSignals(
    async (reason) => {
      await gateway.drain(reason, 0);
      await served;
    },
    () => 10_000 + gateway.drainMs,
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
